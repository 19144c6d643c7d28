// SPDX-License-Identifier: Apache-2.0

// Texture and surface objects across majors: the runtime's arguments, and the caller's results.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

constexpr v11::cudaTextureObject_t kObject = 0x7ec7;

// The arguments that a fake runtime of major Space got, and its facts about an object.
template <typename Resource, typename Texture, typename View>
struct Runtime {
  static inline Resource resource;
  static inline Texture texture;
  static inline View view;
  static inline const void* pointers[3];
  static inline Status status;

  static void clear() {
    resource = {};
    texture = {};
    view = {};
    status = 0;
    for (const void*& pointer : pointers) pointer = nullptr;
  }
  static Status create(v11::cudaTextureObject_t* object, const Resource* r, const Texture* t,
                       const View* v) {
    pointers[0] = r;
    pointers[1] = t;
    pointers[2] = v;
    if (r != nullptr) resource = *r;
    if (t != nullptr) texture = *t;
    if (v != nullptr) view = *v;
    if (status == 0 && object != nullptr) *object = kObject;
    return status;
  }
  static Status create_surface(v11::cudaSurfaceObject_t* object, const Resource* r) {
    return create(object, r, nullptr, nullptr);
  }
  template <typename T>
  static Status get(T* to, const T& from, v11::cudaTextureObject_t object) {
    EXPECT_EQ(object, kObject);
    if (status == 0 && to != nullptr) *to = from;
    return status;
  }
  static Status get_resource(Resource* to, v11::cudaTextureObject_t object) {
    return get(to, resource, object);
  }
  static Status get_texture(Texture* to, v11::cudaTextureObject_t object) {
    return get(to, texture, object);
  }
  static Status get_view(View* to, v11::cudaTextureObject_t object) {
    return get(to, view, object);
  }
};
using On11 = Runtime<v11::cudaResourceDesc, v11::cudaTextureDesc_v2, v11::cudaResourceViewDesc>;
// 11.7's plain form takes what later is _v2's.
using On11_7 = On11;
using On12 = Runtime<v12::cudaResourceDesc, v12::cudaTextureDesc, v12::cudaResourceViewDesc>;
using On13 = Runtime<v13::cudaResourceDesc, v13::cudaTextureDesc, v13::cudaResourceViewDesc>;

class Textures : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    On11::clear();
    On12::clear();
    On13::clear();
  }
};

template <typename Resource>
Resource pitched() {
  Resource resource = {};
  resource.resType = v11::cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = reinterpret_cast<void*>(0x1000);
  resource.res.pitch2D.desc = {8, 16, 24, 32, v11::cudaChannelFormatKindFloat};
  resource.res.pitch2D.width = 640;
  resource.res.pitch2D.height = 480;
  resource.res.pitch2D.pitchInBytes = 4096;
  return resource;
}
template <typename Resource>
void expect_pitched(const Resource& resource) {
  EXPECT_EQ(resource.resType, v11::cudaResourceTypePitch2D);
  EXPECT_EQ(resource.res.pitch2D.devPtr, reinterpret_cast<void*>(0x1000));
  EXPECT_EQ(resource.res.pitch2D.desc.x, 8);
  EXPECT_EQ(resource.res.pitch2D.desc.w, 32);
  EXPECT_EQ(resource.res.pitch2D.desc.f, v11::cudaChannelFormatKindFloat);
  EXPECT_EQ(resource.res.pitch2D.width, 640U);
  EXPECT_EQ(resource.res.pitch2D.height, 480U);
  EXPECT_EQ(resource.res.pitch2D.pitchInBytes, 4096U);
}

template <typename Texture>
Texture rich() {
  Texture texture = {};
  for (unsigned i = 0; i < 3; ++i) texture.addressMode[i] = 3 - i;
  texture.filterMode = 1;
  texture.readMode = 1;
  texture.sRGB = 4;
  for (int i = 0; i < 4; ++i) texture.borderColor[i] = 0.5F + static_cast<float>(i);
  texture.normalizedCoords = 5;
  texture.maxAnisotropy = 6;
  texture.mipmapFilterMode = 1;
  texture.mipmapLevelBias = 7.5F;
  texture.minMipmapLevelClamp = 8.5F;
  texture.maxMipmapLevelClamp = 9.5F;
  texture.disableTrilinearOptimization = 10;
  return texture;
}
template <typename Texture>
void expect_rich(const Texture& texture) {
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(texture.addressMode[i], 3 - i);
  EXPECT_EQ(texture.filterMode, 1U);
  EXPECT_EQ(texture.readMode, 1U);
  EXPECT_EQ(texture.sRGB, 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(texture.borderColor[i], 0.5F + static_cast<float>(i));
  EXPECT_EQ(texture.normalizedCoords, 5);
  EXPECT_EQ(texture.maxAnisotropy, 6U);
  EXPECT_EQ(texture.mipmapFilterMode, 1U);
  EXPECT_EQ(texture.mipmapLevelBias, 7.5F);
  EXPECT_EQ(texture.minMipmapLevelClamp, 8.5F);
  EXPECT_EQ(texture.maxMipmapLevelClamp, 9.5F);
  EXPECT_EQ(texture.disableTrilinearOptimization, 10);
}

template <typename View>
View layered() {
  View view = {};
  view.format = v11::cudaResViewFormatHalf4;
  view.width = 11;
  view.height = 12;
  view.depth = 13;
  view.firstMipmapLevel = 14;
  view.lastMipmapLevel = 15;
  view.firstLayer = 16;
  view.lastLayer = 17;
  return view;
}
template <typename View>
void expect_layered(const View& view) {
  EXPECT_EQ(view.format, v11::cudaResViewFormatHalf4);
  EXPECT_EQ(view.width, 11U);
  EXPECT_EQ(view.height, 12U);
  EXPECT_EQ(view.depth, 13U);
  EXPECT_EQ(view.firstMipmapLevel, 14U);
  EXPECT_EQ(view.lastMipmapLevel, 15U);
  EXPECT_EQ(view.firstLayer, 16U);
  EXPECT_EQ(view.lastLayer, 17U);
}

// One direction of creating a texture object: the caller's types, the runtime, the adapter.
template <typename Resource, typename Texture, typename View, typename On, typename Adapter>
void create_texture(Adapter adapter) {
  Guarded<v11::cudaTextureObject_t> object;
  Guarded<Resource> resource;
  Guarded<Texture> texture;
  Guarded<View> view;
  *resource = pitched<Resource>();
  *texture = rich<Texture>();
  *view = layered<View>();
  ASSERT_EQ(adapter(object.get(), resource.get(), texture.get(), view.get()), 0U);
  EXPECT_TRUE(object.intact());
  EXPECT_EQ(*object, kObject);
  expect_pitched(On::resource);
  expect_rich(On::texture);
  expect_layered(On::view);
  EXPECT_TRUE(resource.intact() && texture.intact() && view.intact());

  // What is not there is not there for the runtime either.
  ASSERT_EQ(adapter(object.get(), nullptr, nullptr, nullptr), 0U);
  for (const void* pointer : On::pointers) EXPECT_EQ(pointer, nullptr);

  On::status = 1;
  Guarded<v11::cudaTextureObject_t> untouched;
  EXPECT_EQ(adapter(untouched.get(), resource.get(), texture.get(), view.get()), 1U);
  EXPECT_TRUE(untouched.intact() && untouched.untouched());
}

TEST_F(Textures, OfACallerOf11AreCreatedOn12) {
  fake("cudaCreateTextureObject", On12::create);
  create_texture<v11::cudaResourceDesc, v11::cudaTextureDesc, v11::cudaResourceViewDesc, On12>(
      adapt_copy_11_12_cudaCreateTextureObject);
  EXPECT_EQ(On12::texture.seamlessCubemap, 0);
}

TEST_F(Textures, OfACallerOf11AreCreatedOn13) {
  fake("cudaCreateTextureObject", On13::create);
  create_texture<v11::cudaResourceDesc, v11::cudaTextureDesc, v11::cudaResourceViewDesc, On13>(
      adapt_copy_11_13_cudaCreateTextureObject);
  EXPECT_EQ(On13::texture.seamlessCubemap, 0);
  EXPECT_EQ(On13::resource.flags, 0U);
}

TEST_F(Textures, OfTheSecondFormOf11AreCreatedOn13) {
  fake("cudaCreateTextureObject", On13::create);
  create_texture<v11::cudaResourceDesc, v11::cudaTextureDesc_v2, v11::cudaResourceViewDesc, On13>(
      adapt_copy_11_13_cudaCreateTextureObject_v2);
}

TEST_F(Textures, OfACallerOf12AreCreatedOn13) {
  fake("cudaCreateTextureObject", On13::create);
  create_texture<v12::cudaResourceDesc, v12::cudaTextureDesc, v12::cudaResourceViewDesc, On13>(
      adapt_copy_12_13_cudaCreateTextureObject);
}

TEST_F(Textures, OfACallerOf13AreCreatedOn12) {
  fake("cudaCreateTextureObject", On12::create);
  create_texture<v13::cudaResourceDesc, v13::cudaTextureDesc, v13::cudaResourceViewDesc, On12>(
      adapt_copy_13_12_cudaCreateTextureObject);
}

TEST_F(Textures, Caller12On11_UsesTheSecondForm) {
  fake("cudaCreateTextureObject_v2", On11::create);
  create_texture<v12::cudaResourceDesc, v12::cudaTextureDesc, v12::cudaResourceViewDesc, On11>(
      adapt_create_texture_object_12_on_11);
}

TEST_F(Textures, Caller13On11_UsesTheSecondForm) {
  fake("cudaCreateTextureObject_v2", On11::create);
  create_texture<v13::cudaResourceDesc, v13::cudaTextureDesc, v13::cudaResourceViewDesc, On11>(
      adapt_create_texture_object_13_on_11);
}

TEST_F(Textures, AreCreatedOn11_7AsItsPlainForm) {
  fake("cudaCreateTextureObject", On11_7::create);
  create_texture<v12::cudaResourceDesc, v12::cudaTextureDesc, v12::cudaResourceViewDesc, On11_7>(
      adapt_create_texture_object_12_on_11);
  On11_7::clear();
  create_texture<v13::cudaResourceDesc, v13::cudaTextureDesc, v13::cudaResourceViewDesc, On11_7>(
      adapt_create_texture_object_13_on_11);
}

TEST_F(Textures, KeepSeamlessCubemapsOn11) {
  fake("cudaCreateTextureObject_v2", On11::create);
  v13::cudaTextureObject_t object = 0;
  v13::cudaTextureDesc texture = rich<v13::cudaTextureDesc>();
  texture.seamlessCubemap = 18;
  ASSERT_EQ(adapt_create_texture_object_13_on_11(&object, nullptr, &texture, nullptr), 0U);
  EXPECT_EQ(On11::texture.seamlessCubemap, 18);
}

// Every way of describing a resource, there and back.
TEST_F(Textures, AreMadeOfEveryKindOfResource) {
  fake("cudaCreateTextureObject", On13::create);
  v12::cudaTextureObject_t object = 0;
  v12::cudaResourceDesc resource = {};
  resource.resType = v12::cudaResourceTypeArray;
  resource.res.array.array = reinterpret_cast<v12::cudaArray_t>(0x20);
  adapt_copy_12_13_cudaCreateTextureObject(&object, &resource, nullptr, nullptr);
  EXPECT_EQ(On13::resource.resType, v13::cudaResourceTypeArray);
  EXPECT_EQ(On13::resource.res.array.array, reinterpret_cast<v13::cudaArray_t>(0x20));

  resource.resType = v12::cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = reinterpret_cast<v12::cudaMipmappedArray_t>(0x30);
  adapt_copy_12_13_cudaCreateTextureObject(&object, &resource, nullptr, nullptr);
  EXPECT_EQ(On13::resource.resType, v13::cudaResourceTypeMipmappedArray);
  EXPECT_EQ(On13::resource.res.mipmap.mipmap, reinterpret_cast<v13::cudaMipmappedArray_t>(0x30));

  resource.resType = v12::cudaResourceTypeLinear;
  resource.res.linear.devPtr = reinterpret_cast<void*>(0x40);
  resource.res.linear.desc = {32, 0, 0, 0, v12::cudaChannelFormatKindSigned};
  resource.res.linear.sizeInBytes = ~std::size_t{0};
  adapt_copy_12_13_cudaCreateTextureObject(&object, &resource, nullptr, nullptr);
  EXPECT_EQ(On13::resource.resType, v13::cudaResourceTypeLinear);
  EXPECT_EQ(On13::resource.res.linear.devPtr, reinterpret_cast<void*>(0x40));
  EXPECT_EQ(On13::resource.res.linear.desc.x, 32);
  EXPECT_EQ(On13::resource.res.linear.sizeInBytes, ~std::size_t{0});
}

TEST_F(Textures, WithoutTheRuntimesFunctionAreAbsent) {
  v13::cudaTextureObject_t object = 0;
  EXPECT_EQ(adapt_create_texture_object_13_on_11(&object, nullptr, nullptr, nullptr), 302U);
  EXPECT_EQ(adapt_copy_13_12_cudaCreateTextureObject(&object, nullptr, nullptr, nullptr), 302U);
  EXPECT_EQ(adapt_get_texture_desc_on_11(nullptr, kObject), 302U);
  EXPECT_EQ(refused().size(), 3U);
}

template <typename Resource, typename On, typename Adapter>
void create_surface(Adapter adapter) {
  On::clear();
  fake("cudaCreateSurfaceObject", On::create_surface);
  Guarded<v11::cudaSurfaceObject_t> object;
  Guarded<Resource> resource;
  *resource = pitched<Resource>();
  ASSERT_EQ(adapter(object.get(), resource.get()), 0U);
  EXPECT_TRUE(object.intact() && resource.intact());
  EXPECT_EQ(*object, kObject);
  expect_pitched(On::resource);
  ASSERT_EQ(adapter(object.get(), nullptr), 0U);
  EXPECT_EQ(On::pointers[0], nullptr);
  On::status = 37;
  EXPECT_EQ(adapter(object.get(), resource.get()), 37U);
}

TEST_F(Textures, SurfacesAreCreatedBothWays) {
  create_surface<v11::cudaResourceDesc, On13>(adapt_copy_11_13_cudaCreateSurfaceObject);
  create_surface<v12::cudaResourceDesc, On13>(adapt_copy_12_13_cudaCreateSurfaceObject);
  create_surface<v13::cudaResourceDesc, On11>(adapt_copy_13_11_cudaCreateSurfaceObject);
  create_surface<v13::cudaResourceDesc, On12>(adapt_copy_13_12_cudaCreateSurfaceObject);
}

// A getter: `adapter` fills a T between guards; on errors it leaves it unwritten.
template <typename T, typename On, typename Adapter, typename Expect>
void get(Adapter adapter, Expect expect) {
  On::status = 0;
  Guarded<T> got;
  ASSERT_EQ(adapter(got.get(), kObject), 0U);
  EXPECT_TRUE(got.intact());
  expect(*got);
  EXPECT_EQ(adapter(nullptr, kObject), 0U) << "the runtime says what it thinks of no pointer";
  On::status = 1;
  Guarded<T> untouched;
  EXPECT_EQ(adapter(untouched.get(), kObject), 1U);
  EXPECT_TRUE(untouched.intact() && untouched.untouched());
}

TEST_F(Textures, ReturnTheirDescriptors) {
  On13::resource = pitched<v13::cudaResourceDesc>();
  On13::resource.flags = 99;
  On11::resource = On12::resource = pitched<v12::cudaResourceDesc>();
  const auto in_old = [](const v12::cudaResourceDesc& got) { expect_pitched(got); };
  const auto in_new = [](const v13::cudaResourceDesc& got) {
    expect_pitched(got);
    EXPECT_EQ(got.flags, 0U);
  };
  for (const char* name :
       {"cudaGetTextureObjectResourceDesc", "cudaGetSurfaceObjectResourceDesc"}) {
    fake(name, On13::get_resource);
  }
  get<v11::cudaResourceDesc, On13>(adapt_copy_11_13_cudaGetTextureObjectResourceDesc, in_old);
  get<v12::cudaResourceDesc, On13>(adapt_copy_12_13_cudaGetTextureObjectResourceDesc, in_old);
  get<v11::cudaResourceDesc, On13>(adapt_copy_11_13_cudaGetSurfaceObjectResourceDesc, in_old);
  get<v12::cudaResourceDesc, On13>(adapt_copy_12_13_cudaGetSurfaceObjectResourceDesc, in_old);
  fake("cudaGetTextureObjectResourceDesc", On12::get_resource);
  fake("cudaGetSurfaceObjectResourceDesc", On12::get_resource);
  get<v13::cudaResourceDesc, On12>(adapt_copy_13_12_cudaGetTextureObjectResourceDesc, in_new);
  get<v13::cudaResourceDesc, On12>(adapt_copy_13_12_cudaGetSurfaceObjectResourceDesc, in_new);
  fake("cudaGetTextureObjectResourceDesc", On11::get_resource);
  fake("cudaGetSurfaceObjectResourceDesc", On11::get_resource);
  get<v13::cudaResourceDesc, On11>(adapt_copy_13_11_cudaGetTextureObjectResourceDesc, in_new);
  get<v13::cudaResourceDesc, On11>(adapt_copy_13_11_cudaGetSurfaceObjectResourceDesc, in_new);
}

TEST_F(Textures, SayHowTheyAreRead) {
  On12::texture = On13::texture = rich<v13::cudaTextureDesc>();
  On12::texture.seamlessCubemap = On13::texture.seamlessCubemap = 18;
  On11::texture = rich<v11::cudaTextureDesc_v2>();
  On11::texture.seamlessCubemap = 18;
  const auto in_11 = [](const v11::cudaTextureDesc& got) { expect_rich(got); };
  const auto in_12 = [](const v12::cudaTextureDesc& got) {
    expect_rich(got);
    EXPECT_EQ(got.seamlessCubemap, 18);
  };
  fake("cudaGetTextureObjectTextureDesc", On12::get_texture);
  get<v11::cudaTextureDesc, On12>(adapt_copy_11_12_cudaGetTextureObjectTextureDesc, in_11);
  fake("cudaGetTextureObjectTextureDesc", On13::get_texture);
  get<v11::cudaTextureDesc, On13>(adapt_copy_11_13_cudaGetTextureObjectTextureDesc, in_11);
  reset();
  fake("cudaGetTextureObjectTextureDesc", On11_7::get_texture);
  get<v12::cudaTextureDesc, On11_7>(adapt_get_texture_desc_on_11, in_12);
  // 11.8 has both, and its plain form knows no seamless cubemaps.
  fake("cudaCreateTextureObject_v2", On11::create);
  fake("cudaGetTextureObjectTextureDesc_v2", On11::get_texture);
  fake(
      "cudaGetTextureObjectTextureDesc", +[](void*, v11::cudaTextureObject_t) { return 999U; });
  get<v12::cudaTextureDesc, On11>(adapt_get_texture_desc_on_11, in_12);
}

TEST_F(Textures, SayHowTheyAreViewed) {
  On13::view = layered<v13::cudaResourceViewDesc>();
  On11::view = On12::view = layered<v12::cudaResourceViewDesc>();
  const auto in_old = [](const v12::cudaResourceViewDesc& got) { expect_layered(got); };
  const auto in_new = [](const v13::cudaResourceViewDesc& got) {
    expect_layered(got);
    for (const unsigned word : got.reserved) EXPECT_EQ(word, 0U);
  };
  fake("cudaGetTextureObjectResourceViewDesc", On13::get_view);
  get<v11::cudaResourceViewDesc, On13>(adapt_copy_11_13_cudaGetTextureObjectResourceViewDesc,
                                       in_old);
  get<v12::cudaResourceViewDesc, On13>(adapt_copy_12_13_cudaGetTextureObjectResourceViewDesc,
                                       in_old);
  fake("cudaGetTextureObjectResourceViewDesc", On12::get_view);
  get<v13::cudaResourceViewDesc, On12>(adapt_copy_13_12_cudaGetTextureObjectResourceViewDesc,
                                       in_new);
  fake("cudaGetTextureObjectResourceViewDesc", On11::get_view);
  get<v13::cudaResourceViewDesc, On11>(adapt_copy_13_11_cudaGetTextureObjectResourceViewDesc,
                                       in_new);
}

}  // namespace
}  // namespace anycuda
