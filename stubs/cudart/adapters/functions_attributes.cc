// SPDX-License-Identifier: Apache-2.0

// cudaFuncGetAttributes. 12 added fields behind those of 11, and 13 uses two more, which 12
// reserves and leaves unchanged. A caller of 11 gets the fields of its struct (generated copies);
// for a newer caller on an older runtime the driver is asked as the newer runtime would ask it
// (read in the machine code of 12.9 and 13.5).
#include "cudart_adapters.h"

namespace anycuda {
namespace {

struct Field {
  std::size_t offset;
  driver::CUfunction_attribute attribute;
};

template <typename Attributes>
constexpr Field kAddedBy12[] = {
    {offsetof(Attributes, clusterDimMustBeSet), driver::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET},
    {offsetof(Attributes, requiredClusterWidth), driver::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH},
    {offsetof(Attributes, requiredClusterHeight),
     driver::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT},
    {offsetof(Attributes, requiredClusterDepth), driver::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH},
    {offsetof(Attributes, clusterSchedulingPolicyPreference),
     driver::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE},
    {offsetof(Attributes, nonPortableClusterSizeAllowed),
     driver::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED},
};

constexpr Field kAddedBy13[] = {
    {offsetof(v13::cudaFuncAttributes, deviceNodeUpdateStatus),
     driver::CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED},
    {offsetof(v13::cudaFuncAttributes, sharedMemoryMode),
     driver::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE},
};

// An attribute that the driver does not know stays 0, and so do all where the runtime has no
// CUfunction for a kernel (12 has none for the handles of cudaLibraryGetKernel).
template <std::size_t count>
void fill(void* attributes, const Field (&fields)[count], const void* function) {
  const KeepLastError last_error_scope;
  driver::CUfunction known = nullptr;
  if (v11::cudaGetFuncBySymbol(&known, function) != 0) return;
  for (const Field& field : fields) {
    int value = 0;
    if (driver::cuFuncGetAttribute(&value, field.attribute, known) != 0) value = 0;
    std::memcpy(static_cast<char*>(attributes) + field.offset, &value, sizeof value);
  }
}

// A function that the runtime does not know leaves the caller's struct alone, in every major.
template <typename LibraryType, typename CallerType>
Status get(Status (*of_library)(LibraryType*, const void*), CallerType* attributes,
           const void* function) {
  LibraryType copy = {};
  const Status status = of_library(attributes != nullptr ? &copy : nullptr, function);
  if (status == 0 && attributes != nullptr) convert(copy, attributes);
  return status;
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_func_attributes_of_12_on_11(
    v12::cudaFuncAttributes* attributes, const void* function) {
  const Status status = get(&v11::cudaFuncGetAttributes, attributes, function);
  if (status == 0 && attributes != nullptr) {
    fill(attributes, kAddedBy12<v12::cudaFuncAttributes>, function);
  }
  return status;
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_func_attributes_of_13_on_11(
    v13::cudaFuncAttributes* attributes, const void* function) {
  const Status status = get(&v11::cudaFuncGetAttributes, attributes, function);
  if (status == 0 && attributes != nullptr) {
    fill(attributes, kAddedBy12<v13::cudaFuncAttributes>, function);
    fill(attributes, kAddedBy13, function);
  }
  return status;
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_func_attributes_of_13_on_12(
    v13::cudaFuncAttributes* attributes, const void* function) {
  const Status status = get(&v12::cudaFuncGetAttributes, attributes, function);
  if (status == 0 && attributes != nullptr) fill(attributes, kAddedBy13, function);
  return status;
}

}  // namespace anycuda
