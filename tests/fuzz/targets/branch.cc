// SPDX-License-Identifier: Apache-2.0

// The driver's branch, and the calls of NVML. Input: a byte that selects the failure, then the text
// of nvmlSystemGetDriverVersion.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "compat/metadata/driver/nvml.h"
#include "tests/fuzz/check.h"

namespace {

using anycuda::fuzz::must;

struct Driver {
  std::string version;
  int failing = 0;  // bit 0: init, 1: driver_version, 2: shutdown
  int open = 0;
};
Driver driver;

int init() {
  if ((driver.failing & 1) != 0) return 1;
  ++driver.open;
  return 0;
}
int version(char* text, unsigned int size) {
  // A library that forgets the end of a text that is too long.
  std::memcpy(text, driver.version.data(), std::min<std::size_t>(driver.version.size(), size));
  return (driver.failing & 2) != 0 ? 2 : 0;
}
int end() {
  --driver.open;
  return (driver.failing & 4) != 0 ? 4 : 0;
}

void check_branch(const std::string& text) {
  const int branch = anycuda::branch_of(text.c_str());
  must(branch >= 0 && branch < 100000, "a branch is a small number");
  if (branch == 0) return;
  const std::string digits = text.substr(0, text.find('.'));
  must(digits.find_first_not_of("0123456789") == std::string::npos && std::stoi(digits) == branch,
       "a branch is the number before the first dot");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  driver = {std::string(reinterpret_cast<const char*>(data) + 1, size - 1), data[0] & 7, 0};
  check_branch(driver.version);
  const anycuda::NvmlAnswer answer = anycuda::ask_branch({init, version, end, nullptr});
  must(driver.open == 0, "each success of init is followed by one shutdown");
  must((answer.branch == 0) == (answer.failed != anycuda::NvmlStep::none),
       "there is a branch, or a step that failed");
  must((answer.branch == 0) == (answer.version[0] == '\0'), "a branch has its full version");
  must(driver.failing == 0 || answer.failed != anycuda::NvmlStep::none, "a failure is reported");
  return 0;
}
