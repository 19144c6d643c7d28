// SPDX-License-Identifier: Apache-2.0

// A program that was built for one CUDA major and compiles with NVRTC (steps.h).
#include <nvrtc.h>

#include <fstream>
#include <sstream>

#include "steps.h"

namespace {

using Text = const std::string&;

const char kSource[] =
    "extern \"C\" __device__ int helper(int x) { return x * 3 + 1; }\n"
    "extern \"C\" __global__ void kernel(int* out) { out[threadIdx.x] = helper(threadIdx.x); }\n";

nvrtcProgram program;

// "compile:-arch=sm_80 -dlto"
std::string compile(Text text) {
  std::istringstream words(text);
  std::vector<std::string> options;
  for (std::string word; words >> word;) options.push_back(word);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  // A compiler changes errno as it likes.
  const nvrtcResult made = nvrtcCreateProgram(&program, kSource, "x.cu", 0, nullptr, nullptr);
  if (made != NVRTC_SUCCESS) return "no program: " + std::to_string(made);
  return std::to_string(
      nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data()));
}

// Two statuses, for the size and for the content; "none" if the size is 0. What came goes into a
// file.
template <typename Size, typename Get>
std::string output(const char* name, Text file, Size size_of, Get get) {
  std::size_t size = 77;
  const std::string result = steps::status(name, [&] { return size_of(program, &size); });
  if (size == 0) return result + " none";
  std::string content(size, '\0');
  const std::string got = steps::status(name, [&] { return get(program, content.data()); });
  if (got == "0") std::ofstream(file, std::ios::binary) << content;
  return result + " " + got;
}

std::string ptx(Text file) { return output("ptx", file, nvrtcGetPTXSize, nvrtcGetPTX); }
std::string cubin(Text file) { return output("cubin", file, nvrtcGetCUBINSize, nvrtcGetCUBIN); }
#if PROGRAM_MAJOR >= 12
std::string ltoir(Text file) { return output("ltoir", file, nvrtcGetLTOIRSize, nvrtcGetLTOIR); }
#endif
#if PROGRAM_MAJOR <= 12
std::string nvvm(Text file) { return output("nvvm", file, nvrtcGetNVVMSize, nvrtcGetNVVM); }
#endif

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv, {
    {"compile", compile},
#if PROGRAM_MAJOR >= 12
        {"ltoir", ltoir},
#endif
#if PROGRAM_MAJOR <= 12
        {"nvvm", nvvm},
#endif
        {"ptx", ptx}, {
      "cubin", cubin
    }
  });
}
