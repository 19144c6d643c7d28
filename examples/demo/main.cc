// SPDX-License-Identifier: Apache-2.0

// The main job: programs that were each built once, against CUDA 11, 12 or 13, on machines with
// other CUDAs, without a GPU. Prints tables (machine x program) and ends with status 1 if any field
// is not as facts.cc expects.

#include <cstdio>
#include <cstring>
#include <exception>

#include "show.h"

int main(int argc, char** argv) {
  const bool native = argc == 2 && std::strcmp(argv[1], "--native") == 0;
  if (argc > 1 && !native) {
    std::fprintf(
        stderr,
        "usage: %s [--native]\n"
        "  --native  the programs as they were built, without stubs, each on its own CUDA\n",
        argv[0]);
    return 2;
  }
  try {
    anycuda::demo::Demo demo(native ? ANYCUDA_DEMO_NATIVE : ANYCUDA_DEMO_PROGRAMS, native);
    return demo.run() ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "\ndemo: %s\n", problem.what());
    return 1;
  }
}
