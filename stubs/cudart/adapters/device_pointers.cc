// SPDX-License-Identifier: Apache-2.0

// cudaPointerGetAttributes. 13's struct begins like that of 11 and 12, and is longer. With a driver
// and a device, every runtime fills its whole struct, on a failure with zeroes and device -1 (read
// in the machine code of 11.8, 12.9 and 13.5). Without them it fills nothing.
#include "cudart_adapters.h"

namespace anycuda {
namespace {

// A type that runtimes never write: a struct that still has it was not filled.
constexpr auto kNotFilled = static_cast<v11::cudaMemoryType>(-1);

// Of 13.4, by an attribute of the driver; -1 is an allocation in no locality domain (cuda.h).
int locality_domain(const void* pointer) {
  int ordinal = -1;
  const Status status =
      driver::cuPointerGetAttribute(&ordinal, driver::CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL,
                                    reinterpret_cast<driver::CUdeviceptr>(pointer));
  return status == 0 ? ordinal : -1;  // a driver before 13.4 does not know the attribute
}

}  // namespace

ANYCUDA_ADAPTER v11::cudaError_t adapt_pointer_attributes_on_13(
    v11::cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return v13::cudaPointerGetAttributes(nullptr, pointer);
  v13::cudaPointerAttributes library_attributes = {};
  library_attributes.type = kNotFilled;
  const Status status = v13::cudaPointerGetAttributes(&library_attributes, pointer);
  if (library_attributes.type != kNotFilled) convert(library_attributes, attributes);
  return status;
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_pointer_attributes_of_13(
    v13::cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return v12::cudaPointerGetAttributes(nullptr, pointer);
  v12::cudaPointerAttributes library_attributes = {};
  library_attributes.type = kNotFilled;
  const Status status = v12::cudaPointerGetAttributes(&library_attributes, pointer);
  if (library_attributes.type == kNotFilled) return status;
  convert(library_attributes, attributes);
  attributes->localityDomainOrdinal = status == 0 ? locality_domain(pointer) : -1;
  return status;
}

}  // namespace anycuda
