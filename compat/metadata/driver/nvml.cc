// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/driver/nvml.h"

namespace anycuda {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

NvmlAnswer failure(NvmlStep step) {
  NvmlAnswer answer;
  answer.failed = step;
  return answer;
}

NvmlAnswer failure(const NvmlFunctions& nvml, NvmlStep step, int code) {
  NvmlAnswer answer = failure(step);
  answer.code = code;
  const char* text = nvml.error_string != nullptr ? nvml.error_string(code) : nullptr;
  if (text != nullptr) answer.text = text;
  return answer;
}

// Between init and shutdown.
NvmlAnswer read_branch(const NvmlFunctions& nvml) {
  NvmlAnswer answer;
  const int code = nvml.driver_version(answer.version, kDriverVersionSize);
  if (code != 0) return failure(nvml, NvmlStep::driver_version, code);
  answer.version[kDriverVersionSize - 1] = '\0';
  answer.branch = branch_of(answer.version);
  return answer.branch != 0 ? answer : failure(NvmlStep::text);
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
    return failure(NvmlStep::functions);
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
