// SPDX-License-Identifier: Apache-2.0
#include "compat/doctor/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace anycuda::doctor {
namespace {

constexpr int kMostLinks = 40;  // that the kernel follows (path_resolution(7))

}  // namespace

int read_text(const char* path, char* buffer, std::size_t size) {
  buffer[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return errno;
  struct stat status;
  int error = fstat(file, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : EINVAL;
  std::size_t used = 0;
  while (error == 0 && used < size - 1) {
    const ssize_t count = read(file, buffer + used, size - 1 - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) error = errno;
    if (count <= 0) break;
    used += static_cast<std::size_t>(count);
  }
  buffer[used] = '\0';
  close(file);
  return error;
}

int enter_folder(const char* path) {
  DIR* stream = opendir(path);
  if (stream == nullptr) return errno;
  closedir(stream);
  return access(path, X_OK) == 0 ? 0 : errno;
}

void find_blocker(const char* path, char* blocker) {
  blocker[0] = '\0';
  const std::size_t length = std::strlen(path);
  if (*path != '/' || length >= PATH_MAX) return;
  std::memcpy(blocker, path, length + 1);
  for (char* slash = blocker; (slash = std::strchr(slash + 1, '/')) != nullptr; *slash = '/') {
    *slash = '\0';
    if (access(blocker, X_OK) != 0) return;
  }
}

void find_missing_target(const char* path, char* target) {
  char link[PATH_MAX];
  target[0] = '\0';
  const std::size_t size = std::strlen(path) + 1;
  if (*path != '/' || size > PATH_MAX) return;
  std::memcpy(target, path, size);
  for (int links = 0; links < kMostLinks; ++links) {
    const ssize_t length = readlink(target, link, sizeof link - 1);
    if (length <= 0) {
      // Its last link leads to what is not there, and not to what this process may not see.
      if (links == 0 || length == 0 || errno != ENOENT) target[0] = '\0';
      return;
    }
    link[length] = '\0';
    // A relative link begins at its own folder.
    char* name = *link == '/' ? target : std::strrchr(target, '/') + 1;
    if (name - target + length >= PATH_MAX) break;
    std::memcpy(name, link, static_cast<std::size_t>(length) + 1);
  }
  target[0] = '\0';
}

}  // namespace anycuda::doctor
