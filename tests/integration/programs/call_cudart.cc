// SPDX-License-Identifier: Apache-2.0

// A program built for one CUDA major that makes the runtime calls that its arguments name
// (steps.h). Every output has a value other than zero before the call.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

#include "steps.h"

namespace {

using steps::status;
using Text = const std::string&;

constexpr int kBefore = 77;

std::string peek(Text) { return status("peek", cudaPeekAtLastError); }
std::string last(Text) { return status("last", cudaGetLastError); }

template <typename Call>
std::string number(const char* name, Call call) {
  int value = kBefore;
  const std::string result = status(name, [&] { return call(&value); });
  return result + " " + std::to_string(value);
}

std::string runtime(Text) { return number("runtime", cudaRuntimeGetVersion); }
std::string driver(Text) { return number("driver", cudaDriverGetVersion); }
std::string count(Text) { return number("count", cudaGetDeviceCount); }
std::string device(Text) { return number("device", cudaGetDevice); }

std::string set_device(Text) {
  return status("set-device", [] { return cudaSetDevice(0); });
}
std::string runtime_without_output(Text) {
  return status("runtime-no-output", [] { return cudaRuntimeGetVersion(nullptr); });
}

std::string allocate(Text) {
  void* memory = &memory;
  const std::string result = status("malloc", [&] { return cudaMalloc(&memory, 256); });
  return result + (memory == nullptr ? " null" : " not null");
}

std::string no_output(Text) {
  return status("no-output", [] { return cudaGetDeviceCount(nullptr); });
}

// The caller's own idea of the structure in a field of guard bytes: a runtime of another major
// writes past it.
std::string attributes(Text) {
  constexpr unsigned char kGuard = 0xA5;
  struct {
    cudaPointerAttributes attributes;
    unsigned char behind[256];
  } place;
  std::memset(&place, kGuard, sizeof place);
  int here = 0;
  const std::string result =
      status("attributes", [&] { return cudaPointerGetAttributes(&place.attributes, &here); });
  for (unsigned char byte : place.behind) {
    if (byte != kGuard) return result + " and wrote past the structure";
  }
  return result;
}

// Private to the release that made it: a caller of another major must not get it.
std::string table(Text) {
  const void* exported = nullptr;
  const cudaUUID_t id{};
  return status("table", [&] { return cudaGetExportTable(&exported, &id); });
}

// Came with 13.1, and nothing in an older runtime does it.
std::string not_yet(Text) {
#if CUDART_VERSION >= 13010
  unsigned long long id = 77;
  return status("not-yet", [&] { return cudaExecutionCtxGetId(nullptr, &id); });
#else
  return "not in these headers";
#endif
}

// 12.3 has the function that this needs, so on an older runtime two names are not found.
std::string capture(Text) {
#if CUDART_VERSION >= 13000
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  return status("capture", [&] {
    return cudaStreamGetCaptureInfo(nullptr, &capturing, nullptr, nullptr, nullptr, nullptr,
                                    nullptr);
  });
#else
  return "not in these headers";
#endif
}

// What the program has not read yet of the dynamic linker's messages.
std::string pending_message(Text) {
  const char* message = dlerror();
  return message != nullptr ? message : "none";
}
std::string fail_to_open(Text text) {
  return dlopen(text.c_str(), RTLD_NOW) == nullptr ? "failed" : "opened";
}

// Leaves bytes on the stack where the next function will have its own.
__attribute__((noinline)) void soil_the_stack() {
  volatile unsigned char bytes[4096];
  for (volatile unsigned char& byte : bytes) byte = 0x55;
}

__attribute__((noinline)) std::string describe_channel() {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc(8, 16, 24, 32, cudaChannelFormatKindFloat);
  std::string text;
  for (int value : {d.x, d.y, d.z, d.w, static_cast<int>(d.f)}) text += std::to_string(value) + " ";
  return text;
}

std::string channel(Text) {
  soil_the_stack();
  return describe_channel();
}

cudaError_t code(Text text) { return static_cast<cudaError_t>(std::atoi(text.c_str())); }
std::string error_name(Text text) { return cudaGetErrorName(code(text)); }
std::string error_string(Text text) { return cudaGetErrorString(code(text)); }

// "name N: text" of every code below `text` that the library knows.
std::string all_errors(Text text) {
  const std::string unknown = cudaGetErrorName(static_cast<cudaError_t>(99999));
  for (int i = 0; i < std::atoi(text.c_str()); ++i) {
    const auto error = static_cast<cudaError_t>(i);
    const std::string name = cudaGetErrorName(error);
    if (name == unknown) continue;
    steps::say(std::to_string(i), name + ", " + cudaGetErrorString(error));
  }
  return "done";
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv,
                         {{"peek", peek},
                          {"last", last},
                          {"runtime", runtime},
                          {"driver", driver},
                          {"count", count},
                          {"device", device},
                          {"set-device", set_device},
                          {"runtime-no-output", runtime_without_output},
                          {"capture", capture},
                          {"pending-message", pending_message},
                          {"fail-to-open", fail_to_open},
                          {"malloc", allocate},
                          {"no-output", no_output},
                          {"attributes", attributes},
                          {"table", table},
                          {"not-yet", not_yet},
                          {"channel", channel},
                          {"error-name", error_name},
                          {"error-string", error_string},
                          {"all-errors", all_errors}});
}
