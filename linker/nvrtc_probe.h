// SPDX-License-Identifier: Apache-2.0

// The NVRTC that the nvrtc stub uses; see probe.h for nvJitLink.
#pragma once

#include <string>

namespace anycuda::linker {

struct NvrtcProbe {
  void* handle = nullptr;  // nullptr: not usable
  std::string path;
  std::string reason;  // why it is not usable
};
NvrtcProbe probe_nvrtc();

}  // namespace anycuda::linker
