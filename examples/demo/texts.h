// SPDX-License-Identifier: Apache-2.0

// What the demo says around its tables.
#pragma once

namespace anycuda::demo {

inline constexpr char kIntroduction[] =
    R"text(anycuda: programs built once, on machines with another CUDA

Each program below was compiled three times, with the real headers and libraries of CUDA
11.8, 12.9 and 13.5; then the name of the CUDA library in it was replaced by that of the
anycuda stub. The machines hold the real libraries as pip installs them. None has a GPU.
)text";

inline constexpr char kNativeIntroduction[] =
    R"text(anycuda: the demo's programs without anycuda, each on the CUDA that it was built for

What the tables expect is what the real libraries say here.
)text";

inline constexpr char kLegend[] =
    R"text(How to read this
  error 35   cudaErrorInsufficientDriver: what any CUDA program gets where there is no driver,
             one that is too old, or no CUDA at all. It has started, and can do without.
  error 100  cudaErrorNoDevice: the real runtime has asked the real driver, and there is no GPU.
  error 11   NVRTC_ERROR_INTERNAL_ERROR, as there is no NVRTC.
  error 6    NVJITLINK_ERROR_INTERNAL, as there is no nvJitLink: it came with CUDA 12.
  all three  the newest that fits: 13.5, or 12.9 where the driver is too old for CUDA 13; a linker
             of the CUDA that the program was built for.
  driver too old  for every CUDA that is installed: none is loaded.
  libcudart.so.11.0 without "(11.8)": that runtime tells its version only where a GPU is; to
             programs of CUDA 12 and 13, whose runtimes always tell it, the stub does.
)text";

inline constexpr char kMismatchLegend[] =
    R"text(  error 803  cudaErrorSystemDriverMismatch: this computer's driver, %s, has another
             version than the machines' driver library: reported instead of error 100.
)text";

inline constexpr char kReportTitle[] =
    "What such a program tells its user, once, where no CUDA is installed:";

}  // namespace anycuda::demo
