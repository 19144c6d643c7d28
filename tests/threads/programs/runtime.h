// SPDX-License-Identifier: Apache-2.0

// The runtime's functions as these programs call them, without NVIDIA's headers.
#pragma once

#include <cstddef>

extern "C" {
int cudaGetDeviceCount(int*);
int cudaRuntimeGetVersion(int*);
int cudaGetLastError();
int cudaPeekAtLastError();

void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterHostVar(void**, const char*, char*, std::size_t);
void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int);
void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int);
void __cudaRegisterUnifiedTable(void**, void*, void*, void*, void*);
char __cudaInitModule(void**);
}

namespace anycuda::test {

// What an nvcc-built object's constructor does for a fat binary of one kernel.
inline void** register_kernel(void* fat_binary, const char* name) {
  char* device = const_cast<char*>(name);
  void** handle = __cudaRegisterFatBinary(fat_binary);
  __cudaRegisterFunction(handle, name, device, name, -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  return handle;
}

}  // namespace anycuda::test
