// The NVRTC that the nvrtc stub uses, as probe.h has nvJitLink.
#pragma once

#include <string>

namespace anycuda::linker {

struct NvrtcProbe {
  void* handle = nullptr;  // nullptr: there is none
  std::string path;
  std::string reason;  // why there is none
};
NvrtcProbe probe_nvrtc();

}  // namespace anycuda::linker
