// SPDX-License-Identifier: Apache-2.0

// Texture and surface references, which 12 dropped: programs built for 11 have them in their code.
#include "support.h"
#include "texture_desc.h"
#include "topics.h"

#if CUDART_VERSION < 12000

namespace {

texture<float, cudaTextureType1D, cudaReadModeElementType> linear_reference;
texture<float, cudaTextureType2D, cudaReadModeElementType> image_reference;
texture<float, cudaTextureType2D, cudaReadModeElementType> levels_reference;
surface<void, cudaSurfaceType2D> surface_reference;

__global__ void fetch_linear(float* to) {
  to[threadIdx.x] = tex1Dfetch(linear_reference, static_cast<int>(threadIdx.x));
}

__global__ void fetch_2d(float* to) {
  to[threadIdx.y * conformance::kWidth + threadIdx.x] =
      tex2D(image_reference, threadIdx.x + 0.5F, threadIdx.y + 0.5F);
}

__global__ void fetch_level(float* to, float level) {
  *to = tex2DLod(levels_reference, 0.5F, 0.5F, level);
}

__global__ void write_surface() {
  surf2Dwrite(7.0F, surface_reference, static_cast<int>(threadIdx.x * sizeof(float)),
              static_cast<int>(threadIdx.y));
}

}  // namespace

namespace conformance {

namespace {

const textureReference* reference(Check& check, const void* symbol) {
  const textureReference* found = nullptr;
  CALL(check, cudaGetTextureReference(&found, symbol));
  return found;
}

void linear() {
  Check check("references.linear");
  DeviceArray<float> memory(check, kWidth * kHeight);
  if (!check) return;
  memory.write(image());
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  Guarded<std::size_t> offset;
  const textureReference* texture = reference(check, &linear_reference);
  if (!check ||
      !CALL(check, cudaBindTexture(offset.get(), texture, memory.get(), &format, memory.bytes()))) {
    return;
  }
  INTACT(check, offset);
  EQUAL(check, *offset, 0U);
  DeviceArray<float> to(check, kWidth);
  if (!check) return;
  fetch_linear<<<1, kWidth>>>(to.get());
  CALL(check, cudaGetLastError());
  std::vector<float> first_row = image();
  first_row.resize(kWidth);
  EQUAL(check, to.read() == first_row, true);
  Guarded<std::size_t> asked;
  CALL(check, cudaGetTextureAlignmentOffset(asked.get(), texture));
  INTACT(check, asked);
  EQUAL(check, *asked, 0U);
  CALL(check, cudaUnbindTexture(texture));
}

void expect_image(Check& check) {
  DeviceArray<float> to(check, kWidth * kHeight);
  if (!check) return;
  fetch_2d<<<1, dim3(kWidth, kHeight)>>>(to.get());
  CALL(check, cudaGetLastError());
  EQUAL(check, to.read() == image(), true);
}

void pitched() {
  Check check("references.pitched");
  void* memory = nullptr;
  std::size_t pitch = 0;
  if (!CALL(check, cudaMallocPitch(&memory, &pitch, kWidth * sizeof(float), kHeight))) return;
  const std::vector<float> pixels = image();
  CALL(check, cudaMemcpy2D(memory, pitch, pixels.data(), kWidth * sizeof(float),
                           kWidth * sizeof(float), kHeight, cudaMemcpyHostToDevice));
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::size_t offset = 1;
  const textureReference* texture = reference(check, &image_reference);
  if (check &&
      CALL(check, cudaBindTexture2D(&offset, texture, memory, &format, kWidth, kHeight, pitch))) {
    EQUAL(check, offset, 0U);
    expect_image(check);
    CALL(check, cudaUnbindTexture(texture));
  }
  cudaFree(memory);
}

void of_array() {
  Check check("references.array");
  Array array;
  if (!fill_array(check, array, 0)) return;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const textureReference* texture = reference(check, &image_reference);
  if (!check || !CALL(check, cudaBindTextureToArray(texture, array, &format))) return;
  expect_image(check);
  CALL(check, cudaUnbindTexture(texture));
}

// The settings are in the reference itself, and count when it is bound.
void settings() {
  Check check("references.settings");
  Array array;
  if (!fill_array(check, array, 0)) return;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  image_reference.filterMode = cudaFilterModeLinear;
  image_reference.addressMode[0] = cudaAddressModeClamp;
  const textureReference* texture = reference(check, &image_reference);
  if (check && CALL(check, cudaBindTextureToArray(texture, array, &format))) {
    expect_image(check);  // at the middle of an element, linear filtering gives that element
    CALL(check, cudaUnbindTexture(texture));
  }
  image_reference.filterMode = cudaFilterModePoint;
}

void mipmapped() {
  Check check("references.mipmapped");
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  MipmappedArray levels;
  if (!CALL(check, cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(8, 8, 0), 2))) return;
  for (unsigned i = 0; i < 2; ++i) {
    const std::size_t side = 8 >> i;
    const std::vector<float> pixels(side * side, 20.0F + static_cast<float>(i));
    cudaArray_t level = nullptr;
    CALL(check, cudaGetMipmappedArrayLevel(&level, levels, i));
    CALL(check, cudaMemcpy2DToArray(level, 0, 0, pixels.data(), side * sizeof(float),
                                    side * sizeof(float), side, cudaMemcpyHostToDevice));
  }
  levels_reference.normalized = 1;
  levels_reference.maxMipmapLevelClamp = 1;
  const textureReference* texture = reference(check, &levels_reference);
  if (!check || !CALL(check, cudaBindTextureToMipmappedArray(texture, levels, &format))) return;
  for (int i = 0; i < 2; ++i) {
    DeviceArray<float> to(check, 1);
    if (!check) return;
    fetch_level<<<1, 1>>>(to.get(), static_cast<float>(i));
    CALL(check, cudaGetLastError());
    to.expect("read from the level", 20.0F + static_cast<float>(i));
  }
  CALL(check, cudaUnbindTexture(texture));
}

void of_surface() {
  Check check("references.surface");
  Array array;
  if (!fill_array(check, array, cudaArraySurfaceLoadStore)) return;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const surfaceReference* surface = nullptr;
  if (!CALL(check, cudaGetSurfaceReference(&surface, &surface_reference)) ||
      !CALL(check, cudaBindSurfaceToArray(surface, array, &format))) {
    return;
  }
  write_surface<<<1, dim3(kWidth, kHeight)>>>();
  CALL(check, cudaGetLastError());
  CALL(check, cudaDeviceSynchronize());
  std::vector<float> pixels(kWidth * kHeight);
  CALL(check, cudaMemcpy2DFromArray(pixels.data(), kWidth * sizeof(float), array, 0, 0,
                                    kWidth * sizeof(float), kHeight, cudaMemcpyDeviceToHost));
  EQUAL(check, pixels == std::vector<float>(kWidth * kHeight, 7.0F), true);
}

void wrong() {
  Check check("references.wrong");
  static int no_texture = 0;
  const textureReference* texture = nullptr;
  STATUS(check, "no_texture", cudaGetTextureReference(&texture, &no_texture));
  STATUS(check, "unbind_null", cudaUnbindTexture(static_cast<const textureReference*>(nullptr)));
}

}  // namespace

void references() {
  linear();
  pitched();
  of_array();
  settings();
  mipmapped();
  of_surface();
  wrong();
}

}  // namespace conformance

#endif
