// SPDX-License-Identifier: Apache-2.0

// What the programs share: each makes the calls that its arguments name, in that order, and prints
// one "name: value" line for each, so that a test reads like a list of what a program did.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace steps {

struct Step {
  const char* name;
  std::string (*make)(const std::string& argument);  // the text behind "name:" in the argument
};

inline void say(const std::string& name, const std::string& value) {
  std::printf("%s: %s\n", name.c_str(), value.c_str());
  std::fflush(stdout);  // at once: if a later step crashes, the earlier ones must still be there
}

// Makes a call with a known errno and reports a change of it.
constexpr int kErrno = 77;
template <typename Call>
std::string status(const char* name, Call call) {
  errno = kErrno;
  const int result = static_cast<int>(call());
  const int after = errno;
  if (after != kErrno) say(std::string(name) + " changed errno", std::to_string(after));
  return std::to_string(result);
}

// Files of the loaded CUDA libraries whose name contains `part`, without the stubs.
inline std::string loaded(const std::string& part) {
  struct Look {
    const std::string& part;
    std::string found;
  } look{part, ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* wanted = static_cast<Look*>(data);
        const std::string path = info->dlpi_name;
        const std::string file = path.substr(path.rfind('/') + 1);
        const bool ours = file.find("_stub.so") != std::string::npos ||
                          path.find("/dropin/") != std::string::npos;
        if (!ours && file.find(wanted->part) != std::string::npos) {
          wanted->found += (wanted->found.empty() ? "" : " ") + path;
        }
        return 0;
      },
      &look);
  return look.found.empty() ? "none" : look.found;
}

inline std::string open_file(const std::string& file) {
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr ? "yes" : dlerror();
}

inline std::string open_globally(const std::string& file) {
  return dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr ? "yes" : dlerror();
}

// "TARGET=LINK": the symbolic link LINK, made while the program runs.
inline std::string make_link(const std::string& text) {
  const std::size_t equals = text.find('=');
  const int result = symlink(text.substr(0, equals).c_str(), text.substr(equals + 1).c_str());
  return result == 0 ? "yes" : std::strerror(errno);
}

inline std::string change_folder(const std::string& folder) {
  return chdir(folder.c_str()) == 0 ? "yes" : std::strerror(errno);
}

inline std::string secure(const std::string&) { return std::to_string(getauxval(AT_SECURE)); }

// From here on stderr is a pipe without a reader, and SIGPIPE has its default action.
inline std::string break_stderr(const std::string&) {
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0) return std::strerror(errno);
  close(ends[0]);
  close(ends[1]);
  return signal(SIGPIPE, SIG_DFL) != SIG_ERR ? "done" : std::strerror(errno);
}

// Blocks SIGPIPE, and raises it if the argument is "raise".
inline std::string block_pipe_signal(const std::string& text) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  if (text == "raise") raise(SIGPIPE);
  return "done";
}

inline std::string pipe_signal(const std::string&) {
  sigset_t mask;
  sigset_t pending;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  sigpending(&pending);
  return std::string(sigismember(&mask, SIGPIPE) == 1 ? "blocked" : "open") +
         (sigismember(&pending, SIGPIPE) == 1 ? ", pending" : "");
}

inline const std::vector<Step>& common() {
  static const std::vector<Step> all = {{"loaded", loaded},
                                        {"open", open_file},
                                        {"open-globally", open_globally},
                                        {"link", make_link},
                                        {"chdir", change_folder},
                                        {"secure", secure},
                                        {"break-stderr", break_stderr},
                                        {"block-pipe-signal", block_pipe_signal},
                                        {"pipe-signal", pipe_signal}};
  return all;
}

inline bool make(const std::vector<Step>& known, const std::string& argument) {
  const std::size_t colon = argument.find(':');
  const std::string name = argument.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : argument.substr(colon + 1);
  if (name == "in-thread") {
    bool made = false;
    std::thread([&] { made = make(known, rest); }).join();
    return made;
  }
  for (const std::vector<Step>* list : {&known, &common()}) {
    for (const Step& step : *list) {
      if (name != step.name) continue;
      say(name, step.make(rest));
      return true;
    }
  }
  std::fprintf(stderr, "no step is called '%s'\n", name.c_str());
  return false;
}

inline int make_all(int argc, char** argv, const std::vector<Step>& known) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;  // an option of the Python that the program plays
    if (!make(known, argv[i])) return 2;
  }
  return 0;
}

}  // namespace steps
