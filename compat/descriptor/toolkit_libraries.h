// SPDX-License-Identifier: Apache-2.0

// The libraries that a CUDA toolkit has: which of them an object is, and what their files are
// called in another CUDA. Made of stubs/*/library.json; without libraries that have releases of
// their own (cuDNN, NCCL).
#pragma once

#include <cstdint>

namespace anycuda {

// Does a library of NVIDIA's toolkit have such a name? (Also others: "libcurses".)
bool is_named_like_cuda(const char* soname);
// The same, without the driver, which every environment has from the system.
bool is_companion(const char* soname);

// The library whose SONAME this is, or whose stub's: its place in the list; -1: none.
int toolkit_library_of(const char* soname);
// The only CUDA major in which this is that library's SONAME; 0: none, or several.
int toolkit_major_of(int library, const char* soname);

// By the place in the list; the texts live for ever.
extern const int kToolkitLibraries;
struct ToolkitFile {
  const char* stem;          // "cudart", of libcudart.so.12
  const char* number;        // "12"; "" if it does not exist in that CUDA
  const char* wheel_folder;  // "nvidia/cuda_runtime/lib", below site-packages, before CUDA 13
};
ToolkitFile toolkit_file(int library, int cuda_major);

}  // namespace anycuda
