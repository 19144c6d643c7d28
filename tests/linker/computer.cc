// SPDX-License-Identifier: Apache-2.0
#include "computer.h"

#include <gtest/gtest.h>

#include <sstream>

namespace anycuda::test {

Computer& Computer::with_nvjitlink(const std::string& release) {
  if (!release.empty()) wheel(nvjitlink, release);
  return *this;
}

Computer& Computer::with_nvrtc(const std::string& release) {
  wheel(nvrtc, release);
  return *this;
}

Computer& Computer::with_driver(int branch) {
  if (branch != 0) driver(branch);
  return *this;
}

Computer& Computer::with_fake_driver(const std::string& fault, const std::string& version) {
  env("ANYCUDA_CUDA", LINKER_FAKE_DRIVER);
  if (!fault.empty()) env("FAKE_DRIVER", fault);
  if (!version.empty()) env("FAKE_DRIVER_VERSION", version);
  return *this;
}

std::string Computer::child(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), LINKER_CHILD);
  const ProcessResult result = run(arguments);
  EXPECT_EQ(result.status, 0) << result.describe();
  EXPECT_EQ(result.err, "") << result.describe();
  return result.out;
}

std::string Computer::walk(std::vector<std::string> arguments, std::chrono::seconds timeout) const {
  arguments.insert(arguments.begin(), LINKER_WALK);
  const ProcessResult result = run(arguments, timeout);
  EXPECT_EQ(result.status, 0) << result.describe();
  return result.out;
}

std::string forms_of(const std::string& release) { return modules_of("forms-" + release); }

std::string modules_of(const std::string& release) {
  return std::string(LINKER_INPUTS) + "/" + release;
}

std::string path_of_nvjitlink(const std::string& release) {
  const std::filesystem::path folder = Artifacts::of_this_build().folder("nvjitlink-" + release);
  const std::string major = release.substr(0, 2);
  return folder / (major == "12" ? "nvidia/nvjitlink/lib" : "nvidia/cu13/lib") /
         ("libnvJitLink.so." + major);
}

std::string after(const std::string& text, const std::string& beginning) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, beginning.size(), beginning) == 0) return line.substr(beginning.size());
  }
  return "(no such line)";
}

std::string missing(const std::vector<std::string>& artifacts) {
  for (const std::string& artifact : artifacts) {
    const std::string why = Artifacts::of_this_build().why_missing(artifact);
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace anycuda::test
