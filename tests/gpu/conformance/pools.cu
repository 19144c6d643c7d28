// SPDX-License-Identifier: Apache-2.0

// Memory pools and allocation in streams.
#include "kernels.h"
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

void in_stream() {
  Check check("pools.allocate_in_stream");
  Stream stream(check);
  int* data = nullptr;
  if (!check || !CALL(check, cudaMallocAsync(reinterpret_cast<void**>(&data), kCount * sizeof(int),
                                             stream))) {
    return;
  }
  CALL(check, cudaMemsetAsync(data, 0, kCount * sizeof(int), stream));
  add<<<1, kCount, 0, stream>>>(data, kCount, 4);
  CALL(check, cudaGetLastError());
  std::vector<int> host(kCount);
  CALL(check,
       cudaMemcpyAsync(host.data(), data, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CALL(check, cudaFreeAsync(data, stream));
  CALL(check, cudaStreamSynchronize(stream));
  EQUAL(check, host == std::vector<int>(kCount, 4), true);
}

cudaMemPoolProps on_device() {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  return properties;
}

void own_pool() {
  Check check("pools.own_pool");
  Guarded<cudaMemPoolProps> properties(on_device());
  Pool pool;
  if (!CALL(check, cudaMemPoolCreate(&pool, properties.get()))) return;
  INTACT(check, properties);
  unsigned long long threshold = 1 << 20;
  CALL(check, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  Guarded<unsigned long long> got;
  CALL(check, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, got.get()));
  INTACT(check, got);
  EQUAL(check, *got, threshold);
  cudaMemAccessDesc access = {};
  access.location = properties->location;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CALL(check, cudaMemPoolSetAccess(pool, &access, 1));
  Guarded<cudaMemAccessFlags> flags;
  CALL(check, cudaMemPoolGetAccess(flags.get(), pool, &properties->location));
  INTACT(check, flags);
  check.value("access", *flags);

  Stream stream(check);
  void* data = nullptr;
  CALL(check, cudaMallocFromPoolAsync(&data, 4096, pool, stream));
  Guarded<int> descriptor;
  CALL(check, cudaMemPoolExportToShareableHandle(descriptor.get(), pool,
                                                 cudaMemHandleTypePosixFileDescriptor, 0));
  INTACT(check, descriptor);
  Guarded<cudaMemPoolPtrExportData> exported;
  CALL(check, cudaMemPoolExportPointer(exported.get(), data));
  INTACT(check, exported);
  CALL(check, cudaFreeAsync(data, stream));
  CALL(check, cudaStreamSynchronize(stream));
  CALL(check, cudaMemPoolTrimTo(pool, 0));
}

void of_device() {
  Check check("pools.of_device");
  cudaMemPool_t usual = nullptr;
  cudaMemPool_t current = nullptr;
  if (!CALL(check, cudaDeviceGetDefaultMemPool(&usual, 0))) return;
  const cudaMemPoolProps properties = on_device();
  Pool pool;
  CALL(check, cudaMemPoolCreate(&pool, &properties));
  CALL(check, cudaDeviceSetMemPool(0, pool));
  CALL(check, cudaDeviceGetMemPool(&current, 0));
  EQUAL(check, current, static_cast<cudaMemPool_t>(pool));
  CALL(check, cudaDeviceSetMemPool(0, usual));
}

#if CUDART_VERSION >= 13000
void of_location() {
  Check check("pools.of_location");
  Guarded<cudaMemLocation> location;
  location->type = cudaMemLocationTypeDevice;
  location->id = 0;
  cudaMemPool_t usual = nullptr;
  cudaMemPool_t by_device = nullptr;
  cudaMemPool_t current = nullptr;
  if (!CALL(check, cudaMemGetDefaultMemPool(&usual, location.get(), cudaMemAllocationTypePinned))) {
    return;
  }
  CALL(check, cudaDeviceGetDefaultMemPool(&by_device, 0));
  EQUAL(check, usual, by_device);
  const cudaMemPoolProps properties = on_device();
  Pool pool;
  CALL(check, cudaMemPoolCreate(&pool, &properties));
  CALL(check, cudaMemSetMemPool(location.get(), cudaMemAllocationTypePinned, pool));
  CALL(check, cudaMemGetMemPool(&current, location.get(), cudaMemAllocationTypePinned));
  EQUAL(check, current, static_cast<cudaMemPool_t>(pool));
  CALL(check, cudaMemSetMemPool(location.get(), cudaMemAllocationTypePinned, usual));
  INTACT(check, location);
  STATUS(check, "null_location",
         cudaMemGetDefaultMemPool(&current, nullptr, cudaMemAllocationTypePinned));
}
#endif

}  // namespace

void pools() {
  in_stream();
  own_pool();
  of_device();
#if CUDART_VERSION >= 13000
  of_location();
#endif
}

}  // namespace conformance
