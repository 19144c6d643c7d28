// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/driver/nvml.h"

namespace anycuda {
namespace {

constexpr unsigned int kVersionSize = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE

bool digit(char c) { return c >= '0' && c <= '9'; }

NvmlAnswer failure(const NvmlFunctions& nvml, NvmlStep step, int code) {
  const char* text = nvml.error_string != nullptr ? nvml.error_string(code) : nullptr;
  return {0, step, code, text != nullptr ? text : ""};
}

// Between init and shutdown.
NvmlAnswer read_branch(const NvmlFunctions& nvml) {
  char version[kVersionSize] = {};
  const int code = nvml.driver_version(version, kVersionSize);
  if (code != 0) return failure(nvml, NvmlStep::driver_version, code);
  version[kVersionSize - 1] = '\0';
  const int branch = branch_of(version);
  if (branch == 0) return {0, NvmlStep::text, 0, ""};
  return {branch, NvmlStep::none, 0, ""};
}

}  // namespace

int branch_of(const char* driver_version) {
  if (driver_version == nullptr) return 0;
  constexpr int kMost = 100000;  // far above any branch, far below an overflow
  int branch = 0;
  const char* place = driver_version;
  for (; digit(*place) && branch < kMost; ++place) branch = branch * 10 + (*place - '0');
  return branch < kMost && place[0] == '.' && digit(place[1]) ? branch : 0;
}

NvmlAnswer ask_branch(const NvmlFunctions& nvml) {
  if (nvml.init == nullptr || nvml.driver_version == nullptr || nvml.shutdown == nullptr) {
    return {0, NvmlStep::functions, 0, ""};
  }
  const int started = nvml.init();
  if (started != 0) return failure(nvml, NvmlStep::init, started);
  const NvmlAnswer answer = read_branch(nvml);
  const int ended = nvml.shutdown();
  if (ended != 0 && answer.failed == NvmlStep::none) {
    return failure(nvml, NvmlStep::shutdown, ended);
  }
  return answer;
}

const char* name_of(NvmlStep step) {
  switch (step) {
    case NvmlStep::init:
      return "nvmlInit_v2";
    case NvmlStep::driver_version:
      return "nvmlSystemGetDriverVersion";
    case NvmlStep::shutdown:
      return "nvmlShutdown";
    case NvmlStep::none:
    case NvmlStep::functions:
    case NvmlStep::text:
      break;
  }
  return "";
}

}  // namespace anycuda
