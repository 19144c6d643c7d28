// SPDX-License-Identifier: Apache-2.0

// Texture objects over each kind of resource: a kernel's reads through them, and their descriptors.
#include "support.h"
#include "texture_desc.h"
#include "topics.h"

namespace conformance {

namespace {

constexpr int kNumbers = 64;

__global__ void fetch_linear(cudaTextureObject_t texture, float* to, int count) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < count) to[i] = tex1Dfetch<float>(texture, i);
}

__global__ void fetch_2d(cudaTextureObject_t texture, float* to) {
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  to[y * kWidth + x] = tex2D<float>(texture, x + 0.5F, y + 0.5F);
}

__global__ void fetch_outside(cudaTextureObject_t texture, float* to) {
  *to = tex2D<float>(texture, -5.0F, -5.0F);
}

__global__ void fetch_level(cudaTextureObject_t texture, float* to, float level) {
  *to = tex2DLod<float>(texture, 0.5F, 0.5F, level);
}

void expect_image(Check& check, cudaTextureObject_t texture) {
  DeviceArray<float> to(check, kWidth * kHeight);
  if (!check) return;
  fetch_2d<<<1, dim3(kWidth, kHeight)>>>(texture, to.get());
  CALL(check, cudaGetLastError());
  EQUAL(check, to.read() == image(), true);
}

// The three getters, for a texture that was made from these.
void say(Check& check, cudaTextureObject_t texture, const cudaResourceDesc& resource,
         const cudaTextureDesc& desc) {
  if (!check) return;
  Guarded<cudaResourceDesc> got_resource;
  if (CALL(check, cudaGetTextureObjectResourceDesc(got_resource.get(), texture))) {
    same_resource_desc(check, *got_resource, resource);
  }
  INTACT(check, got_resource);
  Guarded<cudaTextureDesc> got_desc;
  if (CALL(check, cudaGetTextureObjectTextureDesc(got_desc.get(), texture))) {
    same_texture_desc(check, *got_desc, desc);
  }
  INTACT(check, got_desc);
}

void linear() {
  Check check("textures.linear");
  DeviceArray<float> memory(check, kNumbers);
  std::vector<float> numbers;
  for (int i = 0; i < kNumbers; ++i) numbers.push_back(static_cast<float>(i) * 0.5F);
  if (!check) return;
  memory.write(numbers);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory.get();
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = memory.bytes();
  const auto desc = texture_desc<cudaTextureDesc>(cudaFilterModePoint);
  Texture texture;
  if (!CALL(check, cudaCreateTextureObject(&texture, &resource, &desc, nullptr))) return;
  DeviceArray<float> to(check, kNumbers);
  if (!check) return;
  fetch_linear<<<1, kNumbers>>>(texture, to.get(), kNumbers);
  CALL(check, cudaGetLastError());
  EQUAL(check, to.read() == numbers, true);
  say(check, texture, resource, desc);
  Guarded<cudaResourceViewDesc> view;
  STATUS(check, "view", cudaGetTextureObjectResourceViewDesc(view.get(), texture));
  INTACT(check, view);
}

void pitched() {
  Check check("textures.pitched");
  void* memory = nullptr;
  std::size_t pitch = 0;
  if (!CALL(check, cudaMallocPitch(&memory, &pitch, kWidth * sizeof(float), kHeight))) return;
  const std::vector<float> pixels = image();
  CALL(check, cudaMemcpy2D(memory, pitch, pixels.data(), kWidth * sizeof(float),
                           kWidth * sizeof(float), kHeight, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = pitch;
  const auto desc = texture_desc<cudaTextureDesc>(cudaFilterModePoint);
  {
    Texture texture;
    if (CALL(check, cudaCreateTextureObject(&texture, &resource, &desc, nullptr))) {
      expect_image(check, texture);
      say(check, texture, resource, desc);
    }
  }
  CALL(check, cudaFree(memory));
}

void of_array() {
  Check check("textures.array");
  Array array;
  if (!fill_array(check, array, 0)) return;
  const cudaResourceDesc resource = resource_of(array);
  const auto desc = texture_desc<cudaTextureDesc>(cudaFilterModePoint);
  Texture texture;
  if (!CALL(check, cudaCreateTextureObject(&texture, &resource, &desc, nullptr))) return;
  expect_image(check, texture);
  say(check, texture, resource, desc);
}

void border() {
  Check check("textures.border");
  Array array;
  if (!fill_array(check, array, 0)) return;
  const cudaResourceDesc resource = resource_of(array);
  auto desc = texture_desc<cudaTextureDesc>(cudaFilterModePoint);
  for (auto& mode : desc.addressMode) mode = cudaAddressModeBorder;
  for (float& color : desc.borderColor) color = 2.5F;
  Texture texture;
  if (!CALL(check, cudaCreateTextureObject(&texture, &resource, &desc, nullptr))) return;
  DeviceArray<float> to(check, 1);
  if (!check) return;
  fetch_outside<<<1, 1>>>(texture, to.get());
  CALL(check, cudaGetLastError());
  check.value("outside", to.read()[0]);
}

// Every field of a texture desc, read back.
void all_fields() {
  Check check("textures.all_fields");
  Array array;
  if (!fill_array(check, array, 0)) return;
  const cudaResourceDesc resource = resource_of(array);
  const auto desc = rich_texture_desc<cudaTextureDesc>();
  Texture texture;
  if (!CALL(check, cudaCreateTextureObject(&texture, &resource, &desc, nullptr))) return;
  say(check, texture, resource, desc);
}

void with_view() {
  Check check("textures.view");
  Array array;
  if (!fill_array(check, array, 0)) return;
  const cudaResourceDesc resource = resource_of(array);
  const auto desc = texture_desc<cudaTextureDesc>(cudaFilterModePoint);
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = kWidth;
  view.height = kHeight;
  Texture texture;
  if (!CALL(check, cudaCreateTextureObject(&texture, &resource, &desc, &view))) return;
  expect_image(check, texture);
  Guarded<cudaResourceViewDesc> got;
  if (CALL(check, cudaGetTextureObjectResourceViewDesc(got.get(), texture))) {
    check.value("format", got->format);
    check.value("width", got->width);
    check.value("height", got->height);
    check.value("depth", got->depth);
    check.value("firstMipmapLevel", got->firstMipmapLevel);
    check.value("lastMipmapLevel", got->lastMipmapLevel);
    check.value("firstLayer", got->firstLayer);
    check.value("lastLayer", got->lastLayer);
  }
  INTACT(check, got);
}

void mipmapped() {
  Check check("textures.mipmapped");
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  MipmappedArray levels;
  constexpr unsigned kLevels = 2;
  if (!CALL(check, cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(8, 8, 0), kLevels))) {
    return;
  }
  for (unsigned i = 0; i < kLevels; ++i) {
    const std::size_t side = 8 >> i;
    const std::vector<float> pixels(side * side, 10.0F + static_cast<float>(i));
    cudaArray_t level = nullptr;
    CALL(check, cudaGetMipmappedArrayLevel(&level, levels, i));
    CALL(check, cudaMemcpy2DToArray(level, 0, 0, pixels.data(), side * sizeof(float),
                                    side * sizeof(float), side, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  auto desc = texture_desc<cudaTextureDesc>(cudaFilterModePoint);
  desc.normalizedCoords = 1;
  desc.mipmapFilterMode = cudaFilterModePoint;
  desc.maxMipmapLevelClamp = kLevels - 1;
  Texture texture;
  if (!check || !CALL(check, cudaCreateTextureObject(&texture, &resource, &desc, nullptr))) return;
  for (unsigned i = 0; i < kLevels; ++i) {
    DeviceArray<float> to(check, 1);
    if (!check) return;
    fetch_level<<<1, 1>>>(texture, to.get(), static_cast<float>(i));
    CALL(check, cudaGetLastError());
    to.expect("read from the level", 10.0F + static_cast<float>(i));
  }
  say(check, texture, resource, desc);
}

void wrong() {
  Check check("textures.wrong");
  const auto desc = texture_desc<cudaTextureDesc>(cudaFilterModePoint);
  Guarded<cudaTextureObject_t> texture;
  STATUS(check, "no_resource", cudaCreateTextureObject(texture.get(), nullptr, &desc, nullptr));
  const cudaResourceDesc resource = resource_of(nullptr);
  STATUS(check, "no_array", cudaCreateTextureObject(texture.get(), &resource, &desc, nullptr));
  INTACT(check, texture);
  Guarded<cudaTextureDesc> got;
  STATUS(check, "no_such_texture", cudaGetTextureObjectTextureDesc(got.get(), 0));
  INTACT(check, got);
}

#if CUDART_VERSION < 12000
// The second descriptor, which has other names in 11.8.
void second_form() {
  Check check("textures.second_form");
  Array array;
  if (!fill_array(check, array, 0)) return;
  const cudaResourceDesc resource = resource_of(array);
  auto desc = texture_desc<cudaTextureDesc_v2>(cudaFilterModePoint);
  Texture texture;
  if (!CALL(check, cudaCreateTextureObject_v2(&texture, &resource, &desc, nullptr))) return;
  expect_image(check, texture);
  Guarded<cudaTextureDesc_v2> got;
  if (CALL(check, cudaGetTextureObjectTextureDesc_v2(got.get(), texture))) {
    same_texture_desc(check, *got, desc);
    EQUAL(check, got->seamlessCubemap, 0);
  }
  INTACT(check, got);
}
#endif

}  // namespace

void textures() {
  linear();
  pitched();
  of_array();
  border();
  all_fields();
  with_view();
  mipmapped();
#if CUDART_VERSION < 12000
  second_form();
#endif
  wrong();
}

}  // namespace conformance
