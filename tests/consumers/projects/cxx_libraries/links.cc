// SPDX-License-Identifier: Apache-2.0
#include <anycuda/linker/linker.h>
#ifdef WITH_NVRTC
#include <nvrtc.h>
#endif

#include <cstdio>

int main() {
#ifdef WITH_NVRTC
  int major = 0;
  int minor = 0;
  const int status = nvrtcVersion(&major, &minor);
  std::printf("nvrtc %d %d.%d\n", status, major, minor);
#endif
  using namespace anycuda::linker;
  try {
    Options options;
    options.arch = "sm_80";
    options.backend = Backend::nvjitlink;
    const Input input =
        Input::bytes(InputType::ptx, ".version 7.0\n.target sm_80\n.address_size 64\n", "nothing");
    std::printf("linked %zu bytes\n", anycuda::Linker({input}, options).link().size());
  } catch (const BackendError& error) {
    std::printf("refused: %s\n", error.what());
  }
}
