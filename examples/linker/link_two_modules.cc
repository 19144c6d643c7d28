// SPDX-License-Identifier: Apache-2.0

// Two modules, compiled apart into LTO-IR, are linked into one CUBIN with link-time optimisation,
// by the nvJitLink that is here, for the driver that is here, be it of the same major or a newer
// one. Where there is a GPU the result is run on it.
#include <anycuda/linker/linker.h>
#include <anycuda/linker/program.h>

#include <cstdio>
#include <string>

#include "gpu.h"

namespace {

namespace linker = anycuda::linker;

const char kKernel[] = R"(
__device__ float weight(int i);  // defined by the other module
extern "C" __global__ void weigh(float* values) { values[threadIdx.x] *= weight(threadIdx.x); }
)";
const char kWeights[] = R"(
__device__ float weight(int i) { return 0.5f * i; }
)";

linker::Code compiled(const char* source, const char* name) {
  linker::ProgramOptions options;
  options.arch = "compute_80";
  anycuda::Program program(source, name, options);
  linker::Code ir = program.compile(linker::Output::lto_ir);
  std::printf("%s: %zu bytes of LTO-IR by NVRTC %d.%d\n", name, ir.size(),
              program.nvrtc_version().major, program.nvrtc_version().minor);
  return ir;
}

std::string linked(const std::string& arch) {
  linker::Options options;
  options.arch = arch;
  options.lto = true;
  anycuda::Linker both({compiled(kKernel, "kernel.cu"), compiled(kWeights, "weights.cu")}, options);
  std::printf("%s\n", both.selection_reason().c_str());
  return both.link();
}

// The kernel is there, and the function of the other module became a part of it.
bool is_right(const std::string& cubin) {
  return cubin.find("weigh") != std::string::npos && cubin.find("_Z6weighti") == std::string::npos;
}

}  // namespace

int main() {
  try {
    // The probe prints nothing without a driver, while a call of the stub would print a message.
    std::string problem = linker::probe_driver().problem;
    example::Gpu gpu;
    if (problem.empty()) problem = gpu.open();
    const std::string cubin = linked(problem.empty() ? gpu.arch() : "sm_80");
    std::printf("%zu bytes of CUBIN\n", cubin.size());
    if (!is_right(cubin)) {
      std::printf("the modules were not optimised as one\n");
      return 1;
    }
    if (!problem.empty()) {
      std::printf("no GPU to run it on: %s\n", problem.c_str());
      return 0;
    }
    const bool good = gpu.weighs(cubin);
    std::printf("on the GPU: %s\n", good ? "the numbers are right" : "WRONG NUMBERS");
    return good ? 0 : 1;
  } catch (const linker::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
