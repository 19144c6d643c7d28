// SPDX-License-Identifier: Apache-2.0

// Where the parts of these tests lie, and how a program is run on a machine with fake libraries.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/machine.h"

namespace anycuda::test {

inline std::filesystem::path part(const std::string& path) {
  return std::filesystem::path(ANYCUDA_BINARY_DIR) / path;
}
inline std::string program(const std::string& name) { return part("programs/" + name).string(); }
inline std::string object(const std::string& name) { return part("objects/" + name + ".so"); }
// The folder of a fake library, for LD_LIBRARY_PATH.
inline std::filesystem::path fake(const std::string& name) { return part("fakes/" + name); }

constexpr bool kSanitized = THREADS_SANITIZED != 0;
// A sanitizer, an emulator or valgrind slows the programs down, and needs memory.
constexpr bool kSlowed = THREADS_SLOWED != 0;
// How often something is tried that only some timings can break: `whole` times with ANYCUDA_STRESS
// (ctest --preset long). Under a sanitizer or an emulator at most 25 times: ThreadSanitizer sees
// most races in each run.
inline int times(int whole) {
  const int tenth = (whole + 9) / 10;
  if (kSanitized) return std::min(tenth, 25);
  return kSlowed || std::getenv("ANYCUDA_STRESS") == nullptr ? tenth : whole;
}

// A program that hangs has deadlocked: nothing here works for longer than a few seconds.
constexpr std::chrono::seconds kWatchdog{kSanitized ? 240 : 30};

// A machine whose programs know what their sanitizer must know.
struct ThreadsMachine : Machine {
  ThreadsMachine() {
    if (!kSanitized) return;
    // ThreadSanitizer stops in a child of several threads without this option.
    // In quotes: a blank in a path would end the option.
    env("TSAN_OPTIONS", "die_after_fork=0:suppressions=\"" + std::string(ANYCUDA_SOURCE_DIR) +
                            "/tests/threads/tsan.supp\"");
  }
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::vector<std::string> lines_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return lines_of(text.str());
}

inline int count_of(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace anycuda::test
