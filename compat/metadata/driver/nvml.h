// SPDX-License-Identifier: Apache-2.0

// The display driver's version and branch, as NVML reports it. Pure except for the
// caller's functions: no file, no environment, no allocation; safe from any thread, like NVML.
//
// Sources: NVML API Reference, "Initialization and Cleanup" (nvmlInit_v2 and nvmlShutdown count:
// each success needs one shutdown), "System Queries" (nvmlSystemGetDriverVersion: at most 80 bytes)
// and "Error reporting" (nvmlErrorString).
#pragma once

#include <cstdint>

namespace anycuda {

// NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE, with the end of the text.
constexpr unsigned int kDriverVersionSize = 80;

// "535.309.01" -> 535: the number before the first dot. 0 for any other text.
int branch_of(const char* driver_version);

// Functions of libnvidia-ml.so.1; nullptr where it has none.
struct NvmlFunctions {
  int (*init)() = nullptr;                               // nvmlInit_v2
  int (*driver_version)(char*, unsigned int) = nullptr;  // nvmlSystemGetDriverVersion
  int (*shutdown)() = nullptr;                           // nvmlShutdown
  const char* (*error_string)(int) = nullptr;            // nvmlErrorString; may be missing
};

enum class NvmlStep : std::uint8_t {
  none,       // nothing failed
  functions,  // one of the first three is missing
  init,
  driver_version,
  text,  // the version has no branch
  shutdown
};

// A branch and a version, or the step that failed.
struct NvmlAnswer {
  char version[kDriverVersionSize] = {};  // "535.309.01"; "" if a step failed
  int branch = 0;
  NvmlStep failed = NvmlStep::none;
  int code = 0;           // the result of that step
  const char* text = "";  // NVML's words for it; lives as long as the library does
};

// Every successful init is followed by one shutdown on every path. If a query and the shutdown
// fail, the answer names the query; if only the shutdown fails, the answer names that.
NvmlAnswer ask_branch(const NvmlFunctions& nvml);

// "nvmlInit_v2"; "" for a step that is not a function call.
const char* name_of(NvmlStep step);

}  // namespace anycuda
