// SPDX-License-Identifier: Apache-2.0

// Attributes of streams and of kernel nodes for callers of 12 and 13 on the runtime of 11. It
// touches only the bytes of the attribute that is asked for (read in the machine code of 11.8), so
// the larger union of the callers is harmless; but it refuses attributes that came later, which the
// driver takes: streams and nodes are the driver's own, and runtime and driver number attributes
// alike.
#include "cudart_adapters.h"
#include "stubs/cudart/adapters/context.h"

namespace anycuda {
namespace {

static_assert(sizeof(v12::cudaLaunchAttributeValue) == sizeof(driver::CUlaunchAttributeValue));
static_assert(sizeof(v13::cudaLaunchAttributeValue) == sizeof(driver::CUlaunchAttributeValue));
static_assert(v13::cudaLaunchAttributePriority == driver::CU_LAUNCH_ATTRIBUTE_PRIORITY);
static_assert(v13::cudaLaunchAttributeMemSyncDomainMap ==
              driver::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
static_assert(v13::cudaLaunchAttributeMemSyncDomain == driver::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
static_assert(v13::cudaLaunchAttributePreferredSharedMemoryCarveout ==
              driver::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);

// Is that the status of 11 for an attribute that it does not know? Then it has touched nothing.
template <typename Runtime>
bool refused(Runtime runtime, Status* status) {
  const KeepLastError last_error_scope;
  *status = runtime();
  return *status == v11::cudaErrorInvalidValue;
}

template <typename Runtime, typename Driver>
Status runtime_or_driver(Runtime runtime, Driver driver) {
  Status status = 0;
  if (refused(runtime, &status)) return in_context(driver);
  return driver_answer(status);
}

using RuntimeValue = v11::cudaLaunchAttributeValue;
using DriverValue = driver::CUlaunchAttributeValue;

// For a caller's `Object` (stream or node), by the runtime's function or the driver's. Once for all
// majors, whose types of the value differ.
template <typename Object, typename Runtime, typename Driver>
[[gnu::noinline]] Status get(Object object, unsigned attribute, void* value, Runtime runtime,
                             Driver driver) {
  return runtime_or_driver(
      [=] { return runtime(object, attribute, static_cast<RuntimeValue*>(value)); },
      [=] { return driver(object, attribute, static_cast<DriverValue*>(value)); });
}

template <typename Object, typename Runtime, typename Driver>
[[gnu::noinline]] Status set(Object object, unsigned attribute, const void* value, Runtime runtime,
                             Driver driver) {
  return runtime_or_driver(
      [=] { return runtime(object, attribute, static_cast<const RuntimeValue*>(value)); },
      [=] { return driver(object, attribute, static_cast<const DriverValue*>(value)); });
}

}  // namespace

// 12 and 13 have a type each for the value.
#define ATTRIBUTES_OF(major)                                                                      \
  ANYCUDA_ADAPTER Status adapt_stream_get_attribute_of_##major##_on_11(                           \
      v11::cudaStream_t stream, unsigned attribute, v##major::cudaLaunchAttributeValue* value) {  \
    return get(stream, attribute, value, v11::cudaStreamGetAttribute,                             \
               driver::cuStreamGetAttribute);                                                     \
  }                                                                                               \
  ANYCUDA_ADAPTER Status adapt_stream_get_attribute_of_##major##_on_11_ptsz(                      \
      v11::cudaStream_t stream, unsigned attribute, v##major::cudaLaunchAttributeValue* value) {  \
    return get(stream, attribute, value, v11::cudaStreamGetAttribute_ptsz,                        \
               driver::cuStreamGetAttribute_ptsz);                                                \
  }                                                                                               \
  ANYCUDA_ADAPTER Status adapt_stream_set_attribute_of_##major##_on_11(                           \
      v11::cudaStream_t stream, unsigned attribute,                                               \
      const v##major::cudaLaunchAttributeValue* value) {                                          \
    return set(stream, attribute, value, v11::cudaStreamSetAttribute,                             \
               driver::cuStreamSetAttribute);                                                     \
  }                                                                                               \
  ANYCUDA_ADAPTER Status adapt_stream_set_attribute_of_##major##_on_11_ptsz(                      \
      v11::cudaStream_t stream, unsigned attribute,                                               \
      const v##major::cudaLaunchAttributeValue* value) {                                          \
    return set(stream, attribute, value, v11::cudaStreamSetAttribute_ptsz,                        \
               driver::cuStreamSetAttribute_ptsz);                                                \
  }                                                                                               \
  ANYCUDA_ADAPTER Status adapt_graph_kernel_node_get_attribute_of_##major##_on_11(                \
      v11::cudaGraphNode_t node, unsigned attribute, v##major::cudaLaunchAttributeValue* value) { \
    return get(node, attribute, value, v11::cudaGraphKernelNodeGetAttribute,                      \
               driver::cuGraphKernelNodeGetAttribute);                                            \
  }                                                                                               \
  ANYCUDA_ADAPTER Status adapt_graph_kernel_node_set_attribute_of_##major##_on_11(                \
      v11::cudaGraphNode_t node, unsigned attribute,                                              \
      const v##major::cudaLaunchAttributeValue* value) {                                          \
    return set(node, attribute, value, v11::cudaGraphKernelNodeSetAttribute,                      \
               driver::cuGraphKernelNodeSetAttribute);                                            \
  }

ATTRIBUTES_OF(12)
ATTRIBUTES_OF(13)

}  // namespace anycuda
