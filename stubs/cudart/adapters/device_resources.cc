// SPDX-License-Identifier: Apache-2.0

// Parts of a device (13.1) on older runtimes, for use with the driver's green contexts. The runtime
// of 13 passes these calls to the driver unchanged (read in the machine code of 13.5), whose
// structs and enumerators are the same; the assertions below check that.
#include "stubs/cudart/adapters/context.h"
#include "stubs/cudart/adapters/device_driver.h"

namespace anycuda {
namespace {

using Resource = v13::cudaDevResource;
using DriversResource = driver::CUdevResource;
static_assert(sizeof(Resource) == sizeof(DriversResource) &&
              offsetof(Resource, sm) == offsetof(DriversResource, sm) &&
              offsetof(Resource, wqConfig) == offsetof(DriversResource, wqConfig) &&
              offsetof(Resource, nextResource) == offsetof(DriversResource, nextResource));

using Sm = v13::cudaDevSmResource;
using DriversSm = driver::CUdevSmResource;
static_assert(sizeof(Sm) == sizeof(DriversSm) &&
              offsetof(Sm, minSmPartitionSize) == offsetof(DriversSm, minSmPartitionSize) &&
              offsetof(Sm, smCoscheduledAlignment) == offsetof(DriversSm, smCoscheduledAlignment) &&
              offsetof(Sm, flags) == offsetof(DriversSm, flags) &&
              offsetof(Sm, localityDomainId) == offsetof(DriversSm, localityDomainId));

using Group = v13::cudaDevSmResourceGroupParams;
using DriversGroup = driver::CU_DEV_SM_RESOURCE_GROUP_PARAMS;
static_assert(sizeof(Group) == sizeof(DriversGroup) &&
              offsetof(Group, coscheduledSmCount) == offsetof(DriversGroup, coscheduledSmCount) &&
              offsetof(Group, preferredCoscheduledSmCount) ==
                  offsetof(DriversGroup, preferredCoscheduledSmCount) &&
              offsetof(Group, flags) == offsetof(DriversGroup, flags) &&
              offsetof(Group, localityDomainId) == offsetof(DriversGroup, localityDomainId));

static_assert(v13::cudaDevResourceTypeSm == driver::CU_DEV_RESOURCE_TYPE_SM);
static_assert(v13::cudaDevResourceTypeWorkqueueConfig ==
              driver::CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG);
static_assert(v13::cudaDevResourceTypeWorkqueue == driver::CU_DEV_RESOURCE_TYPE_WORKQUEUE);

DriversResource* drivers(Resource* resource) {
  return reinterpret_cast<DriversResource*>(resource);
}
const DriversResource* drivers(const Resource* resource) {
  return reinterpret_cast<const DriversResource*>(resource);
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_device_get_resource(int device, Resource* resource,
                                                           v13::cudaDevResourceType type) {
  return in_driver([&] { return driver::cuDeviceGetDevResource(device, drivers(resource), type); });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_stream_get_resource(v13::cudaStream_t stream,
                                                           Resource* resource,
                                                           v13::cudaDevResourceType type) {
  return in_context(
      [&] { return driver::cuStreamGetDevResource(stream, drivers(resource), type); });
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_stream_get_resource_ptsz(v13::cudaStream_t stream,
                                                                Resource* resource,
                                                                v13::cudaDevResourceType type) {
  return in_context(
      [&] { return driver::cuStreamGetDevResource_ptsz(stream, drivers(resource), type); });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_resource_split(Resource* result, unsigned groups,
                                                      const Resource* input, Resource* remainder,
                                                      unsigned flags, Group* parameters) {
  return in_driver([&] {
    return driver::cuDevSmResourceSplit(drivers(result), groups, drivers(input), drivers(remainder),
                                        flags, reinterpret_cast<DriversGroup*>(parameters));
  });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_resource_split_by_count(Resource* result, unsigned* groups,
                                                               const Resource* input,
                                                               Resource* remainder, unsigned flags,
                                                               unsigned least) {
  return in_driver([&] {
    return driver::cuDevSmResourceSplitByCount(drivers(result), groups, drivers(input),
                                               drivers(remainder), flags, least);
  });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_resource_description(v13::cudaDevResourceDesc_t* description,
                                                            Resource* resources, unsigned count) {
  return in_driver(
      [&] { return driver::cuDevResourceGenerateDesc(description, drivers(resources), count); });
}

}  // namespace anycuda
