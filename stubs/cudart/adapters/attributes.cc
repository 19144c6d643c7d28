// SPDX-License-Identifier: Apache-2.0

// Attributes of streams and of kernel nodes for callers of 11. The union that carries one had 32
// bytes in 11.7 and has 64 since 11.8. The runtimes touch only the bytes of the attribute that is
// asked for (read in the machine code of 11.8, 12.9 and 13.5); this file makes sure, by the name of
// the attribute, that a caller of 11.7 never gets more bytes than its union has.
//
// The other direction needs only the call: runtimes of 11 touch at most 32 bytes.
#include <cstring>

#include "cudart_adapters.h"

namespace anycuda {
namespace {

using Value = v11::cudaLaunchAttributeValue;

// The smallest union that a caller of 11 has: those of 11.7.
constexpr std::size_t kSmallest = 32;

std::size_t size_of(unsigned attribute) {
  switch (attribute) {
    case v11::cudaLaunchAttributeAccessPolicyWindow:
      // Without the padding at its end.
      return __builtin_offsetof(v11::cudaAccessPolicyWindow, missProp) +
             sizeof(v11::cudaAccessPolicyWindow::missProp);
    case v11::cudaLaunchAttributeCooperative:
      return sizeof(Value::cooperative);
    case v11::cudaLaunchAttributeSynchronizationPolicy:
      return sizeof(Value::syncPolicy);
    case v11::cudaLaunchAttributeClusterDimension:
      return sizeof(Value::clusterDim);
    case v11::cudaLaunchAttributeClusterSchedulingPolicyPreference:
      return sizeof(Value::clusterSchedulingPolicyPreference);
    case v11::cudaLaunchAttributeProgrammaticStreamSerialization:
      return sizeof(Value::programmaticStreamSerializationAllowed);
    case v11::cudaLaunchAttributeProgrammaticEvent:
      return sizeof(Value::programmaticEvent);
    case v11::cudaLaunchAttributePriority:
      return sizeof(Value::priority);
    default:  // not an attribute of 11: the runtime decides
      return kSmallest;
  }
}
static_assert(sizeof(v11::cudaLaunchAttributeValue_programmaticEvent) <= kSmallest);
static_assert(sizeof(v11::cudaLaunchAttributeValue_clusterDim) <= kSmallest);
static_assert(sizeof(v11::cudaAccessPolicyWindow) <= kSmallest);

template <typename Call>
Status get(unsigned attribute, Value* value, Call call) {
  if (value == nullptr) return call(nullptr);
  v12::cudaLaunchAttributeValue all = {};
  const Status status = call(&all);
  if (status == 0) std::memcpy(value, &all, size_of(attribute));
  return status;
}

template <typename Call>
Status set(unsigned attribute, const Value* value, Call call) {
  if (value == nullptr) return call(nullptr);
  v12::cudaLaunchAttributeValue all = {};
  std::memcpy(&all, value, size_of(attribute));
  return call(&all);
}

}  // namespace

ANYCUDA_ADAPTER v11::cudaError_t adapt_stream_get_attribute(v11::cudaStream_t stream,
                                                            unsigned attribute, Value* value) {
  return get(attribute, value, [&](v12::cudaLaunchAttributeValue* all) {
    return v12::cudaStreamGetAttribute(stream, attribute, all);
  });
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_stream_get_attribute_ptsz(v11::cudaStream_t stream,
                                                                 unsigned attribute, Value* value) {
  return get(attribute, value, [&](v12::cudaLaunchAttributeValue* all) {
    return v12::cudaStreamGetAttribute_ptsz(stream, attribute, all);
  });
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_stream_set_attribute(v11::cudaStream_t stream,
                                                            unsigned attribute,
                                                            const Value* value) {
  return set(attribute, value, [&](const v12::cudaLaunchAttributeValue* all) {
    return v12::cudaStreamSetAttribute(stream, attribute, all);
  });
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_stream_set_attribute_ptsz(v11::cudaStream_t stream,
                                                                 unsigned attribute,
                                                                 const Value* value) {
  return set(attribute, value, [&](const v12::cudaLaunchAttributeValue* all) {
    return v12::cudaStreamSetAttribute_ptsz(stream, attribute, all);
  });
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_graph_kernel_node_get_attribute(v11::cudaGraphNode_t node,
                                                                       unsigned attribute,
                                                                       Value* value) {
  return get(attribute, value, [&](v12::cudaLaunchAttributeValue* all) {
    return v12::cudaGraphKernelNodeGetAttribute(node, attribute, all);
  });
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_graph_kernel_node_set_attribute(v11::cudaGraphNode_t node,
                                                                       unsigned attribute,
                                                                       const Value* value) {
  return set(attribute, value, [&](const v12::cudaLaunchAttributeValue* all) {
    return v12::cudaGraphKernelNodeSetAttribute(node, attribute, all);
  });
}

}  // namespace anycuda
