// SPDX-License-Identifier: Apache-2.0
#include "linker/inputs/file_head.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace anycuda::linker {
namespace {

class File {
 public:
  explicit File(const char* path) : number_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

FileHead failed() { return {{}, 0, std::string("cannot be read (") + std::strerror(errno) + ")"}; }

}  // namespace

FileHead read_head(const char* path, std::size_t most) {
  const File file(path);
  if (file.number() < 0) return failed();
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return failed();
  if (!S_ISREG(status.st_mode)) return {{}, 0, "is not a regular file"};
  FileHead head;
  head.size = static_cast<std::uint64_t>(status.st_size);
  head.bytes.resize(std::min(most, static_cast<std::size_t>(head.size)));
  std::size_t have = 0;
  while (have < head.bytes.size()) {
    const ssize_t got = read(file.number(), head.bytes.data() + have, head.bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) break;  // it became shorter
    have += static_cast<std::size_t>(got);
  }
  head.bytes.resize(have);
  return head;
}

}  // namespace anycuda::linker
