// SPDX-License-Identifier: Apache-2.0

// Texture and surface references on the runtimes of 12 and 13, which dropped them. Programs built
// by nvcc 11 have them in their device code, and the driver still knows them: by module and name.
// Each function repeats the steps of 11.8's function (read in its machine code).
#include "stubs/cudart/adapters/references_handles.h"
#include "stubs/cudart/adapters/references_texture.h"

namespace anycuda {
namespace references {

Status find(const void* host, Texture* texture) {
  texture->reference = find_texture(host);
  if (texture->reference == nullptr) return v11::cudaErrorInvalidTexture;
  Status status = texture_of(*texture->reference, &texture->handle);
  ContextId context = 0;
  if (status == 0) status = driver::cuCtxGetId(nullptr, &context);
  if (status != 0) return status;
  texture->bound = bound_in(*texture->reference, context);
  return texture->bound != nullptr ? 0 : v11::cudaErrorMemoryAllocation;
}

void unbind(const Texture& texture) {
  driver::cuTexRefSetAddress_v2(nullptr, texture.handle, 0, 0);
  set_unbound(texture.bound);
}

}  // namespace references

using namespace references;  // NOLINT: what all of this is about

// nvcc passes the name in the device code as the address on the device; as the name it passes the
// C++ name ("::image").
ANYCUDA_ADAPTER void adapt_register_texture(void** fat_binary, const v11::textureReference* host,
                                            const void** device, const char*, int dimensions,
                                            int normalized, int external) {
  add_reference({host, fat_binary, reinterpret_cast<const char*>(device), dimensions, false,
                 normalized != 0, external == 1});
}

ANYCUDA_ADAPTER void adapt_register_surface(void** fat_binary, const v11::surfaceReference* host,
                                            const void** device, const char*, int dimensions,
                                            int external) {
  add_reference({host, fat_binary, reinterpret_cast<const char*>(device), dimensions, true, false,
                 external == 1});
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_unbind_texture(const v11::textureReference* host) {
  Status status = ready();
  if (status != 0) return status;
  Texture texture;
  status = find(host, &texture);
  if (status != 0) return remember(status);
  unbind(texture);
  return 0;
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_get_texture_alignment_offset(
    std::size_t* offset, const v11::textureReference* host) {
  Status status = ready();
  if (status != 0) return status;
  Texture texture;
  status = find(host, &texture);
  if (status == 0 && offset == nullptr) status = v11::cudaErrorInvalidValue;
  if (status == 0 && !(texture.bound->bound && texture.bound->linear)) {
    status = v11::cudaErrorInvalidTextureBinding;
  }
  if (status != 0) return remember(status);
  *offset = texture.bound->offset;
  return 0;
}

// For an unknown reference 11.8 returns an error, and does not make it the last error.
ANYCUDA_ADAPTER v11::cudaError_t adapt_get_texture_reference(const v11::textureReference** found,
                                                             const void* symbol) {
  Status status = ready();
  if (status != 0) return status;
  if (found == nullptr) return remember(v11::cudaErrorInvalidValue);
  Texture texture;
  status = find(symbol, &texture);
  *found = status == 0 ? &texture.host() : nullptr;
  return status == v11::cudaErrorInvalidTexture ? status : driver_answer(status);
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_get_surface_reference(const v11::surfaceReference** found,
                                                             const void* symbol) {
  Status status = ready();
  if (status != 0) return status;
  if (found == nullptr) return remember(v11::cudaErrorInvalidValue);
  const Reference* reference = find_surface(symbol);
  driver::CUsurfref surface = nullptr;
  status = reference != nullptr ? surface_of(*reference, &surface) : v11::cudaErrorInvalidSurface;
  *found = status == 0 ? static_cast<const v11::surfaceReference*>(symbol) : nullptr;
  return status == v11::cudaErrorInvalidSurface ? status : driver_answer(status);
}

}  // namespace anycuda
