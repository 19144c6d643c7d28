#include "compat/library/find_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "compat/search/elf/classify.h"
#include "compat/search/elf/elf_reader.h"

namespace anycuda::compat {
namespace {

std::string words_of(int error) { return std::generic_category().message(error); }

class OpenFile {
 public:
  // O_NONBLOCK: a pipe that took the file's place meanwhile must not hold the program up.
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

std::string words_of(FileState state, int error) {
  switch (state) {
    case FileState::not_elf:
      return "is no ELF file";
    case FileState::other_architecture:
      return "is for another CPU";
    case FileState::truncated:
      return "is cut short";
    case FileState::out_of_memory:
      return "could not be examined: out of memory";
    case FileState::unreadable:
      return "could not be read (" + words_of(error) + ")";
    default:
      return "is no shared library";
  }
}

std::string problem_of_library(int descriptor, std::size_t size, const Piece& piece, Arena* arena) {
  ElfReader reader(descriptor, size, *arena);
  FileState state = reader.open();
  if (state == FileState::usable) state = reader.read_dynamic();
  if (state != FileState::usable) return words_of(state, reader.error());
  bool stub = false;
  reader.each_version_definition(
      [&](const char* name) { stub = stub || std::strcmp(name, kStubNode) == 0; });
  if (stub) return "is a stub of anycuda's";
  // Some builds have no SONAME; then the file's name is all there is.
  const std::string_view soname = reader.soname();
  if (soname.empty() || piece.files.contains(soname)) return "";
  return "is another library: it calls itself " + std::string(soname);
}

// Programs may be allowed to run and not to be read.
std::string problem_of_content(const std::string& path, const Piece& piece, Arena* arena) {
  if (piece.kind == Kind::program) return "";
  const OpenFile file(path);
  struct stat status;
  if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0) {
    return "cannot be read (" + words_of(errno) + ")";
  }
  if (piece.kind != Kind::dynamic_library) return "";
  const std::size_t mark = arena->mark();
  std::string problem =
      problem_of_library(file.descriptor(), static_cast<std::size_t>(status.st_size), piece, arena);
  arena->rewind(mark);
  return problem;
}

const char* kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "is a folder";
  if (S_ISFIFO(mode)) return "is a pipe";
  if (S_ISSOCK(mode)) return "is a socket";
  return "is a device";
}

std::string problem_of_look_up(const std::string& path, int error) {
  struct stat status;
  if (error == ENOENT || error == ENOTDIR) {
    return lstat(path.c_str(), &status) == 0 ? "is a link that leads nowhere" : "";
  }
  return words_of(error);  // a loop of links, a folder that may not be entered, too long a name
}

}  // namespace

FileAnswer examine_file(const std::string& path, const Piece& piece, Arena* arena) {
  FileAnswer answer;
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    answer.problem = problem_of_look_up(path, errno);
    return answer;
  }
  answer.device = status.st_dev;
  answer.inode = status.st_ino;
  if (!S_ISREG(status.st_mode)) {
    answer.problem = kind_of_file(status.st_mode);
  } else if (status.st_size == 0) {
    answer.problem = "is empty";
  } else {
    answer.problem = problem_of_content(path, piece, arena);
  }
  answer.usable = answer.problem.empty();
  answer.runnable = answer.usable && faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
  return answer;
}

}  // namespace anycuda::compat
