// SPDX-License-Identifier: Apache-2.0
#include "compat/library/find_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "compat/base/lexical_path.h"
#include "compat/base/uncancelled.h"
#include "compat/search/elf/classify.h"
#include "compat/search/elf/elf_reader.h"

namespace anycuda::compat {
namespace {

class OpenFile {
 public:
  // O_NONBLOCK: a pipe that has replaced the file meanwhile must not stop the program.
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// NVIDIA's libcuda.so and libnvidia-ml.so for linking have the real driver's SONAMEs and functions,
// each of which returns an error. A toolkit has them in its folder "stubs". A copy elsewhere has no
// DT_NEEDED (those of 11.8, 12.4 and 13.0); a driver needs at least libc (535 and 550).
bool is_link_stub(const std::string& path, const ElfReader& reader) {
  if (!reader.needs_libraries()) return true;
  char real[PATH_MAX];
  return realpath(path.c_str(), real) != nullptr &&
         anycuda::name_of(anycuda::folder_of(real)) == "stubs";
}

void read_library(const std::string& path, int descriptor, const Component& component, Arena* arena,
                  FileAnswer* answer) {
  ElfReader reader(descriptor, static_cast<std::size_t>(answer->size), *arena);
  answer->state = reader.open();
  if (answer->usable()) answer->state = reader.read_dynamic();
  answer->error = reader.error();
  if (!answer->usable()) return;
  bool stub = false;
  reader.each_version_definition(
      [&](const char* name) { stub = stub || std::strcmp(name, kStubSymbolVersion) == 0; });
  if (stub) {
    answer->state = FileState::anycuda_stub;
    return;
  }
  // Some builds have no SONAME; then the file's name is all there is.
  const std::string_view soname = reader.soname();
  if (!soname.empty() && !component.files.contains(soname)) {
    answer->state = FileState::other_library;
    answer->soname = soname;
  } else if (component.packaging == Packaging::driver && is_link_stub(path, reader)) {
    answer->state = FileState::link_stub;
  }
}

void read_content(const std::string& path, const Component& component, Arena* arena,
                  FileAnswer* answer) {
  // Programs may be allowed to run and not to be read.
  if (component.kind == Kind::program) return;
  const Uncancelled uncancelled;  // ElfReader has no unwind tables
  const OpenFile file(path);
  struct stat status;
  if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0) {
    answer->state = FileState::unreadable;
    answer->error = errno;
    return;
  }
  if (component.kind != Kind::dynamic_library) return;
  answer->size = status.st_size;
  const std::size_t mark = arena->mark();
  read_library(path, file.descriptor(), component, arena, answer);
  arena->rewind(mark);
}

FileAnswer unreachable(const std::string& path, int error) {
  FileAnswer answer;
  answer.error = error;
  struct stat status;
  if (error == ENOENT || error == ENOTDIR) {
    answer.is_link = lstat(path.c_str(), &status) == 0;
  } else {
    answer.state = FileState::unreadable;  // a loop of links, a closed folder, too long a name
  }
  return answer;
}

}  // namespace

FileAnswer examine_file(const std::string& path, const Component& component, Arena* arena) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return unreachable(path, errno);
  FileAnswer answer;
  answer.device = status.st_dev;
  answer.inode = status.st_ino;
  answer.mode = status.st_mode;
  answer.size = status.st_size;
  if (!S_ISREG(status.st_mode)) {
    answer.state = FileState::not_a_file;
  } else if (status.st_size == 0) {
    answer.state = FileState::truncated;
  } else {
    answer.state = FileState::usable;
    read_content(path, component, arena, &answer);
  }
  answer.runnable = answer.usable() && faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
  return answer;
}

}  // namespace anycuda::compat
