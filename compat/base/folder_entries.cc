// SPDX-License-Identifier: Apache-2.0
#include "compat/base/folder_entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compat/base/arena.h"
#include "compat/base/shortage.h"

namespace anycuda {

// So many bytes of a folder's list are read at a time, without malloc, which readdir() needs.
constexpr std::size_t kEntryBytes = 4096;

const char* current_folder(Arena* arena) {
  const Scratch path(arena);
  const bool known =
      path.text() != nullptr && noted(getcwd(path.text(), Scratch::kPath)) != nullptr;
  return known ? arena->copy(path.text()) : nullptr;
}

const char* real_path(const char* path, Arena* arena) {
  const Scratch real(arena);
  if (real.text() == nullptr) return nullptr;
  const auto file = static_cast<int>(noted(open(path, O_PATH | O_CLOEXEC)));
  if (file < 0) return nullptr;
  // realpath() asks about each folder of the path.
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, real.text(), PATH_MAX - 1);
  close(file);
  if (size > 0 && *real.text() == '/') return arena->copy(std::string_view(real.text(), size));
  return noted(realpath(path, real.text())) != nullptr ? arena->copy(real.text()) : nullptr;
}

bool is_folder(const char* path) {
  struct stat status;
  return noted(stat(path, &status)) == 0 && S_ISDIR(status.st_mode);
}

bool is_entry(const char* path) {
  char target;
  return noted(readlink(path, &target, 1)) >= 0 || errno == EINVAL;  // EINVAL: not a link
}

bool is_world_writable(const char* folder) {
  struct stat status;
  return noted(stat(folder, &status)) != 0 || (status.st_mode & S_IWOTH) != 0;
}

bool each_entry(const char* folder, const char* prefix, Arena* arena,
                void (*visit)(const char*, void*), void* argument) {
  const Scratch buffer(arena, kEntryBytes);
  char* const entries = buffer.text();
  if (entries == nullptr) return false;
  const auto file = static_cast<int>(noted(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (file < 0) return false;
  const std::size_t length = std::strlen(prefix);
  for (;;) {
    const long size = noted(syscall(SYS_getdents64, file, entries, kEntryBytes));
    if (size <= 0) break;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      if (std::strncmp(entry->d_name, prefix, length) == 0) visit(entry->d_name, argument);
      at += entry->d_reclen;
    }
  }
  close(file);
  return true;
}

}  // namespace anycuda
