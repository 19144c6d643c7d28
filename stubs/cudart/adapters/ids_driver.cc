// SPDX-License-Identifier: Apache-2.0

// The driver's log, notifications of a device, the atomics of a link, the location of memory: calls
// that a newer runtime passes to the driver unchanged (read in the machine code of 13.5). The
// runtime's and the driver's enumerators for them are equal; the assertions below check that.
#include "stubs/cudart/adapters/context.h"
#include "stubs/cudart/adapters/device_driver.h"

namespace anycuda {
namespace {

static_assert(v13::cudaLogLevelError == driver::CU_LOG_LEVEL_ERROR);
static_assert(v13::cudaLogLevelWarning == driver::CU_LOG_LEVEL_WARNING);

static_assert(v13::cudaAtomicOperationIntegerAdd == driver::CU_ATOMIC_OPERATION_INTEGER_ADD);
static_assert(v13::cudaAtomicOperationIntegerMin == driver::CU_ATOMIC_OPERATION_INTEGER_MIN);
static_assert(v13::cudaAtomicOperationIntegerMax == driver::CU_ATOMIC_OPERATION_INTEGER_MAX);
static_assert(v13::cudaAtomicOperationIntegerIncrement ==
              driver::CU_ATOMIC_OPERATION_INTEGER_INCREMENT);
static_assert(v13::cudaAtomicOperationIntegerDecrement ==
              driver::CU_ATOMIC_OPERATION_INTEGER_DECREMENT);
static_assert(v13::cudaAtomicOperationAnd == driver::CU_ATOMIC_OPERATION_AND);
static_assert(v13::cudaAtomicOperationOr == driver::CU_ATOMIC_OPERATION_OR);
static_assert(v13::cudaAtomicOperationXOR == driver::CU_ATOMIC_OPERATION_XOR);
static_assert(v13::cudaAtomicOperationExchange == driver::CU_ATOMIC_OPERATION_EXCHANGE);
static_assert(v13::cudaAtomicOperationCAS == driver::CU_ATOMIC_OPERATION_CAS);
static_assert(v13::cudaAtomicOperationFloatAdd == driver::CU_ATOMIC_OPERATION_FLOAT_ADD);
static_assert(v13::cudaAtomicOperationFloatMin == driver::CU_ATOMIC_OPERATION_FLOAT_MIN);
static_assert(v13::cudaAtomicOperationFloatMax == driver::CU_ATOMIC_OPERATION_FLOAT_MAX);

using Notice = v12::cudaAsyncNotificationInfo;
using DriversNotice = driver::CUasyncNotificationInfo_st;
static_assert(sizeof(Notice) == sizeof(DriversNotice) &&
              offsetof(Notice, info) == offsetof(DriversNotice, info) &&
              sizeof(Notice::info) == sizeof(DriversNotice::info));
static_assert(v12::cudaAsyncNotificationTypeOverBudget ==
              driver::CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET);

using Location = v13::cudaMemLocation;
using DriversLocation = driver::CUmemLocation_st;
static_assert(sizeof(Location) == sizeof(DriversLocation) &&
              offsetof(Location, id) == offsetof(DriversLocation, id) &&
              offsetof(Location, localized) == offsetof(DriversLocation, localized));
static_assert(v13::cudaMemLocationTypeDevice == driver::CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(v13::cudaMemLocationTypeHost == driver::CU_MEM_LOCATION_TYPE_HOST);
static_assert(v13::cudaMemLocationTypeHostNuma == driver::CU_MEM_LOCATION_TYPE_HOST_NUMA);
static_assert(v13::cudaMemLocationTypeHostNumaCurrent ==
              driver::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
static_assert(v13::cudaMemLocationTypeInvisible == driver::CU_MEM_LOCATION_TYPE_INVISIBLE);
static_assert(v13::cudaMemLocationTypeDeviceLocalityDomain ==
              driver::CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN);

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_logs_register_callback(v13::cudaLogsCallback_t callback,
                                                              void* data,
                                                              v13::cudaLogsCallbackHandle* handle) {
  return in_context([&] { return driver::cuLogsRegisterCallback(callback, data, handle); });
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_logs_unregister_callback(
    v13::cudaLogsCallbackHandle handle) {
  return in_context([&] { return driver::cuLogsUnregisterCallback(handle); });
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_logs_current(v13::cudaLogIterator* iterator,
                                                    unsigned flags) {
  return in_context([&] { return driver::cuLogsCurrent(iterator, flags); });
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_logs_dump_to_file(v13::cudaLogIterator* iterator,
                                                         const char* path, unsigned flags) {
  return in_context([&] { return driver::cuLogsDumpToFile(iterator, path, flags); });
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_logs_dump_to_memory(v13::cudaLogIterator* iterator,
                                                           char* buffer, std::size_t* size,
                                                           unsigned flags) {
  return in_context([&] { return driver::cuLogsDumpToMemory(iterator, buffer, size, flags); });
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_register_async_notification(
    int device, v12::cudaAsyncCallback callback, void* data,
    v12::cudaAsyncCallbackHandle_t* handle) {
  return in_driver([&] {
    return driver::cuDeviceRegisterAsyncNotification(
        device, reinterpret_cast<driver::CUasyncCallback>(callback), data,
        reinterpret_cast<driver::CUasyncCallbackHandle*>(handle));
  });
}
ANYCUDA_ADAPTER v12::cudaError_t adapt_unregister_async_notification(
    int device, v12::cudaAsyncCallbackHandle_t handle) {
  return in_driver([&] {
    return driver::cuDeviceUnregisterAsyncNotification(
        device, reinterpret_cast<driver::CUasyncCallbackHandle>(handle));
  });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_host_atomic_capabilities(
    unsigned* capabilities, const v13::cudaAtomicOperation* operations, unsigned count,
    int device) {
  return in_driver([&] {
    return driver::cuDeviceGetHostAtomicCapabilities(capabilities, operations, count, device);
  });
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_p2p_atomic_capabilities(
    unsigned* capabilities, const v13::cudaAtomicOperation* operations, unsigned count, int from,
    int to) {
  return in_driver([&] {
    return driver::cuDeviceGetP2PAtomicCapabilities(capabilities, operations, count, from, to);
  });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_get_location_info(void* pointer, std::size_t size,
                                                             std::size_t summary_granularity,
                                                             std::size_t sampling_granularity,
                                                             v13::cudaMemLocation* location) {
  return in_context([&] {
    return driver::cuMemGetLocationInfo(reinterpret_cast<driver::CUdeviceptr>(pointer), size,
                                        summary_granularity, sampling_granularity,
                                        reinterpret_cast<DriversLocation*>(location));
  });
}

}  // namespace anycuda
