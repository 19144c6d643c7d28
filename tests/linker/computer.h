// SPDX-License-Identifier: Apache-2.0

// A machine on which linker_child does one of its jobs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/machine.h"

namespace anycuda::test {

class Computer : public Machine {
 public:
  // None of these: without it.
  Computer& with_nvjitlink(const std::string& release);
  Computer& with_nvrtc(const std::string& release);
  Computer& with_driver(int branch);
  Computer& with_fake_driver(const std::string& fault = "", const std::string& version = "");

  // Expects exit status 0 and nothing on stderr; gives stdout.
  std::string child(std::vector<std::string> arguments) const;
  // The same for the program linker_walk, which may write to stderr: nvJitLink reports some inputs
  // there.
  std::string walk(std::vector<std::string> arguments,
                   std::chrono::seconds timeout = std::chrono::seconds(120)) const;
};

// The folder with the output of this release's NVRTC for inputs/: kernel.ptx, helper.ltoir, ...
std::string modules_of(const std::string& release);
// What nvcc and the host's tools made of second.cu and first.cu: second.lto.o, first+second.a, ...
std::string forms_of(const std::string& release);
std::string path_of_nvjitlink(const std::string& release);

// The line that begins so, without that beginning; "(no such line)".
std::string after(const std::string& text, const std::string& beginning);

// Why these artifacts are not there, "" if they are.
std::string missing(const std::vector<std::string>& artifacts);

}  // namespace anycuda::test

#define NEEDS_ARTIFACTS(...)                                                        \
  do {                                                                              \
    const std::string without_artifacts_ = ::anycuda::test::missing({__VA_ARGS__}); \
    if (!without_artifacts_.empty()) GTEST_SKIP() << without_artifacts_;            \
  } while (false)
