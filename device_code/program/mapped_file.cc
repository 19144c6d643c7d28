// SPDX-License-Identifier: Apache-2.0
#include "device_code/program/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace anycuda::device_code {

MappedFile::MappedFile(const char* path) {
  // A pipe or a device must not block.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about;
  if (file < 0 || fstat(file, &about) != 0) {
    problem_ = std::strerror(errno);
  } else if (!S_ISREG(about.st_mode)) {
    problem_ = "it is not a regular file";
  } else if (about.st_size > 0) {
    const auto size = static_cast<std::size_t>(about.st_size);
    void* pages = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (pages == MAP_FAILED) {
      problem_ = std::strerror(errno);
    } else {
      bytes_ = {static_cast<const unsigned char*>(pages), size};
    }
  }
  if (file >= 0) close(file);
}

MappedFile::~MappedFile() {
  if (bytes_.data != nullptr) munmap(const_cast<unsigned char*>(bytes_.data), bytes_.size);
}

}  // namespace anycuda::device_code
