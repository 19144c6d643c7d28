// SPDX-License-Identifier: Apache-2.0

// The runtime's facts about a kernel, and handles of kernels.
#include "driver.h"
#include "kernels.h"
#include "later.h"
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

__device__ int amount_to_add = 3;

__global__ void with_shared_memory(int* data, char, double factor) {
  __shared__ int sums[128];
  extern __shared__ int more[];
  sums[threadIdx.x] = data[threadIdx.x] + amount_to_add;
  more[threadIdx.x] = sums[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = static_cast<int>(more[threadIdx.x] * factor);
}

void print(Check& check, const cudaFuncAttributes& attributes) {
  check.value("sharedSizeBytes", attributes.sharedSizeBytes);
  check.value("constSizeBytes", attributes.constSizeBytes);
  check.value("localSizeBytes", attributes.localSizeBytes);
  check.value("maxThreadsPerBlock", attributes.maxThreadsPerBlock);
  check.value("numRegs", attributes.numRegs);
  check.value("ptxVersion", attributes.ptxVersion);
  check.value("binaryVersion", attributes.binaryVersion);
  check.value("cacheModeCA", attributes.cacheModeCA);
  check.value("maxDynamicSharedSizeBytes", attributes.maxDynamicSharedSizeBytes);
  check.value("preferredShmemCarveout", attributes.preferredShmemCarveout);
#if CUDART_VERSION >= 12000
  check.value("clusterDimMustBeSet", attributes.clusterDimMustBeSet);
  check.value("requiredClusterWidth", attributes.requiredClusterWidth);
  check.value("requiredClusterHeight", attributes.requiredClusterHeight);
  check.value("requiredClusterDepth", attributes.requiredClusterDepth);
  check.value("clusterSchedulingPolicyPreference", attributes.clusterSchedulingPolicyPreference);
  check.value("nonPortableClusterSizeAllowed", attributes.nonPortableClusterSizeAllowed);
#endif
}

const void* kernel() { return reinterpret_cast<const void*>(&with_shared_memory); }

void attributes() {
  {
    Check check("functions.attributes");
    Guarded<cudaFuncAttributes> got;
    if (CALL(check, cudaFuncGetAttributes(got.get(), kernel()))) print(check, *got);
    INTACT(check, got);
  }
  {
    Check check("functions.attributes_after_setting");
    CALL(check,
         cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    CALL(check, cudaFuncSetAttribute(kernel(), cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CALL(check, cudaFuncSetAttribute(kernel(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    Guarded<cudaFuncAttributes> got;
    if (!check || !CALL(check, cudaFuncGetAttributes(got.get(), kernel()))) return;
    INTACT(check, got);
    EQUAL(check, got->maxDynamicSharedSizeBytes, 100 * 1024);
    EQUAL(check, got->preferredShmemCarveout, 50);
    print(check, *got);
  }
  Check check("functions.attributes_of_nothing");
  Guarded<cudaFuncAttributes> got;
  static int no_kernel = 0;
  STATUS(check, "no_kernel", cudaFuncGetAttributes(got.get(), &no_kernel));
  INTACT(check, got);
  STATUS(check, "null", cudaFuncGetAttributes(nullptr, kernel()));
}

void launched() {
  Check check("functions.launch");
  DeviceArray<int> data(check, 128);
  if (!check) return;
  with_shared_memory<<<1, 128, 128 * sizeof(int)>>>(data.get(), 'x', 2.0);
  CALL(check, cudaGetLastError());
  data.expect("after the kernel", 6);
}

void by_symbol() {
  Check check("functions.by_symbol");
  cudaFunction_t function = nullptr;
  if (!CALL(check, cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(&add)))) return;
  const auto launch = driver_function<decltype(&::cuLaunchKernel)>(check, "cuLaunchKernel");
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Add parameters(data.get(), 5);
  EQUAL(check, launch(function, 1, 1, 1, kCount, 1, 1, 0, nullptr, parameters.arguments, nullptr),
        CUDA_SUCCESS);
  data.expect("after a launch through the driver", 5);
}

#if CUDART_VERSION >= 12000
void by_handle() {
  Check check("functions.by_handle");
  cudaKernel_t handle = nullptr;
  if (!CALL(check, cudaGetKernel(&handle, reinterpret_cast<const void*>(&add)))) return;
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Add parameters(data.get(), 7);
  CALL(check, cudaLaunchKernel(reinterpret_cast<const void*>(handle), dim3(1), dim3(kCount),
                               parameters.arguments, 0, nullptr));
  data.expect("after a launch by handle", 7);
}

void names_and_parameters() {
  {
    Check check("functions.name");
    Guarded<const char*> name;
    if (CALL(check, cudaFuncGetName(name.get(), kernel()))) check.value("name", std::string(*name));
    INTACT(check, name);
  }
  Check check("functions.parameters");
  for (std::size_t i = 0; i < 3; ++i) {
    Guarded<std::size_t> offset;
    Guarded<std::size_t> size;
    if (!CALL(check, cudaFuncGetParamInfo(kernel(), i, offset.get(), size.get()))) return;
    INTACT(check, offset);
    INTACT(check, size);
    check.value("offset" + std::to_string(i), *offset);
    check.value("size" + std::to_string(i), *size);
  }
  Guarded<std::size_t> offset;
  Guarded<std::size_t> size;
  STATUS(check, "one_too_many", cudaFuncGetParamInfo(kernel(), 3, offset.get(), size.get()));
  STATUS(check, "offset_alone", cudaFuncGetParamInfo(kernel(), 1, offset.get(), nullptr));
}
#endif

#if CUDART_VERSION >= 13000
void parameter_count() {
  Check check("functions.parameter_count");
  const Later<const void*, std::size_t*> cudaFuncGetParamCount("cudaFuncGetParamCount");
  Guarded<std::size_t> count;
  // The driver may be too old for it.
  if (STATUS(check, "status", cudaFuncGetParamCount(kernel(), count.get()))) {
    EQUAL(check, *count, 3U);
  }
  INTACT(check, count);
}
#endif

}  // namespace

void functions() {
  attributes();
  launched();
  by_symbol();
#if CUDART_VERSION >= 12000
  by_handle();
  names_and_parameters();
#endif
#if CUDART_VERSION >= 13000
  parameter_count();
#endif
}

}  // namespace conformance
