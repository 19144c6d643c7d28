// SPDX-License-Identifier: Apache-2.0
#include "linker/fixture.h"

#include <unistd.h>

#include <fstream>
#include <map>

namespace gputest {

namespace {

constexpr char kKernel[] = R"(
extern "C" __device__ int twice(int value);
extern "C" __global__ void run(int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = twice(i) + 1;
}
)";
constexpr char kHelper[] = R"(
extern "C" __device__ int twice(int value) { return 2 * value; }
)";
constexpr int kCount = 512;

Output output_for(InputType type) {
  switch (type) {
    case InputType::ptx:
      return Output::ptx;
    case InputType::lto_ir:
      return Output::lto_ir;
    default:
      return Output::cubin;
  }
}

std::string compiled(const char* source, const char* name, InputType type) {
  ProgramOptions options;
  options.arch = device_arch();
  if (type != InputType::cubin) options.arch.replace(0, 3, "compute_");  // of sm_
  options.relocatable = true;
  return Program(source, name, options).compile(output_for(type));
}

void look(Check& check, CUfunction function) {
  CUdeviceptr out = 0;
  if (!DRIVER(check, cuMemAlloc(&out, kCount * sizeof(int)))) return;
  write(out, std::vector<int>(kCount, -1));
  int count = kCount;
  void* arguments[] = {&out, &count};
  if (DRIVER(check, cuLaunchKernel(function, kCount / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments,
                                   nullptr)) &&
      DRIVER(check, cuCtxSynchronize())) {
    const std::vector<int> got = read(out, kCount);
    for (int i = 0; i < kCount; ++i) {
      if (got[i] != 2 * i + 1) check.fail("number " + show(i) + " is " + show(got[i]));
    }
  }
  DRIVER(check, cuMemFree(out));
}

}  // namespace

const Code& code(InputType type) {
  static auto* all = new std::map<InputType, Code>();
  Code& made = (*all)[type];
  if (made.kernel.empty()) {
    made = {compiled(kKernel, "kernel.cu", type), compiled(kHelper, "helper.cu", type)};
  }
  return made;
}

std::vector<Input> both(InputType kernel, InputType helper) {
  return {Input::bytes(kernel, code(kernel).kernel, "the kernel"),
          Input::bytes(helper, code(helper).helper, "the helper")};
}

std::vector<Input> both(InputType type) { return both(type, type); }

void runs(Check& check, const std::string& image) {
  use_device();
  CUmodule module = nullptr;
  if (!DRIVER(check, cuModuleLoadData(&module, image.data()))) return;
  CUfunction function = nullptr;
  if (DRIVER(check, cuModuleGetFunction(&function, module, "run"))) look(check, function);
  DRIVER(check, cuModuleUnload(module));
}

std::string nvcc_made(const std::string& file) {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return "";
  std::string path = self;
  path = path.substr(0, path.rfind('/')) + "/inputs/" + file;
  return std::ifstream(path).good() ? path : "";
}

const std::vector<Way>& ways() {
  static const auto* list = new std::vector<Way>([] {
    std::vector<Way> all = {{"driver", Backend::driver}, {"chosen", std::nullopt}};
    if (has_nvjitlink()) all.insert(all.begin(), {"nvJitLink", Backend::nvjitlink});
    return all;
  }());
  return *list;
}

Options options_for(const Way& way) {
  Options options;
  options.arch = device_arch();
  options.backend = way.backend;
  return options;
}

bool has_nvjitlink() { return probe_nvjitlink().presence == Presence::usable; }

}  // namespace gputest
