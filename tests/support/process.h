// SPDX-License-Identifier: Apache-2.0

// Runs a program and keeps its output: no shell, no inherited environment, never longer than its
// time limit.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace anycuda::test {

using Environment = std::map<std::string, std::string>;

struct ProcessSpec {
  std::vector<std::string> argv;  // argv[0] is the program's path
  Environment env;                // all of it: nothing is inherited
  std::filesystem::path folder;   // where it runs; empty: where we are
  std::chrono::seconds timeout{60};
  // As the kernel starts a program with another user's rights (AT_SECURE), but with this user's.
  bool secure = false;
};

struct ProcessResult {
  int status = -1;         // exit status; -1 when a signal ended the process
  int signal = 0;          // the signal that ended it, or 0
  bool timed_out = false;  // it was killed because its time was up
  std::string out;
  std::string err;

  bool ok() const { return status == 0; }
  // One sentence and both outputs, for the message of a test that failed.
  std::string describe() const;
};

// Throws std::runtime_error when the program could not be started at all.
ProcessResult run_process(const ProcessSpec& spec);

}  // namespace anycuda::test
