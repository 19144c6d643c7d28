// SPDX-License-Identifier: Apache-2.0

// Binding texture and surface references, in the order in which 11.8 checks and does everything
// (read in its machine code): which error a program gets depends on it.
#include <algorithm>

#include "stubs/cudart/adapters/references.h"
#include "stubs/cudart/adapters/references_format.h"
#include "stubs/cudart/adapters/references_handles.h"
#include "stubs/cudart/adapters/references_texture.h"

namespace anycuda {
namespace {

using namespace references;  // NOLINT: what all of this is about

// Called after the driver's bind: if that failed, the program gets the error and nothing is bound.
Status bound_to(const Texture& texture, Status driver_status, const Format& format,
                const std::size_t* offset) {
  if (driver_status != 0) return remember(driver_status);
  look_at_launches();
  set_bound(texture.bound, texture.handle, format.format, offset);
  return 0;
}

Status set_format(const Texture& texture, const Format& format) {
  return driver::cuTexRefSetFormat(texture.handle, format.format,
                                   static_cast<int>(format.channels));
}

Status attribute(unsigned which, std::size_t* value) {
  int device = 0;
  int number = 0;
  Status status = v11::cudaGetDevice(&device);
  if (status == 0) status = v11::cudaDeviceGetAttribute(&number, which, device);
  *value = static_cast<std::size_t>(number);
  return status;
}

Status format_argument(const v11::cudaChannelFormatDesc* desc, Format* format) {
  if (desc == nullptr) return v11::cudaErrorInvalidValue;
  return format_of(*desc, format) ? 0 : v11::cudaErrorInvalidChannelDescriptor;
}

// Does the memory or array have the texture's format? Halves are read as floats, too.
Status check_format(const Texture& texture, Format format) {
  Format own = {};
  const Status status = format_argument(&texture.host().channelDesc, &own);
  if (status != 0) return status;
  if (format.format == driver::CU_AD_FORMAT_HALF && own.format == driver::CU_AD_FORMAT_FLOAT) {
    format.format = own.format;
  }
  return format == own ? 0 : v11::cudaErrorInvalidValue;
}

// Device memory as textures take it: from an aligned address on.
struct Linear {
  driver::CUdeviceptr start;
  std::size_t offset;     // from that address to the program's address
  std::size_t available;  // from the program's address to the end of the allocation
};

// `offset` is the program's: without one, memory must be aligned.
Status find_memory(const void* pointer, std::size_t* offset, Linear* memory) {
  const auto address = static_cast<driver::CUdeviceptr>(reinterpret_cast<std::uintptr_t>(pointer));
  driver::CUdeviceptr base = 0;
  std::size_t range = 0;
  std::size_t alignment = 0;
  Status status = driver::cuMemGetAddressRange_v2(&base, &range, address);
  if (status == 0) status = attribute(v11::cudaDevAttrTextureAlignment, &alignment);
  if (status != 0) return status;
  memory->offset = address & (alignment - 1);
  memory->start = address - memory->offset;
  memory->available = range - (address - base);
  if (offset != nullptr) *offset = memory->offset;
  return offset != nullptr || memory->offset == 0 ? 0 : v11::cudaErrorInvalidValue;
}

Status array_format(driver::CUarray array, Format* format) {
  driver::CUDA_ARRAY3D_DESCRIPTOR desc = {};
  const Status status = driver::cuArray3DGetDescriptor_v2(&desc, array);
  if (status != 0) return status;
  *format = {desc.Format, desc.NumChannels};
  return known(*format) ? 0 : v11::cudaErrorInvalidChannelDescriptor;
}

// An array, or a mipmapped one by its first level. `first_level(&array)` finds it, `bind(texture)`
// calls the driver.
template <typename FirstLevel, typename Bind>
Status bind_array(const v11::textureReference* host, const v11::cudaChannelFormatDesc* desc,
                  FirstLevel first_level, Bind bind) {
  Status status = ready();
  if (status != 0) return status;
  Texture texture;
  driver::CUarray array = nullptr;
  Format held = {};
  Format format = {};
  status = find(host, &texture);
  if (status == 0) status = first_level(&array);
  if (status == 0) status = array_format(array, &held);
  if (status == 0) status = format_argument(desc, &format);
  if (status == 0 && !(held == format)) status = v11::cudaErrorInvalidValue;
  if (status == 0) status = check_format(texture, format);
  if (status != 0) return remember(status);
  unbind(texture);
  // Without the flag that lets a reference override the format: the format comes right after.
  status = bind(texture.handle);
  if (status == 0) status = set_format(texture, format);
  return bound_to(texture, status, format, nullptr);
}

}  // namespace

ANYCUDA_ADAPTER v11::cudaError_t adapt_bind_texture(std::size_t* offset,
                                                    const v11::textureReference* host,
                                                    const void* pointer,
                                                    const v11::cudaChannelFormatDesc* desc,
                                                    std::size_t bytes) {
  Status status = ready();
  if (status != 0) return status;
  Texture texture;
  Linear memory = {};
  Format format = {};
  status = find(host, &texture);
  if (status == 0) status = find_memory(pointer, offset, &memory);
  if (status == 0) status = format_argument(desc, &format);
  if (status == 0) status = check_format(texture, format);
  if (status != 0) return remember(status);
  unbind(texture);
  status = set_format(texture, format);
  if (status == 0) {
    status = driver::cuTexRefSetAddress_v2(nullptr, texture.handle, memory.start,
                                           std::min(bytes, memory.available) + memory.offset);
  }
  return bound_to(texture, status, format, &memory.offset);
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_bind_texture_2d(std::size_t* offset,
                                                       const v11::textureReference* host,
                                                       const void* pointer,
                                                       const v11::cudaChannelFormatDesc* desc,
                                                       std::size_t width, std::size_t height,
                                                       std::size_t pitch) {
  Status status = ready();
  if (status != 0) return status;
  Texture texture;
  Linear memory = {};
  Format format = {};
  std::size_t alignment = 1;
  if (width * height == 0) status = v11::cudaErrorInvalidValue;
  if (status == 0) status = format_argument(desc, &format);
  if (status == 0) status = find(host, &texture);
  if (status == 0) status = find_memory(pointer, offset, &memory);
  if (status == 0 && height > 1) {
    status = attribute(v11::cudaDevAttrTexturePitchAlignment, &alignment);
  }
  if (status == 0 && (pitch & (alignment - 1)) != 0) status = v11::cudaErrorInvalidValue;
  if (status == 0) status = check_format(texture, format);
  if (status != 0) return remember(status);
  unbind(texture);
  // 11.8 hands on 32 bits of each.
  const driver::CUDA_ARRAY_DESCRIPTOR shape = {static_cast<std::uint32_t>(width),
                                               static_cast<std::uint32_t>(height), format.format,
                                               format.channels};
  status = driver::cuTexRefSetAddress2D_v3(texture.handle, &shape, memory.start, pitch);
  return bound_to(texture, status, format, &memory.offset);
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_bind_texture_to_array(
    const v11::textureReference* host, v11::cudaArray_const_t array,
    const v11::cudaChannelFormatDesc* desc) {
  const driver::CUarray handle = handle_of(array);
  const auto itself = [handle](driver::CUarray* first) {
    *first = handle;
    return Status{0};
  };
  return bind_array(host, desc, itself, [handle](driver::CUtexref texture) {
    return driver::cuTexRefSetArray(texture, handle, 0);
  });
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_bind_texture_to_mipmapped_array(
    const v11::textureReference* host, v11::cudaMipmappedArray_const_t array,
    const v11::cudaChannelFormatDesc* desc) {
  const driver::CUmipmappedArray handle = handle_of(array);
  const auto level_0 = [handle](driver::CUarray* first) {
    return driver::cuMipmappedArrayGetLevel(first, handle, 0);
  };
  return bind_array(host, desc, level_0, [handle](driver::CUtexref texture) {
    return driver::cuTexRefSetMipmappedArray(texture, handle, 0);
  });
}

ANYCUDA_ADAPTER v11::cudaError_t adapt_bind_surface_to_array(const v11::surfaceReference* host,
                                                             v11::cudaArray_const_t array,
                                                             const v11::cudaChannelFormatDesc*) {
  Status status = ready();
  if (status != 0) return status;
  const Reference* reference = find_surface(host);
  driver::CUsurfref surface = nullptr;
  Format format = {};
  status = reference != nullptr ? surface_of(*reference, &surface) : v11::cudaErrorInvalidSurface;
  if (status == 0) status = array_format(handle_of(array), &format);
  if (status == 0) status = driver::cuSurfRefSetArray(surface, handle_of(array), 0);
  return driver_answer(status);
}

}  // namespace anycuda
