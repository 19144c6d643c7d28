// SPDX-License-Identifier: Apache-2.0

// Descriptors of textures, filled as a program fills them, and compared as it reads them.
#pragma once

#include "support.h"

namespace conformance {

constexpr int kWidth = 16;
constexpr int kHeight = 8;

// Number of element x, y in every image of the texture topics.
inline float pixel(int x, int y) { return static_cast<float>(100 * y + x); }

inline std::vector<float> image() {
  std::vector<float> pixels;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) pixels.push_back(pixel(x, y));
  }
  return pixels;
}

// 11.8 has two of them, so this is a template: cudaTextureDesc and cudaTextureDesc_v2.
template <typename TextureDesc>
TextureDesc texture_desc(cudaTextureFilterMode filter) {
  TextureDesc desc = {};
  for (auto& mode : desc.addressMode) mode = cudaAddressModeClamp;
  desc.filterMode = filter;
  desc.readMode = cudaReadModeElementType;
  return desc;
}

// A descriptor in which every field has another value.
template <typename TextureDesc>
TextureDesc rich_texture_desc() {
  TextureDesc desc = texture_desc<TextureDesc>(cudaFilterModeLinear);
  desc.addressMode[0] = cudaAddressModeBorder;
  desc.addressMode[1] = cudaAddressModeClamp;
  desc.addressMode[2] = cudaAddressModeBorder;
  for (int i = 0; i < 4; ++i) desc.borderColor[i] = 1.5F + static_cast<float>(i);
  desc.normalizedCoords = 1;
  desc.maxAnisotropy = 4;
  desc.mipmapFilterMode = cudaFilterModeLinear;
  desc.mipmapLevelBias = 0.5F;
  desc.minMipmapLevelClamp = 0.25F;
  desc.maxMipmapLevelClamp = 2.0F;
  desc.disableTrilinearOptimization = 1;
  return desc;
}

// All but borderColor, which the getters leave as it was or fill with anything: measured natively
// on every release. That it arrives is seen in what a texture reads outside (textures.border).
template <typename TextureDesc>
void same_texture_desc(Check& check, const TextureDesc& got, const TextureDesc& want) {
  EQUAL(check, show(got.addressMode), show(want.addressMode));
  EQUAL(check, got.filterMode, want.filterMode);
  EQUAL(check, got.readMode, want.readMode);
  EQUAL(check, got.sRGB, want.sRGB);
  EQUAL(check, got.normalizedCoords, want.normalizedCoords);
  EQUAL(check, got.maxAnisotropy, want.maxAnisotropy);
  EQUAL(check, got.mipmapFilterMode, want.mipmapFilterMode);
  EQUAL(check, got.mipmapLevelBias, want.mipmapLevelBias);
  EQUAL(check, got.minMipmapLevelClamp, want.minMipmapLevelClamp);
  EQUAL(check, got.maxMipmapLevelClamp, want.maxMipmapLevelClamp);
  EQUAL(check, got.disableTrilinearOptimization, want.disableTrilinearOptimization);
}

inline void same_resource_desc(Check& check, const cudaResourceDesc& got,
                               const cudaResourceDesc& want) {
  EQUAL(check, got.resType, want.resType);
  if (got.resType != want.resType) return;
  switch (want.resType) {
    case cudaResourceTypeArray:
      EQUAL(check, got.res.array.array, want.res.array.array);
      break;
    case cudaResourceTypeMipmappedArray:
      EQUAL(check, got.res.mipmap.mipmap, want.res.mipmap.mipmap);
      break;
    case cudaResourceTypeLinear:
      EQUAL(check, got.res.linear.devPtr, want.res.linear.devPtr);
      EQUAL(check, got.res.linear.sizeInBytes, want.res.linear.sizeInBytes);
      EQUAL(check, got.res.linear.desc.x, want.res.linear.desc.x);
      EQUAL(check, got.res.linear.desc.f, want.res.linear.desc.f);
      break;
    case cudaResourceTypePitch2D:
      EQUAL(check, got.res.pitch2D.devPtr, want.res.pitch2D.devPtr);
      EQUAL(check, got.res.pitch2D.desc.x, want.res.pitch2D.desc.x);
      EQUAL(check, got.res.pitch2D.desc.f, want.res.pitch2D.desc.f);
      EQUAL(check, got.res.pitch2D.width, want.res.pitch2D.width);
      EQUAL(check, got.res.pitch2D.height, want.res.pitch2D.height);
      EQUAL(check, got.res.pitch2D.pitchInBytes, want.res.pitch2D.pitchInBytes);
      break;
    default:
      break;
  }
}

// An array with the image in it, and what describes it as a resource.
inline bool fill_array(Check& check, Array& array, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  if (!CALL(check, cudaMallocArray(&array, &format, kWidth, kHeight, flags))) return false;
  const std::vector<float> pixels = image();
  return CALL(check, cudaMemcpy2DToArray(array, 0, 0, pixels.data(), kWidth * sizeof(float),
                                         kWidth * sizeof(float), kHeight, cudaMemcpyHostToDevice));
}

inline cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

}  // namespace conformance
