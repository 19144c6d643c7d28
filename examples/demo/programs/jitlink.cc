// SPDX-License-Identifier: Apache-2.0

// Links two pieces of device code into one CUBIN while the program runs: a kernel, and a function
// that the kernel calls and that only the other piece has. Needs no GPU. The PTX is written out
// here so that the program tests only nvJitLink.

#include <nvJitLink.h>

#include <vector>

#include "cubin.h"
#include "report.h"

namespace {

const char* const kernel = R"(
.version 7.8
.target sm_90
.address_size 64
.extern .func (.param .b32 result) twice (.param .b32 value);
.visible .entry scale(.param .u64 values) {
  .reg .b64 %address, %global;
  .reg .f32 %value;
  ld.param.u64 %address, [values];
  cvta.to.global.u64 %global, %address;
  ld.global.f32 %value, [%global];
  {
    .param .b32 argument;
    st.param.f32 [argument], %value;
    .param .b32 returned;
    call.uni (returned), twice, (argument);
    ld.param.f32 %value, [returned];
  }
  st.global.f32 [%global], %value;
  ret;
}
)";

const char* const function = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .func (.param .b32 result) twice (.param .b32 value) {
  .reg .f32 %value;
  ld.param.f32 %value, [value];
  add.f32 %value, %value, %value;
  st.param.f32 [result], %value;
  ret;
}
)";

// nvJitLink has no function that names its errors, so the programs that use it have a table like
// this one.
std::string answer(nvJitLinkResult result) {
  static const char* const names[] = {"NVJITLINK_SUCCESS",
                                      "NVJITLINK_ERROR_UNRECOGNIZED_OPTION",
                                      "NVJITLINK_ERROR_MISSING_ARCH",
                                      "NVJITLINK_ERROR_INVALID_INPUT",
                                      "NVJITLINK_ERROR_PTX_COMPILE",
                                      "NVJITLINK_ERROR_NVVM_COMPILE",
                                      "NVJITLINK_ERROR_INTERNAL"};
  const size_t index = static_cast<size_t>(result);
  return report::code(
      index < sizeof names / sizeof *names ? names[index] : "another nvJitLink error",
      static_cast<int>(index));
}

void report_log(nvJitLinkHandle linker) {
  size_t size = 0;
  if (nvJitLinkGetErrorLogSize(linker, &size) != NVJITLINK_SUCCESS || size < 2) return;
  std::string log(size, '\0');
  if (nvJitLinkGetErrorLog(linker, &log[0]) == NVJITLINK_SUCCESS)
    std::fprintf(stderr, "%s\n", log.c_str());
}

std::string link() {
  nvJitLinkHandle linker = nullptr;
  const char* options[] = {"-arch=sm_90"};
  nvJitLinkResult result = nvJitLinkCreate(&linker, 1, options);
  if (result != NVJITLINK_SUCCESS) return answer(result);
  for (const char* ptx : {kernel, function}) {
    // The size counts the final zero, as nvJitLink wants it for PTX.
    result = nvJitLinkAddData(linker, NVJITLINK_INPUT_PTX, ptx, strlen(ptx) + 1, "piece.ptx");
    if (result != NVJITLINK_SUCCESS) break;
  }
  if (result == NVJITLINK_SUCCESS) result = nvJitLinkComplete(linker);
  size_t size = 0;
  if (result == NVJITLINK_SUCCESS) result = nvJitLinkGetLinkedCubinSize(linker, &size);
  std::vector<char> image(size);
  if (result == NVJITLINK_SUCCESS) result = nvJitLinkGetLinkedCubin(linker, image.data());
  if (result != NVJITLINK_SUCCESS) {
    report_log(linker);
    return answer(result);
  }
  report::fact("cubin", cubin::describe(image, {"scale", "twice"}));
  return answer(nvJitLinkDestroy(&linker));
}

}  // namespace

int main() {
  unsigned major = 0, minor = 0;
  const nvJitLinkResult result = nvJitLinkVersion(&major, &minor);
  report::fact("nvjitlink", result == NVJITLINK_SUCCESS
                                ? std::to_string(major) + "." + std::to_string(minor)
                                : answer(result));
  report::fact("link", link());
  report::fact("library", report::loaded_file("libnvJitLink.so"));
  return 0;
}
