// SPDX-License-Identifier: Apache-2.0

// Libraries of kernels that a program loads itself (12.8 on): from memory, from a file.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels.h"
#include "later.h"
#include "support.h"
#include "topics.h"

#if CUDART_VERSION >= 12020

namespace conformance {

namespace {

constexpr char kCode[] = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .global .align 4 .u32 seven = 7;
.visible .global .attribute(.managed) .align 4 .u32 nine = 9;
.visible .entry add_seven(.param .u64 to)
{
  .reg .u32 %n<4>;
  .reg .u64 %p<4>;
  ld.param.u64 %p1, [to];
  cvta.to.global.u64 %p2, %p1;
  mov.u32 %n1, %tid.x;
  mul.wide.u32 %p3, %n1, 4;
  add.u64 %p2, %p2, %p3;
  ld.global.u32 %n2, [%p2];
  ld.global.u32 %n3, [seven];
  add.u32 %n2, %n2, %n3;
  st.global.u32 [%p2], %n2;
  ret;
}
.visible .entry nothing()
{
  ret;
}
)";

#if CUDART_VERSION < 12080
using cudaLibrary_t = struct Library*;
const Later<cudaLibrary_t*, const void*, int*, void**, unsigned, int*, void**, unsigned>
    cudaLibraryLoadData("cudaLibraryLoadData");
const Later<cudaLibrary_t*, const char*, int*, void**, unsigned, int*, void**, unsigned>
    cudaLibraryLoadFromFile("cudaLibraryLoadFromFile");
const Later<cudaLibrary_t> cudaLibraryUnload("cudaLibraryUnload");
const Later<cudaKernel_t*, cudaLibrary_t, const char*> cudaLibraryGetKernel("cudaLibraryGetKernel");
const Later<void**, std::size_t*, cudaLibrary_t, const char*> cudaLibraryGetGlobal(
    "cudaLibraryGetGlobal");
const Later<void**, std::size_t*, cudaLibrary_t, const char*> cudaLibraryGetManaged(
    "cudaLibraryGetManaged");
const Later<void**, cudaLibrary_t, const char*> cudaLibraryGetUnifiedFunction(
    "cudaLibraryGetUnifiedFunction");
const Later<unsigned*, cudaLibrary_t> cudaLibraryGetKernelCount("cudaLibraryGetKernelCount");
const Later<cudaKernel_t*, unsigned, cudaLibrary_t> cudaLibraryEnumerateKernels(
    "cudaLibraryEnumerateKernels");
const Later<cudaKernel_t, cudaFuncAttribute, int, int> cudaKernelSetAttributeForDevice(
    "cudaKernelSetAttributeForDevice");
#endif

void launch(Check& check, cudaKernel_t kernel) {
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  int* to = data.get();
  void* arguments[] = {&to};
  CALL(check, cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(kCount),
                               arguments, 0, nullptr));
  data.expect("after the library's kernel", 7);
}

void variables(Check& check, cudaLibrary_t library) {
  Guarded<void*> place;
  Guarded<std::size_t> bytes;
  if (CALL(check, cudaLibraryGetGlobal(place.get(), bytes.get(), library, "seven"))) {
    EQUAL(check, *bytes, 4U);
    int seven = 0;
    CALL(check, cudaMemcpy(&seven, *place, sizeof seven, cudaMemcpyDeviceToHost));
    EQUAL(check, seven, 7);
  }
  INTACT(check, place);
  INTACT(check, bytes);
  if (check && CALL(check, cudaLibraryGetManaged(place.get(), bytes.get(), library, "nine"))) {
    EQUAL(check, *bytes, 4U);
    EQUAL(check, *static_cast<int*>(*place), 9);
  }
  INTACT(check, place);
  INTACT(check, bytes);
  if (check) {
    STATUS(check, "no_such_global",
           cudaLibraryGetGlobal(place.get(), bytes.get(), library, "nobody"));
    STATUS(check, "no_such_function",
           cudaLibraryGetUnifiedFunction(place.get(), library, "nobody"));
  }
}

void kernels(Check& check, cudaLibrary_t library) {
  Guarded<unsigned> count;
  CALL(check, cudaLibraryGetKernelCount(count.get(), library));
  INTACT(check, count);
  EQUAL(check, *count, 2U);
  Guarded<cudaKernel_t[2]> all;
  CALL(check, cudaLibraryEnumerateKernels(*all, 2, library));
  INTACT(check, all);
  Guarded<cudaKernel_t> kernel;
  if (!CALL(check, cudaLibraryGetKernel(kernel.get(), library, "add_seven"))) return;
  INTACT(check, kernel);
  EXPECT(check, (*all)[0] == *kernel || (*all)[1] == *kernel);
  CALL(check, cudaKernelSetAttributeForDevice(*kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              64 * 1024, 0));
  launch(check, *kernel);
  if (check) STATUS(check, "no_such_kernel", cudaLibraryGetKernel(kernel.get(), library, "nobody"));
}

void from_memory() {
  Check check("libraries.from_memory");
  Guarded<cudaLibrary_t> library;
  if (!CALL(check,
            cudaLibraryLoadData(library.get(), kCode, nullptr, nullptr, 0, nullptr, nullptr, 0))) {
    return;
  }
  INTACT(check, library);
  kernels(check, *library);
  if (check) variables(check, *library);
  CALL(check, cudaLibraryUnload(*library));
}

void from_file() {
  Check check("libraries.from_file");
  char name[] = "/tmp/conformance-XXXXXX";
  const int descriptor = mkstemp(name);
  if (descriptor < 0) return check.fail("no temporary file");
  EQUAL(check, write(descriptor, kCode, sizeof kCode - 1), static_cast<ssize_t>(sizeof kCode - 1));
  close(descriptor);
  cudaLibrary_t library = nullptr;
  if (CALL(check,
           cudaLibraryLoadFromFile(&library, name, nullptr, nullptr, 0, nullptr, nullptr, 0))) {
    cudaKernel_t kernel = nullptr;
    if (CALL(check, cudaLibraryGetKernel(&kernel, library, "add_seven"))) launch(check, kernel);
    CALL(check, cudaLibraryUnload(library));
  }
  unlink(name);
}

}  // namespace

void libraries() {
  from_memory();
  from_file();
}

}  // namespace conformance

#endif
