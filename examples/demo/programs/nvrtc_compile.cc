// SPDX-License-Identifier: Apache-2.0

// Compiles a kernel while the program runs, as PyTorch, CuPy and many others do: to PTX and to a
// CUBIN for sm_90. Needs no GPU.

#include <nvrtc.h>

#include <vector>

#include "cubin.h"
#include "report.h"

namespace {

const char* const source = R"(
extern "C" __global__ void scale(float* values, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}
)";

std::string answer(nvrtcResult result) { return report::code(nvrtcGetErrorString(result), result); }

// "PTX 8.8 for sm_90 with scale", from the text itself.
std::string describe_ptx(const std::string& ptx) {
  auto word_after = [&](const std::string& directive) -> std::string {
    const size_t at = ptx.find("\n" + directive + " ");
    if (at == std::string::npos) return "";
    const size_t begin = at + directive.size() + 2;
    return ptx.substr(begin, ptx.find_first_of(" \n,", begin) - begin);
  };
  const std::string version = word_after(".version"), target = word_after(".target");
  if (version.empty() || target.empty()) return "no PTX: no .version or .target in it";
  if (ptx.find(".entry scale(") == std::string::npos) return "PTX without scale";
  return "PTX " + version + " for " + target + " with scale";
}

void report_log(nvrtcProgram program) {
  size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2) return;
  std::string log(size, '\0');
  if (nvrtcGetProgramLog(program, &log[0]) == NVRTC_SUCCESS)
    std::fprintf(stderr, "%s\n", log.c_str());
}

std::string compile() {
  nvrtcProgram program = nullptr;
  nvrtcResult result = nvrtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr);
  if (result != NVRTC_SUCCESS) return answer(result);
  const char* const options[] = {"--gpu-architecture=sm_90"};
  result = nvrtcCompileProgram(program, 1, options);
  if (result != NVRTC_SUCCESS) {
    report_log(program);
    return answer(result);
  }
  size_t size = 0;
  result = nvrtcGetPTXSize(program, &size);
  std::string ptx(size, '\0');
  if (result == NVRTC_SUCCESS) result = nvrtcGetPTX(program, &ptx[0]);
  report::fact("ptx", result == NVRTC_SUCCESS ? describe_ptx(ptx) : answer(result));

  size = 0;
  result = nvrtcGetCUBINSize(program, &size);
  std::vector<char> image(size);
  if (result == NVRTC_SUCCESS) result = nvrtcGetCUBIN(program, image.data());
  report::fact("cubin",
               result == NVRTC_SUCCESS ? cubin::describe(image, {"scale"}) : answer(result));
  return answer(nvrtcDestroyProgram(&program));
}

}  // namespace

int main() {
  int major = 0, minor = 0;
  const nvrtcResult result = nvrtcVersion(&major, &minor);
  report::fact("nvrtc", result == NVRTC_SUCCESS
                            ? std::to_string(major) + "." + std::to_string(minor)
                            : answer(result));
  report::fact("compile", compile());
  report::fact("library", report::loaded_file("libnvrtc.so"));
  return 0;
}
