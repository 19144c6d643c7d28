// SPDX-License-Identifier: Apache-2.0

// Starts one test in the tests' own world: README.md, "How a test gets its world".
//
//   anycuda_world <folder> [--hide PATTERN] [NAME=VALUE ...] -- <program> [argument ...]
//
// The program gets the variables named here and no others. For root the folders with CUDA of this
// computer are empty while it runs. Other users cannot hide a folder, so the results must be right
// with them, too.
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "this_computer.h"

namespace {

// Variables for the person who runs the tests, and the sanitizers' options.
constexpr const char* kPassedOn[] = {"ANYCUDA_KEEP_MACHINES", "ANYCUDA_UPDATE_PAGE",
                                     "ANYCUDA_WHEEL_FILE",    "ASAN_OPTIONS",
                                     "TSAN_OPTIONS",          "UBSAN_OPTIONS"};

// Where installers put CUDA, beside the folders of the system's own libraries.
const std::vector<const char*> kHidden = {"/usr/local/cuda*", "/usr/local/nvidia", "/opt/cuda*",
                                          "/opt/nvidia", "/usr/lib/cuda*"};

bool is_inside(const std::string& path, const std::string& folder) {
  return path.compare(0, folder.size(), folder) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

// `used`: what the test itself needs, and what is therefore not hidden.
void hide(const std::vector<const char*>& patterns, const std::vector<std::string>& used) {
  if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0) return;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
  for (const char* pattern : patterns) {
    glob_t found;
    if (glob(pattern, 0, nullptr, &found) != 0) continue;
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      char* const real = realpath(found.gl_pathv[i], nullptr);
      if (real == nullptr) continue;
      bool needed = false;
      for (const std::string& path : used) needed = needed || is_inside(path, real);
      if (!needed) mount("none", real, "tmpfs", MS_RDONLY, "mode=755");
      std::free(real);
    }
    globfree(&found);
  }
}

// LD_AUDIT takes no path of 255 bytes or more (glibc's rtld.c): a link to the file, in a directory
// of this user's.
std::string short_path(const std::string& file) {
  if (file.size() < 255) return file;
  const std::string folder = "/tmp/anycuda-world-" + std::to_string(geteuid());
  mkdir(folder.c_str(), 0700);
  struct stat about;
  const bool mine = lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                    about.st_uid == geteuid() && (about.st_mode & 022) == 0;
  const std::string link = folder + "/" + std::to_string(std::hash<std::string>()(file)) + ".so";
  const std::string made = link + "." + std::to_string(getpid());
  if (!mine || symlink(file.c_str(), made.c_str()) != 0 ||
      rename(made.c_str(), link.c_str()) != 0) {
    std::fprintf(stderr,
                 "anycuda_world: cannot link %s to %s: programs will see this computer's CUDA\n",
                 link.c_str(), file.c_str());
  }
  return link;
}

std::string real(const char* path) {
  char* const found = realpath(path, nullptr);
  const std::string result = found != nullptr ? found : path;
  std::free(found);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  int at = 2;
  while (at < argc && std::strcmp(argv[at], "--") != 0) ++at;
  if (argc < 2 || at + 1 >= argc) {
    std::fprintf(stderr,
                 "usage: anycuda_world FOLDER [--hide PATTERN] [NAME=VALUE ...] -- PROGRAM "
                 "[ARGUMENT ...]\n");
    return 2;
  }
  int first = 2;
  std::vector<const char*> hidden = kHidden;
  if (std::strcmp(argv[first], "--hide") == 0) {
    hidden.push_back(argv[first + 1]);
    first += 2;
  }
  const std::string home = std::string(argv[1]) + "/home";
  char** const command = argv + at + 1;

  std::vector<std::string> passed_on;
  for (const char* name : kPassedOn) {
    if (const char* value = std::getenv(name)) passed_on.push_back(std::string(name) + "=" + value);
  }
  clearenv();
  for (const std::string& variable : passed_on) putenv(strdup(variable.c_str()));
  setenv("HOME", home.c_str(), 1);
  setenv("PATH", ANYCUDA_WORLD_PATH, 1);
  setenv("LANG", "C.UTF-8", 1);
  if (anycuda::test::computer_has_cuda()) {
    setenv("ANYCUDA_FENCE", short_path(ANYCUDA_TEST_FENCE).c_str(), 1);
  }
  for (int i = first; i < at; ++i) putenv(argv[i]);

  std::vector<std::string> used = {real(argv[1]), real(command[0]), real(ANYCUDA_SOURCE_DIR)};
  if (const char* cache = std::getenv("ANYCUDA_CACHE")) used.push_back(real(cache));
  hide(hidden, used);
  execvp(command[0], command);
  std::fprintf(stderr, "anycuda_world: cannot run %s: %s\n", command[0], std::strerror(errno));
  return 127;
}
