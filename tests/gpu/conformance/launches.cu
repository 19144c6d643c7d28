// SPDX-License-Identifier: Apache-2.0

// Launches with attributes, clusters, and cooperative launches.
#include <cstring>

#include "kernels.h"
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

// How many blocks are in a block's cluster: a launch without clusters gives 1 everywhere.
__global__ void cluster_size(int* to) {
  int blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  to[blockIdx.x] = blocks;
}

// Only a cooperative launch gets the address of the grid's barrier from the driver.
__device__ bool has_barrier_of_grid() {
  unsigned high;
  unsigned low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return (high | low) != 0;
}

// Each block adds up what all blocks wrote before: they must run together, and wait for each other.
// parts[gridDim.x] counts those that have written.
__global__ void sum_of_blocks(int* parts, int* sums) {
  parts[blockIdx.x] = has_barrier_of_grid() ? static_cast<int>(blockIdx.x) + 1 : 1000;
  __threadfence();
  int* arrived = parts + gridDim.x;
  atomicAdd(arrived, 1);
  while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
  }
  __threadfence();
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += static_cast<volatile int*>(parts)[i];
  sums[blockIdx.x] = sum;
}

constexpr int kBlocks = 8;
constexpr int kSum = kBlocks * (kBlocks + 1) / 2;

template <typename Fill>
void with_attribute(const std::string& name, cudaLaunchAttributeID id, Fill fill) {
  Check check("launches." + name);
  DeviceArray<int> data(check, kCount);
  Stream stream(check);
  if (!check) return;
  cudaLaunchAttribute attribute;
  std::memset(static_cast<void*>(&attribute), 0, sizeof attribute);
  attribute.id = id;
  fill(attribute.val, data);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(kCount);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  Add parameters(data.get(), 3);
  if (!CALL(check, cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&add),
                                       parameters.arguments))) {
    return;
  }
  CALL(check, cudaStreamSynchronize(stream));
  data.expect("after the launch", 3);
}

void plain() {
  Check check("launches.without_attributes");
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(kCount);
  Add parameters(data.get(), 3);
  CALL(check,
       cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&add), parameters.arguments));
  data.expect("after the launch", 3);
  STATUS(check, "no_kernel", cudaLaunchKernelExC(&config, nullptr, parameters.arguments));
}

void clusters() {
  Check check("launches.cluster");
  DeviceArray<int> sizes(check, kBlocks);
  if (!check) return;
  cudaLaunchAttribute attribute;
  std::memset(static_cast<void*>(&attribute), 0, sizeof attribute);
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kBlocks);
  config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int* to = sizes.get();
  void* arguments[] = {&to};
  const void* kernel = reinterpret_cast<const void*>(&cluster_size);
  if (!CALL(check, cudaLaunchKernelExC(&config, kernel, arguments))) return;
  sizes.expect("the cluster's size", 2);
  Guarded<int> count;
  CALL(check, cudaOccupancyMaxActiveClusters(count.get(), kernel, &config));
  INTACT(check, count);
  check.value("active_clusters", *count);
  Guarded<int> size;
  CALL(check, cudaOccupancyMaxPotentialClusterSize(size.get(), kernel, &config));
  INTACT(check, size);
  check.value("potential_size", *size);
}

void attributes() {
  with_attribute("priority", cudaLaunchAttributePriority,
                 [](cudaLaunchAttributeValue& value, DeviceArray<int>&) { value.priority = -1; });
  with_attribute("programmatic", cudaLaunchAttributeProgrammaticStreamSerialization,
                 [](cudaLaunchAttributeValue& value, DeviceArray<int>&) {
                   value.programmaticStreamSerializationAllowed = 1;
                 });
  with_attribute("access_policy", cudaLaunchAttributeAccessPolicyWindow,
                 [](cudaLaunchAttributeValue& value, DeviceArray<int>& data) {
                   value.accessPolicyWindow.base_ptr = data.get();
                   value.accessPolicyWindow.num_bytes = data.bytes();
                   value.accessPolicyWindow.hitRatio = 1.0F;
                   value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
                   value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
                 });
#if CUDART_VERSION >= 12000
  with_attribute("memory_domain", cudaLaunchAttributeMemSyncDomain,
                 [](cudaLaunchAttributeValue& value, DeviceArray<int>&) {
                   value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
                 });
#endif
#if CUDART_VERSION >= 12030
  with_attribute("completion_event", cudaLaunchAttributeLaunchCompletionEvent,
                 [](cudaLaunchAttributeValue& value, DeviceArray<int>&) {
                   static cudaEvent_t event = nullptr;
                   if (event == nullptr) {
                     cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
                   }
                   value.launchCompletionEvent.event = event;
                 });
#endif
}

struct Blocks {
  explicit Blocks(Check& check) : parts(check, kBlocks + 1), sums(check, kBlocks) {}
  DeviceArray<int> parts;
  DeviceArray<int> sums;
  int* to_parts = parts.get();
  int* to_sums = sums.get();
  void* arguments[2] = {&to_parts, &to_sums};
};

void cooperative() {
  const void* kernel = reinterpret_cast<const void*>(&sum_of_blocks);
  {
    Check check("launches.cooperative");
    Blocks blocks(check);
    if (check && CALL(check, cudaLaunchCooperativeKernel(kernel, dim3(kBlocks), dim3(1),
                                                         blocks.arguments, 0, nullptr))) {
      blocks.sums.expect("after the grid's barrier", kSum);
    }
  }
  Check check("launches.cooperative_attribute");
  Blocks blocks(check);
  if (!check) return;
  cudaLaunchAttribute attribute;
  std::memset(static_cast<void*>(&attribute), 0, sizeof attribute);
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kBlocks);
  config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CALL(check, cudaLaunchKernelExC(&config, kernel, blocks.arguments));
  blocks.sums.expect("after the grid's barrier", kSum);
}

#if CUDART_VERSION < 13000
// A list of one device; the call needs a created stream.
void on_devices() {
  Check check("launches.cooperative_on_devices");
  Blocks blocks(check);
  Stream stream(check);
  if (!check) return;
  cudaLaunchParams params = {};
  params.func = reinterpret_cast<void*>(&sum_of_blocks);
  params.gridDim = dim3(kBlocks);
  params.blockDim = dim3(1);
  params.args = blocks.arguments;
  params.stream = stream;
  if (CALL(check, cudaLaunchCooperativeKernelMultiDevice(&params, 1, 0))) {
    CALL(check, cudaStreamSynchronize(stream));
    blocks.sums.expect("after the grid's barrier", kSum);
  }
  if (check) STATUS(check, "no_devices", cudaLaunchCooperativeKernelMultiDevice(&params, 0, 0));
}
#endif

}  // namespace

void launches() {
  plain();
  attributes();
  clusters();
  cooperative();
#if CUDART_VERSION < 13000
  on_devices();
#endif
}

}  // namespace conformance
