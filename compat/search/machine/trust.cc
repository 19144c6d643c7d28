// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/trust.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>

#include "compat/base/shortage.h"

namespace anycuda {

uid_t owner_of(const char* file) {
  struct stat status;
  return file != nullptr && noted(stat(file, &status)) == 0 ? status.st_uid : 0;
}

bool only_trusted_can_write(const char* path, uid_t owner) {
  struct stat status;
  if (noted(stat(path, &status)) != 0 || (status.st_mode & S_IWOTH) != 0) return false;
  const uid_t user = status.st_uid;
  if (user != 0 && user != geteuid() && user != owner) return false;
  if ((status.st_mode & S_IWGRP) == 0) return true;
  if (status.st_gid != 0 && status.st_gid != user) return false;
  // With a list of further users the bits of the group are the most that any of them may.
  return getxattr(path, "system.posix_acl_access", nullptr, 0) < 0;
}

bool only_trusted_can_write(const char* folder, const char* below, uid_t owner, Arena* arena) {
  const Scratch buffer(arena);
  char* const path = buffer.text();
  const std::size_t length = std::strlen(folder);
  if (path == nullptr || length + 1 + std::strlen(below) >= Scratch::kPath) return false;
  std::strcpy(path, folder);
  if (!only_trusted_can_write(path, owner)) return false;
  path[length] = '/';
  std::strcpy(path + length + 1, below);
  for (char* end = path + length + 1; *(end += std::strcspn(end, "/")) != '\0'; ++end) {
    *end = '\0';
    const bool trusted = only_trusted_can_write(path, owner);
    *end = '/';
    if (!trusted) return false;
  }
  return only_trusted_can_write(path, owner);
}

}  // namespace anycuda
