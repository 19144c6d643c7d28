// SPDX-License-Identifier: Apache-2.0

// Texture objects of callers built for 12 and 13 on the runtime of 11. What 12 takes by the plain
// name takes 11.8 as _v2: a cudaTextureDesc of 72 bytes. 11.7 has no _v2 and takes those 72 bytes
// by the plain name, whose last field, seamlessCubemap, only 11.8 took away again (types.txt).
#include "cudart_adapters.h"

namespace anycuda {
namespace {

bool runtime_has_second_form() {
  static std::atomic<void*> cache;
  return library_function(&cache, "cudaCreateTextureObject_v2") != nullptr;
}

v11::cudaError_t create(v11::cudaTextureObject_t* object, const v11::cudaResourceDesc* resource,
                        const v12::cudaTextureDesc* texture,
                        const v11::cudaResourceViewDesc* resource_view) {
  if (runtime_has_second_form()) {
    const auto* second = reinterpret_cast<const v11::cudaTextureDesc_v2*>(texture);
    return v11::cudaCreateTextureObject_v2(object, resource, second, resource_view);
  }
  const auto* of_11_7 = reinterpret_cast<const v11::cudaTextureDesc*>(texture);
  return v11::cudaCreateTextureObject(object, resource, of_11_7, resource_view);
}

}  // namespace

static_assert(sizeof(v12::cudaTextureDesc) == sizeof(v11::cudaTextureDesc_v2));

ANYCUDA_ADAPTER v12::cudaError_t adapt_create_texture_object_12_on_11(
    v12::cudaTextureObject_t* object, const v12::cudaResourceDesc* resource,
    const v12::cudaTextureDesc* texture, const v12::cudaResourceViewDesc* resource_view) {
  return create(object, resource, texture, resource_view);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_create_texture_object_13_on_11(
    v13::cudaTextureObject_t* object, const v13::cudaResourceDesc* resource,
    const v13::cudaTextureDesc* texture, const v13::cudaResourceViewDesc* resource_view) {
  v11::cudaResourceDesc resource_of_11 = {};
  v11::cudaResourceViewDesc view_of_11 = {};
  if (resource != nullptr) convert(*resource, &resource_of_11);
  if (resource_view != nullptr) convert(*resource_view, &view_of_11);
  return create(object, resource != nullptr ? &resource_of_11 : nullptr, texture,
                resource_view != nullptr ? &view_of_11 : nullptr);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_get_texture_desc_on_11(v12::cudaTextureDesc* texture,
                                                              v12::cudaTextureObject_t object) {
  if (runtime_has_second_form()) {
    auto* second = reinterpret_cast<v11::cudaTextureDesc_v2*>(texture);
    return v11::cudaGetTextureObjectTextureDesc_v2(second, object);
  }
  auto* of_11_7 = reinterpret_cast<v11::cudaTextureDesc*>(texture);
  return v11::cudaGetTextureObjectTextureDesc(of_11_7, object);
}

}  // namespace anycuda
