// SPDX-License-Identifier: Apache-2.0
#include "linker/raw_links.h"

#include <cstdint>

// nvJitLink's functions by their plain names, which the stub exports; these tests do without its
// header.
extern "C" {
int nvJitLinkCreate(void** handle, std::uint32_t count, const char** options);
int nvJitLinkAddData(void* handle, int type, const void* data, std::size_t size, const char* name);
int nvJitLinkComplete(void* handle);
int nvJitLinkGetLinkedCubinSize(void* handle, std::size_t* size);
int nvJitLinkGetLinkedCubin(void* handle, void* cubin);
int nvJitLinkDestroy(void** handle);
}

namespace gputest {

namespace {
constexpr int kNvJitLinkCubin = 1;  // NVJITLINK_INPUT_CUBIN
}

std::string raw_driver_link(Check& check, const Code& parts, bool whole) {
  char info[4096] = {};
  char error[4096] = {};
  CUjit_option keys[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                         CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {info, reinterpret_cast<void*>(sizeof info), error,
                    reinterpret_cast<void*>(sizeof error)};
  CUlinkState state = nullptr;
  if (!DRIVER(check, cuLinkCreate(4, keys, values, &state))) return "";
  const auto add = [&](const std::string& content, const char* name) {
    DRIVER(check, cuLinkAddData(state, CU_JIT_INPUT_CUBIN, const_cast<char*>(content.data()),
                                content.size(), name, 0, nullptr, nullptr));
  };
  add(parts.kernel, "the kernel");
  if (whole) add(parts.helper, "the helper");
  void* image = nullptr;
  std::size_t size = 0;
  std::string linked;
  if (cuLinkComplete(state, &image, &size) == CUDA_SUCCESS) {
    linked.assign(static_cast<const char*>(image), size);
  }
  DRIVER(check, cuLinkDestroy(state));
  return linked;
}

std::string raw_nvjitlink_link(Check& check, const Code& parts, bool whole) {
  const std::string arch = "-arch=" + device_arch();
  const char* options[] = {arch.c_str()};
  void* handle = nullptr;
  std::string linked;
  if (!check.call("nvJitLinkCreate", nvJitLinkCreate(&handle, 1, options))) return "";
  const auto add = [&](const std::string& content, const char* name) {
    check.call("nvJitLinkAddData",
               nvJitLinkAddData(handle, kNvJitLinkCubin, content.data(), content.size(), name));
  };
  add(parts.kernel, "the kernel");
  if (whole) add(parts.helper, "the helper");
  std::size_t size = 0;
  if (nvJitLinkComplete(handle) == 0 && nvJitLinkGetLinkedCubinSize(handle, &size) == 0) {
    linked.resize(size);
    check.call("nvJitLinkGetLinkedCubin", nvJitLinkGetLinkedCubin(handle, linked.data()));
  }
  check.call("nvJitLinkDestroy", nvJitLinkDestroy(&handle));
  return linked;
}

}  // namespace gputest
