// SPDX-License-Identifier: Apache-2.0

// Links a kernel with the installed nvJitLink.
#include <nvJitLink.h>

#include <cstdio>
#include <cstring>

int main() {
  unsigned major = 77, minor = 77;
  std::printf("version %d", nvJitLinkVersion(&major, &minor));
  std::printf(" %u.%u\n", major, minor);
  static const char ptx[] =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry twice() { ret; }\n";
  const char* options[] = {"-arch=sm_80"};
  nvJitLinkHandle linker = nullptr;
  const int created = nvJitLinkCreate(&linker, 1, options);
  std::printf("create %d, %s\n", created, linker != nullptr ? "a linker" : "none");
  if (created != 0) return 0;
  const int added = nvJitLinkAddData(linker, NVJITLINK_INPUT_PTX, ptx, sizeof ptx, "twice");
  const int linked = nvJitLinkComplete(linker);
  std::size_t size = 0;
  const int sized = nvJitLinkGetLinkedCubinSize(linker, &size);
  static char cubin[1 << 16];
  if (size < 4 || size > sizeof cubin) return 1;
  const int got = nvJitLinkGetLinkedCubin(linker, cubin);
  std::printf("link %d %d %d %d, %s\n", added, linked, sized, got,
              std::memcmp(cubin, "\177ELF", 4) == 0 ? "a cubin" : "nothing");
  std::printf("destroy %d\n", nvJitLinkDestroy(&linker));
  return 0;
}
