// SPDX-License-Identifier: Apache-2.0

// Device properties, the choice of a device by them, initialisation of a device.
#include <cstring>

#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

// Fields that every major has.
#define COMMON_FIELDS(FIELD)                    \
  FIELD(name)                                   \
  FIELD(luidDeviceNodeMask)                     \
  FIELD(totalGlobalMem)                         \
  FIELD(sharedMemPerBlock)                      \
  FIELD(regsPerBlock)                           \
  FIELD(warpSize)                               \
  FIELD(memPitch)                               \
  FIELD(maxThreadsPerBlock)                     \
  FIELD(maxThreadsDim)                          \
  FIELD(maxGridSize)                            \
  FIELD(totalConstMem)                          \
  FIELD(major)                                  \
  FIELD(minor)                                  \
  FIELD(textureAlignment)                       \
  FIELD(texturePitchAlignment)                  \
  FIELD(multiProcessorCount)                    \
  FIELD(integrated)                             \
  FIELD(canMapHostMemory)                       \
  FIELD(maxTexture1D)                           \
  FIELD(maxTexture1DMipmap)                     \
  FIELD(maxTexture2D)                           \
  FIELD(maxTexture2DMipmap)                     \
  FIELD(maxTexture2DLinear)                     \
  FIELD(maxTexture2DGather)                     \
  FIELD(maxTexture3D)                           \
  FIELD(maxTexture3DAlt)                        \
  FIELD(maxTextureCubemap)                      \
  FIELD(maxTexture1DLayered)                    \
  FIELD(maxTexture2DLayered)                    \
  FIELD(maxTextureCubemapLayered)               \
  FIELD(maxSurface1D)                           \
  FIELD(maxSurface2D)                           \
  FIELD(maxSurface3D)                           \
  FIELD(maxSurface1DLayered)                    \
  FIELD(maxSurface2DLayered)                    \
  FIELD(maxSurfaceCubemap)                      \
  FIELD(maxSurfaceCubemapLayered)               \
  FIELD(surfaceAlignment)                       \
  FIELD(concurrentKernels)                      \
  FIELD(ECCEnabled)                             \
  FIELD(pciBusID)                               \
  FIELD(pciDeviceID)                            \
  FIELD(pciDomainID)                            \
  FIELD(tccDriver)                              \
  FIELD(asyncEngineCount)                       \
  FIELD(unifiedAddressing)                      \
  FIELD(memoryBusWidth)                         \
  FIELD(l2CacheSize)                            \
  FIELD(persistingL2CacheMaxSize)               \
  FIELD(maxThreadsPerMultiProcessor)            \
  FIELD(streamPrioritiesSupported)              \
  FIELD(globalL1CacheSupported)                 \
  FIELD(localL1CacheSupported)                  \
  FIELD(sharedMemPerMultiprocessor)             \
  FIELD(regsPerMultiprocessor)                  \
  FIELD(managedMemory)                          \
  FIELD(isMultiGpuBoard)                        \
  FIELD(multiGpuBoardGroupID)                   \
  FIELD(hostNativeAtomicSupported)              \
  FIELD(pageableMemoryAccess)                   \
  FIELD(concurrentManagedAccess)                \
  FIELD(computePreemptionSupported)             \
  FIELD(canUseHostPointerForRegisteredMem)      \
  FIELD(cooperativeLaunch)                      \
  FIELD(sharedMemPerBlockOptin)                 \
  FIELD(pageableMemoryAccessUsesHostPageTables) \
  FIELD(directManagedMemAccessFromHost)         \
  FIELD(maxBlocksPerMultiProcessor)             \
  FIELD(accessPolicyMaxWindowSize)              \
  FIELD(reservedSharedMemPerBlock)

// Fields that 13 dropped, clock rates among them.
#define OLD_FIELDS(FIELD)                 \
  FIELD(clockRate)                        \
  FIELD(deviceOverlap)                    \
  FIELD(kernelExecTimeoutEnabled)         \
  FIELD(computeMode)                      \
  FIELD(maxTexture1DLinear)               \
  FIELD(memoryClockRate)                  \
  FIELD(singleToDoublePrecisionPerfRatio) \
  FIELD(cooperativeMultiDeviceLaunch)

// Fields that came with 12, and with 13.
#define FIELDS_OF_12(FIELD)                \
  FIELD(hostRegisterSupported)             \
  FIELD(sparseCudaArraySupported)          \
  FIELD(hostRegisterReadOnlySupported)     \
  FIELD(timelineSemaphoreInteropSupported) \
  FIELD(memoryPoolsSupported)              \
  FIELD(gpuDirectRDMASupported)            \
  FIELD(gpuDirectRDMAFlushWritesOptions)   \
  FIELD(gpuDirectRDMAWritesOrdering)       \
  FIELD(memoryPoolSupportedHandleTypes)    \
  FIELD(deferredMappingCudaArraySupported) \
  FIELD(ipcEventSupported)                 \
  FIELD(clusterLaunch)                     \
  FIELD(unifiedFunctionPointers)
#define FIELDS_OF_13(FIELD) \
  FIELD(deviceNumaConfig)   \
  FIELD(deviceNumaId)       \
  FIELD(mpsEnabled)         \
  FIELD(hostNumaId)         \
  FIELD(gpuPciDeviceID)     \
  FIELD(gpuPciSubsystemID)  \
  FIELD(hostNumaMultinodeIpcSupported)

void all_fields() {
  Check check("properties.fields");
  Guarded<cudaDeviceProp> guarded;
  if (!CALL(check, cudaGetDeviceProperties(guarded.get(), 0))) return;
  INTACT(check, guarded);
  const cudaDeviceProp& properties = *guarded;
#define PRINT(field) check.value(#field, properties.field);
  COMMON_FIELDS(PRINT)
#if CUDART_VERSION < 13000
  OLD_FIELDS(PRINT)
#endif
#if CUDART_VERSION >= 12000
  FIELDS_OF_12(PRINT)
#endif
#if CUDART_VERSION >= 13000
  FIELDS_OF_13(PRINT)
#endif
#undef PRINT
  unsigned sum = 0;
  for (char byte : properties.uuid.bytes) sum = sum * 31 + static_cast<unsigned char>(byte);
  check.value("hash_of_uuid", sum);
  int processors = 0;
  CALL(check, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  EQUAL(check, properties.multiProcessorCount, processors);
}

void no_such_device() {
  Check check("properties.no_such_device");
  Guarded<cudaDeviceProp> guarded;
  STATUS(check, "status", cudaGetDeviceProperties(guarded.get(), 4096));
  INTACT(check, guarded);
  STATUS(check, "null", cudaGetDeviceProperties(nullptr, 0));
}

void choose() {
  Check check("properties.choose");
  Guarded<cudaDeviceProp> wanted;
  std::memset(wanted.get(), 0, sizeof *wanted);
  wanted->major = 7;
  wanted->sharedMemPerBlock = 1024;
  Guarded<int> device;
  if (!CALL(check, cudaChooseDevice(device.get(), wanted.get()))) return;
  INTACT(check, device);
  INTACT(check, wanted);
  check.value("device", *device);
  EQUAL(check, wanted->major, 7);
  STATUS(check, "null_properties", cudaChooseDevice(device.get(), nullptr));
}

// Every attribute that 11.8 knows, then those that came later: the numbers are the interface.
void attributes(const char* name, int first, int last) {
  Check check(name);
  for (int i = first; i <= last; ++i) {
    Guarded<int> got;
    const cudaError_t status = cudaDeviceGetAttribute(got.get(), static_cast<cudaDeviceAttr>(i), 0);
    if (status != cudaSuccess) cudaGetLastError();
    INTACT(check, got);
    check.value(std::to_string(i), status == cudaSuccess
                                       ? std::to_string(*got)
                                       : "status " + std::to_string(static_cast<int>(status)));
  }
}

#if CUDART_VERSION >= 12000
void init_device() {
  Check check("properties.init_device");
  STATUS(check, "no_such_device", cudaInitDevice(4096, 0, 0));
  STATUS(check, "unknown_flags", cudaInitDevice(0, 0, 4096));
  if (!CALL(check, cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid))) return;
  CALL(check, cudaSetDevice(0));
  Guarded<unsigned> flags;
  CALL(check, cudaGetDeviceFlags(flags.get()));
  INTACT(check, flags);
  check.value("flags", *flags);
}
#endif

#if CUDART_VERSION >= 13000
void atomic_capabilities() {
  const cudaAtomicOperation operations[] = {
      cudaAtomicOperationIntegerAdd, cudaAtomicOperationIntegerMin, cudaAtomicOperationFloatAdd};
  {
    Check check("properties.host_atomics");
    Guarded<unsigned[3]> capabilities;
    if (STATUS(check, "status",
               cudaDeviceGetHostAtomicCapabilities(*capabilities, operations, 3, 0))) {
      check.value("capabilities", *capabilities);
    }
    INTACT(check, capabilities);
  }
  Check check("properties.peer_atomics");
  Guarded<unsigned[3]> capabilities;
  STATUS(check, "same_device",
         cudaDeviceGetP2PAtomicCapabilities(*capabilities, operations, 3, 0, 0));
  INTACT(check, capabilities);
}
#endif

}  // namespace

void properties() {
#if CUDART_VERSION >= 12000
  init_device();
#endif
  all_fields();
  no_such_device();
  choose();
  constexpr int kLastOf11 = 121;
  attributes("properties.attributes", 1, kLastOf11);
#if CUDART_VERSION >= 12000
  attributes("properties.newer_attributes", kLastOf11 + 1, cudaDevAttrMax - 1);
#endif
#if CUDART_VERSION >= 13000
  atomic_capabilities();
#endif
}

}  // namespace conformance
