// SPDX-License-Identifier: Apache-2.0

// Runs a program without root's power over permissions:
//
//   anycuda_without_rights <folder> ... -- <program> [argument ...]
//
// For another user this only runs the program. `folder`: what the program needs. When root builds
// below another user's private folder, root without that power cannot enter it. In a private mount
// namespace an empty folder that everybody may enter then replaces the private one, and holds the
// needed folders only.
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// The first folder on the way to `path` that root enters only by its privileges; empty without one.
fs::path closed_to_root(const fs::path& path) {
  fs::path folder;
  for (const fs::path& part : path) {
    folder /= part;
    struct stat about;
    if (stat(folder.c_str(), &about) != 0) break;
    const mode_t needed = about.st_uid == 0 ? S_IXUSR : about.st_gid == 0 ? S_IXGRP : S_IXOTH;
    if ((about.st_mode & needed) == 0) return folder;
  }
  return {};
}

// Replaces `closed` by a folder with `needed`, which lie below it.
bool reopen(const fs::path& closed, const std::vector<fs::path>& needed) {
  std::vector<int> originals;
  for (const fs::path& folder : needed) {
    originals.push_back(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  if (mount("none", closed.c_str(), "tmpfs", 0, "mode=755") != 0) return false;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    std::error_code error;
    fs::create_directories(needed[i], error);
    const std::string original = "/proc/self/fd/" + std::to_string(originals[i]);
    if (mount(original.c_str(), needed[i].c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      return false;
    }
  }
  return true;
}

bool reopen_all(const std::vector<fs::path>& needed) {
  std::map<fs::path, std::vector<fs::path>> closed;
  for (const fs::path& folder : needed) {
    const fs::path at = closed_to_root(folder);
    if (!at.empty()) closed[at].push_back(folder);
  }
  if (closed.empty()) return true;
  if (unshare(CLONE_NEWNS) != 0) return false;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  for (const auto& [folder, inside] : closed) {
    if (!reopen(folder, inside)) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> needed;
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
    std::error_code error;
    const fs::path folder = fs::canonical(argv[at], error);
    if (!error) needed.push_back(folder);
  }
  if (at + 1 >= argc) {
    std::fprintf(stderr, "usage: anycuda_without_rights FOLDER ... -- PROGRAM [ARGUMENT ...]\n");
    return 2;
  }
  if (geteuid() == 0) {
    if (!reopen_all(needed)) {
      std::fprintf(stderr, "anycuda_without_rights: cannot open another user's folders: %s\n",
                   std::strerror(errno));
    }
    // What execve gives root is limited by the bounding set: capabilities(7).
    for (const int right : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) {
      if (prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0) {
        std::fprintf(stderr, "anycuda_without_rights: cannot drop capability %d: %s\n", right,
                     std::strerror(errno));
        return 126;
      }
    }
  }
  execv(argv[at + 1], argv + at + 1);
  std::fprintf(stderr, "anycuda_without_rights: cannot run %s: %s\n", argv[at + 1],
               std::strerror(errno));
  return 127;
}
