// SPDX-License-Identifier: Apache-2.0

// cudaGetDeviceProperties. Three structs go by one name: 11's (728 bytes, in 12 too under the plain
// name), 12's (its `_v2`) and 13's. Fields that only the caller's struct has are filled attribute
// by attribute: the runtimes fill each field with the attribute that stands beside it here (read in
// the machine code of 11.8, 12.9 and 13.5).
#include "cudart_adapters.h"

namespace anycuda {
namespace {

struct Field {
  std::size_t offset;
  driver::CUdevice_attribute attribute;
  int unknown = 0;  // on a driver that does not know the attribute
};

// 13 dropped these; NVIDIA's release notes name cudaDeviceGetAttribute in their place.
template <typename Properties>
constexpr Field kDroppedBy13[] = {
    {offsetof(Properties, clockRate), driver::CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
    {offsetof(Properties, deviceOverlap), driver::CU_DEVICE_ATTRIBUTE_GPU_OVERLAP},
    {offsetof(Properties, kernelExecTimeoutEnabled),
     driver::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT},
    {offsetof(Properties, computeMode), driver::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE},
    {offsetof(Properties, maxTexture1DLinear),
     driver::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH},
    {offsetof(Properties, memoryClockRate), driver::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
    {offsetof(Properties, singleToDoublePrecisionPerfRatio),
     driver::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO},
    {offsetof(Properties, cooperativeMultiDeviceLaunch),
     driver::CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH},
};

template <typename Properties>
constexpr Field kAddedBy12[] = {
    {offsetof(Properties, hostRegisterSupported),
     driver::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED},
    {offsetof(Properties, sparseCudaArraySupported),
     driver::CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED},
    {offsetof(Properties, hostRegisterReadOnlySupported),
     driver::CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED},
    {offsetof(Properties, timelineSemaphoreInteropSupported),
     driver::CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED},
    {offsetof(Properties, memoryPoolsSupported),
     driver::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
    {offsetof(Properties, gpuDirectRDMASupported),
     driver::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED},
    {offsetof(Properties, gpuDirectRDMAFlushWritesOptions),
     driver::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS},
    {offsetof(Properties, gpuDirectRDMAWritesOrdering),
     driver::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING},
    {offsetof(Properties, memoryPoolSupportedHandleTypes),
     driver::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES},
    {offsetof(Properties, deferredMappingCudaArraySupported),
     driver::CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED},
    {offsetof(Properties, ipcEventSupported), driver::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED},
    {offsetof(Properties, clusterLaunch), driver::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH},
    {offsetof(Properties, unifiedFunctionPointers),
     driver::CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS},
};

// NUMA node 0 is a node, so the absence of one is -1, as in the driver (cuda.h).
constexpr Field kAddedBy13[] = {
    {offsetof(v13::cudaDeviceProp, deviceNumaConfig), driver::CU_DEVICE_ATTRIBUTE_NUMA_CONFIG},
    {offsetof(v13::cudaDeviceProp, deviceNumaId), driver::CU_DEVICE_ATTRIBUTE_NUMA_ID, -1},
    {offsetof(v13::cudaDeviceProp, mpsEnabled), driver::CU_DEVICE_ATTRIBUTE_MPS_ENABLED},
    {offsetof(v13::cudaDeviceProp, hostNumaId), driver::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, -1},
    {offsetof(v13::cudaDeviceProp, gpuPciDeviceID), driver::CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID},
    {offsetof(v13::cudaDeviceProp, gpuPciSubsystemID),
     driver::CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID},
    {offsetof(v13::cudaDeviceProp, hostNumaMultinodeIpcSupported),
     driver::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED},
};

// cudaDeviceGetAttribute passes every number to the driver (read in the machine code of 11.8, 12.9
// and 13.5), so a runtime also answers for attributes newer than itself.
[[gnu::noinline]] void fill_each(void* properties, const Field* fields, std::size_t count,
                                 int device) {
  // Hides errors about attributes that the driver does not know.
  const KeepLastError last_error_scope;
  for (const Field* field = fields; field != fields + count; ++field) {
    int value = field->unknown;
    if (v11::cudaDeviceGetAttribute(&value, field->attribute, device) != 0) value = field->unknown;
    std::memcpy(static_cast<char*>(properties) + field->offset, &value, sizeof value);
  }
}

template <std::size_t count>
void fill(void* properties, const Field (&fields)[count], int device) {
  fill_each(properties, fields, count, device);
}

// Asks the runtime with its struct, and copies the fields that both structs have.
template <typename LibraryType, typename CallerType>
Status get(Status (*of_library)(LibraryType*, int), CallerType* properties, int device) {
  LibraryType copy = {};
  const Status status = of_library(properties != nullptr ? &copy : nullptr, device);
  if (status == 0 && properties != nullptr) convert(copy, properties);
  return status;
}

template <typename CallerType>
Status get_on_13(CallerType* properties, int device) {
  const Status status = get(&v13::cudaGetDeviceProperties, properties, device);
  if (status == 0 && properties != nullptr) fill(properties, kDroppedBy13<CallerType>, device);
  return status;
}

}  // namespace

ANYCUDA_ADAPTER v11::cudaError_t adapt_properties_before_12_on_13(v11::cudaDeviceProp* properties,
                                                                  int device) {
  return get_on_13(properties, device);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_properties_of_12_on_13(v12::cudaDeviceProp* properties,
                                                              int device) {
  return get_on_13(properties, device);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_properties_of_12_on_11(v12::cudaDeviceProp* properties,
                                                              int device) {
  const Status status = get(&v11::cudaGetDeviceProperties, properties, device);
  if (status == 0 && properties != nullptr) {
    fill(properties, kAddedBy12<v12::cudaDeviceProp>, device);
  }
  return status;
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_properties_of_13_on_11(v13::cudaDeviceProp* properties,
                                                              int device) {
  const Status status = get(&v11::cudaGetDeviceProperties, properties, device);
  if (status == 0 && properties != nullptr) {
    fill(properties, kAddedBy12<v13::cudaDeviceProp>, device);
    fill(properties, kAddedBy13, device);
  }
  return status;
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_properties_of_13_on_12(v13::cudaDeviceProp* properties,
                                                              int device) {
  const Status status = get(&v12::cudaGetDeviceProperties_v2, properties, device);
  if (status == 0 && properties != nullptr) fill(properties, kAddedBy13, device);
  return status;
}

}  // namespace anycuda
