// SPDX-License-Identifier: Apache-2.0

// Memory and semaphores from outside: what the driver made is exported as a file descriptor, and
// imported as a Vulkan program's would be.
#include <unistd.h>

#include <cstring>

#include "driver.h"
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

// Memory that the driver made, mapped for this process, and a descriptor of it.
class Exported {
 public:
  explicit Exported(Check& check) {
    const auto granularity = driver_function<decltype(&::cuMemGetAllocationGranularity)>(
        check, "cuMemGetAllocationGranularity");
    const auto create = driver_function<decltype(&::cuMemCreate)>(check, "cuMemCreate");
    const auto reserve =
        driver_function<decltype(&::cuMemAddressReserve)>(check, "cuMemAddressReserve");
    const auto map = driver_function<decltype(&::cuMemMap)>(check, "cuMemMap");
    const auto access = driver_function<decltype(&::cuMemSetAccess)>(check, "cuMemSetAccess");
    const auto share = driver_function<decltype(&::cuMemExportToShareableHandle)>(
        check, "cuMemExportToShareableHandle");
    if (!check) return;
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    EQUAL(check, granularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
    EQUAL(check, create(&handle_, bytes, &properties, 0), CUDA_SUCCESS);
    EQUAL(check, reserve(&address_, bytes, 0, 0, 0), CUDA_SUCCESS);
    if (!check) return;
    CUmemAccessDesc desc = {};
    desc.location = properties.location;
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    EQUAL(check, map(address_, bytes, 0, handle_, 0), CUDA_SUCCESS);
    EQUAL(check, access(address_, bytes, &desc, 1), CUDA_SUCCESS);
    EQUAL(check, share(&descriptor, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
          CUDA_SUCCESS);
  }
  void* memory() const { return reinterpret_cast<void*>(address_); }
  std::size_t bytes = 0;
  int descriptor = -1;

 private:
  CUmemGenericAllocationHandle handle_ = 0;
  CUdeviceptr address_ = 0;
};

cudaExternalMemoryHandleDesc memory_desc(int descriptor, std::size_t bytes) {
  cudaExternalMemoryHandleDesc desc;
  std::memset(static_cast<void*>(&desc), 0, sizeof desc);
  desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
  desc.handle.fd = descriptor;
  desc.size = bytes;
  return desc;
}

void memory() {
  Check check("external.memory");
  CALL(check, cudaFree(nullptr));
  if (!check) return;
  Exported exported(check);
  if (!check) return;
  CALL(check, cudaMemset(exported.memory(), 0x5A, exported.bytes));
  CALL(check, cudaDeviceSynchronize());
  Guarded<cudaExternalMemoryHandleDesc> desc(memory_desc(exported.descriptor, exported.bytes));
  cudaExternalMemory_t imported = nullptr;
  if (!STATUS(check, "import", cudaImportExternalMemory(&imported, desc.get()))) return;
  INTACT(check, desc);
  Guarded<cudaExternalMemoryBufferDesc> buffer;
  std::memset(static_cast<void*>(buffer.get()), 0, sizeof *buffer);
  buffer->size = exported.bytes;
  Guarded<void*> mapped;
  if (CALL(check, cudaExternalMemoryGetMappedBuffer(mapped.get(), imported, buffer.get()))) {
    INTACT(check, mapped);
    INTACT(check, buffer);
    std::vector<unsigned char> bytes(4096);
    CALL(check, cudaMemcpy(bytes.data(), *mapped, bytes.size(), cudaMemcpyDeviceToHost));
    EQUAL(check, bytes == std::vector<unsigned char>(4096, 0x5A), true);
    CALL(check, cudaFree(*mapped));
  }
  if (check) {
    Guarded<cudaExternalMemoryMipmappedArrayDesc> levels;
    std::memset(static_cast<void*>(levels.get()), 0, sizeof *levels);
    levels->formatDesc = cudaCreateChannelDesc<float>();
    levels->extent = make_cudaExtent(16, 16, 0);
    levels->numLevels = 1;
    Guarded<cudaMipmappedArray_t> array;
    if (STATUS(check, "mipmapped_array",
               cudaExternalMemoryGetMappedMipmappedArray(array.get(), imported, levels.get()))) {
      CALL(check, cudaFreeMipmappedArray(*array));
    }
    INTACT(check, array);
    INTACT(check, levels);
  }
  CALL(check, cudaDestroyExternalMemory(imported));
}

// A descriptor of something else: no crash, and the same error as natively.
void wrong_memory() {
  Check check("external.wrong_memory");
  int ends[2] = {-1, -1};
  EQUAL(check, pipe(ends), 0);
  cudaExternalMemory_t imported = nullptr;
  cudaExternalMemoryHandleDesc desc = memory_desc(ends[0], 1 << 20);
  STATUS(check, "a_pipe", cudaImportExternalMemory(&imported, &desc));
  desc = memory_desc(-1, 1 << 20);
  STATUS(check, "no_file", cudaImportExternalMemory(&imported, &desc));
  desc.type = static_cast<cudaExternalMemoryHandleType>(77);
  STATUS(check, "unknown_type", cudaImportExternalMemory(&imported, &desc));
  STATUS(check, "null", cudaImportExternalMemory(&imported, nullptr));
  for (int end : ends) close(end);
}

void semaphores() {
  Check check("external.semaphores");
  Stream stream(check);
  if (!check) return;
  cudaExternalSemaphore_t imported = nullptr;
  for (cudaExternalSemaphoreHandleType type :
       {cudaExternalSemaphoreHandleTypeOpaqueFd,
        cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd}) {
    Guarded<cudaExternalSemaphoreHandleDesc> desc;
    std::memset(static_cast<void*>(desc.get()), 0, sizeof *desc);
    desc->type = type;
    desc->handle.fd = -1;
    STATUS(check, "no_file_" + show(type), cudaImportExternalSemaphore(&imported, desc.get()));
    INTACT(check, desc);
  }
  STATUS(check, "null", cudaImportExternalSemaphore(&imported, nullptr));
  if (!check) return;
  cudaExternalSemaphore_t none = nullptr;
  Guarded<cudaExternalSemaphoreSignalParams> signal;
  std::memset(static_cast<void*>(signal.get()), 0, sizeof *signal);
  Guarded<cudaExternalSemaphoreWaitParams> wait;
  std::memset(static_cast<void*>(wait.get()), 0, sizeof *wait);
  STATUS(check, "signal_none", cudaSignalExternalSemaphoresAsync(&none, signal.get(), 0, stream));
  STATUS(check, "wait_for_none", cudaWaitExternalSemaphoresAsync(&none, wait.get(), 0, stream));
  STATUS(check, "signal_null", cudaSignalExternalSemaphoresAsync(nullptr, nullptr, 1, stream));
  STATUS(check, "wait_for_null", cudaWaitExternalSemaphoresAsync(nullptr, nullptr, 1, stream));
}

}  // namespace

void external() {
  memory();
  wrong_memory();
  semaphores();
}

}  // namespace conformance
