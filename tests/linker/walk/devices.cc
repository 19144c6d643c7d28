// SPDX-License-Identifier: Apache-2.0

// Links for the two devices of a machine, each by its own context: of one Linker in turn, and of
// one on each of two threads.
#include <cstdio>
#include <cstring>
#include <thread>

#include "jobs.h"

extern "C" {  // NOLINTBEGIN(readability-identifier-naming): the driver's
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
}  // NOLINTEND(readability-identifier-naming)

namespace walk {

using namespace anycuda::linker;

namespace {

void use(int device) {
  void* context = nullptr;
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
}

// "sm_90", by the flags of its header: CUDA 13 has the number elsewhere than CUDA 12.
std::string arch_of(const std::string& cubin) {
  constexpr std::size_t kAbi = 8;
  constexpr std::size_t kFlags = 48;
  unsigned flags = 0;
  if (cubin.size() < kFlags + sizeof flags) return "none";
  std::memcpy(&flags, cubin.data() + kFlags, sizeof flags);
  return "sm_" + std::to_string(cubin[kAbi] >= 8 ? flags >> 8 & 0xffff : flags & 0xff);
}

}  // namespace

int devices(const std::vector<Form>& forms) {
  std::vector<Input> inputs;
  for (const Form& form : forms) {
    if (form.name == "first.ptx" || form.name == "second.o") {
      inputs.push_back(Input::bytes(form.type, form.bytes, form.name));
    }
  }
  Options options;
  options.backend = Backend::nvjitlink;
  anycuda::Linker linker(inputs, options);
  for (const int device : {0, 1, 0}) {
    use(device);
    std::printf("device %d: %s\n", device, arch_of(linker.link()).c_str());
  }
  std::string archs[2];
  std::vector<std::thread> threads;
  threads.reserve(2);
  for (int device = 0; device < 2; ++device) {
    threads.emplace_back([&, device] {
      use(device);
      for (int i = 0; i < 5; ++i) {
        const std::string arch = arch_of(anycuda::Linker(inputs, options).link());
        if (archs[device].find(arch) == std::string::npos) archs[device] += arch;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("threads: %s and %s\n", archs[0].c_str(), archs[1].c_str());
  return 0;
}

}  // namespace walk
