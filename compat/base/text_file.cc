// SPDX-License-Identifier: Apache-2.0
#include "compat/base/text_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "compat/base/reserve.h"
#include "compat/base/shortage.h"
#include "compat/base/uncancelled.h"

namespace anycuda {

namespace {
constexpr std::size_t kPage = 4096;
}  // namespace

TextFile::~TextFile() {
  if (pages_ != nullptr) munmap(pages_, capacity_);
}

bool TextFile::reserve(std::size_t size) {
  if (size <= capacity_) return true;
  if (pages_ != nullptr) munmap(pages_, capacity_);
  capacity_ = (2 * size + kPage - 1) / kPage * kPage;
  pages_ = static_cast<char*>(map_pages(capacity_));
  if (pages_ == nullptr) {
    capacity_ = 0;
    note_shortage(ENOMEM);
  }
  return pages_ != nullptr;
}

TextState open_regular(const char* path, int* file, struct stat* status, int* error) {
  // O_NONBLOCK: a pipe of that name must not stop the program.
  *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  TextState state = TextState::read;
  if (*file < 0 || fstat(*file, status) != 0) {
    *error = errno;
    note_shortage(*error);
    state = errno == ENOENT || errno == ENOTDIR ? TextState::missing : TextState::unreadable;
  } else if (!S_ISREG(status->st_mode)) {
    state = TextState::not_a_file;
  } else {
    return state;
  }
  if (*file >= 0) close(*file);
  *file = -1;
  return state;
}

TextState TextFile::read(const char* path, std::size_t most, bool head) {
  const Uncancelled uncancelled;
  length_ = 0;
  error_ = 0;
  int file;
  struct stat status;
  TextState state = open_regular(path, &file, &status, &error_);
  if (state != TextState::read) return state;
  state = fill(file, static_cast<std::size_t>(status.st_size), most, head);
  if (state != TextState::read) length_ = 0;
  close(file);
  return state;
}

TextState TextFile::fill(int file, std::size_t size, std::size_t most, bool head) {
  if (size > most && !head) return TextState::too_large;
  const std::size_t wanted = size < most ? size : most;
  if (!reserve(wanted)) return TextState::no_memory;
  while (length_ < wanted) {
    const ssize_t got =
        pread(file, pages_ + length_, wanted - length_, static_cast<off_t>(length_));
    if (got == 0) break;  // it has become shorter
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      error_ = errno;
      note_shortage(error_);
      return TextState::unreadable;
    }
    length_ += static_cast<std::size_t>(got);
  }
  return TextState::read;
}

}  // namespace anycuda
