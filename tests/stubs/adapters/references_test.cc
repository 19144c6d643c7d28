// SPDX-License-Identifier: Apache-2.0

// Binding, unbinding and asking for texture and surface references: the calls of the driver, their
// order, and what the program gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/references_driver.h"

namespace anycuda {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr v11::cudaChannelFormatDesc kFloat = {32, 0, 0, 0, v11::cudaChannelFormatKindFloat};
constexpr v11::cudaChannelFormatDesc kFloat2 = {32, 32, 0, 0, v11::cudaChannelFormatKindFloat};
constexpr v11::cudaChannelFormatDesc kHalf = {16, 0, 0, 0, v11::cudaChannelFormatKindFloat};
constexpr v11::cudaChannelFormatDesc kByte = {8, 0, 0, 0, v11::cudaChannelFormatKindUnsigned};
constexpr v11::cudaChannelFormatDesc kNothing = {0, 0, 0, 0, v11::cudaChannelFormatKindNone};

const void* at(std::size_t address) { return reinterpret_cast<const void*>(address); }

// An object with a kernel, a texture reference and a surface reference.
class References : public ::testing::Test {
 protected:
  References() {
    reset_references_driver();
    texture.channelDesc = kFloat;
    references::add_fat_binary(fat_binary());
    references::add_kernel(fat_binary(), &kernel);
    register_texture(2, 0, 0);
    adapt_register_surface(fat_binary(), &surface, device("s"), "::s", 2, 0);
  }
  ~References() override { references::remove_fat_binary(fat_binary()); }

  static const void** device(const char* name) {
    return reinterpret_cast<const void**>(const_cast<char*>(name));
  }
  void register_texture(int dimensions, int normalized, int external) {
    adapt_register_texture(fat_binary(), &texture, device("t"), "::t", dimensions, normalized,
                           external);
  }
  void** fat_binary() { return &handle; }
  Status bind(std::size_t* offset, std::size_t address, std::size_t bytes) {
    return adapt_bind_texture(offset, &texture, at(address), &kFloat, bytes);
  }
  Status offset_of_texture() {
    std::size_t offset = 0;
    return adapt_get_texture_alignment_offset(&offset, &texture);
  }

  v11::textureReference texture = {};
  v11::surfaceReference surface = {};

 private:
  void* handle = nullptr;
  char kernel = 0;
};

// What follows once the driver knows what a texture is bound to: its settings, here all zero.
#define SETTINGS(FLAGS)                                                    \
  "t flags " #FLAGS, "t filter 0", "t mipmap filter 0", "t bias 0.000000", \
      "t clamp 0.000000 0.000000", "t anisotropy 0", "t mode 0 0", "t mode 1 0"

TEST_F(References, ATextureIsBoundToMemory) {
  Guarded<std::size_t> offset;
  ASSERT_EQ(bind(offset.get(), 0x10000, 64), 0U);
  EXPECT_TRUE(offset.intact());
  EXPECT_EQ(*offset, 0U);
  EXPECT_THAT(told(),
              ElementsAre("t address 0 0", "t format 32 1", "t address 10000 64", SETTINGS(0)));
  ASSERT_EQ(adapt_get_texture_alignment_offset(offset.get(), &texture), 0U);
  EXPECT_EQ(*offset, 0U);
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(References, UnalignedAddressIsReachedByAnOffset) {
  Guarded<std::size_t> offset;
  ASSERT_EQ(bind(offset.get(), 0x10000 + 512 + 12, 64), 0U);
  EXPECT_EQ(*offset, 12U);
  EXPECT_EQ(told()[2], "t address 10200 76") << "from the aligned address on, so many bytes more";
  Guarded<std::size_t> asked;
  ASSERT_EQ(adapt_get_texture_alignment_offset(asked.get(), &texture), 0U);
  EXPECT_TRUE(asked.intact());
  EXPECT_EQ(*asked, 12U);
}

TEST_F(References, NullOffset_UnalignedMemoryIsAnError) {
  EXPECT_EQ(bind(nullptr, 0x10000 + 12, 64), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_EQ(offset_of_texture(), 19U);
  EXPECT_EQ(bind(nullptr, 0x10000, 64), 0U) << "none is needed here";
}

TEST_F(References, NoMoreIsBoundThanWasAllocated) {
  std::size_t offset = 0;
  ASSERT_EQ(bind(&offset, 0x10000 + 1024, 0xffffffff), 0U);  // the default of C++
  EXPECT_EQ(told()[2], "t address 10400 3072");
  ASSERT_EQ(bind(&offset, 0x10000 + 1024, ~std::size_t{0}), 0U);
  EXPECT_EQ(told()[2], "t address 10400 3072");
  ASSERT_EQ(bind(&offset, 0x10000, 0), 0U);
  EXPECT_EQ(told()[2], "t address 10000 0");
}

TEST_F(References, MemoryThatTheDriverDoesNotKnowIsItsError) {
  references_driver.memory = 1;
  Guarded<std::size_t> offset;
  EXPECT_EQ(bind(offset.get(), 0x999, 64), 1U);
  EXPECT_TRUE(offset.untouched() && offset.intact());
  EXPECT_EQ(remembered(), 1U);
}

TEST_F(References, ATextureTakesItsOwnFormatAndHalvesForFloats) {
  std::size_t offset = 5;
  const auto bind_as = [&](const v11::cudaChannelFormatDesc* desc) {
    return adapt_bind_texture(&offset, &texture, at(0x10000), desc, 64);
  };
  EXPECT_EQ(bind_as(&kByte), 1U);
  EXPECT_EQ(offset, 0U) << "the offset is written before the format is looked at";
  EXPECT_EQ(bind_as(&kFloat2), 1U);
  EXPECT_EQ(bind_as(&kNothing), 20U);
  EXPECT_EQ(bind_as(nullptr), 1U);
  EXPECT_THAT(told(), IsEmpty());
  ASSERT_EQ(bind_as(&kHalf), 0U);
  EXPECT_EQ(told()[1], "t format 16 1");
  texture.channelDesc = kHalf;
  EXPECT_EQ(bind_as(&kFloat), 1U) << "but not the other way round";
  texture.channelDesc = kNothing;
  EXPECT_EQ(bind_as(&kFloat), 20U);
  EXPECT_EQ(remembered(), 20U);
}

TEST_F(References, DriverRefuses_NothingIsBound) {
  ASSERT_EQ(bind(nullptr, 0x10000, 64), 0U);
  references_driver.told = 1;
  EXPECT_EQ(bind(nullptr, 0x10000, 64), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(offset_of_texture(), 19U);
}

class Bind2D : public References {
 protected:
  Status bind_2d(std::size_t address, std::size_t width, std::size_t height, std::size_t pitch,
                 const v11::cudaChannelFormatDesc* desc = &kFloat) {
    return adapt_bind_texture_2d(offset.get(), &texture, at(address), desc, width, height, pitch);
  }
  Guarded<std::size_t> offset;
};

TEST_F(Bind2D, ToPitchedMemory) {
  ASSERT_EQ(bind_2d(0x10000 + 4, 16, 8, 96), 0U);
  EXPECT_TRUE(offset.intact());
  EXPECT_EQ(*offset, 4U);
  EXPECT_THAT(told(), ElementsAre("t address 0 0", "t address 10000 16x8 pitch 96 format 32 1",
                                  SETTINGS(0)));
  EXPECT_EQ(offset_of_texture(), 0U);
}

TEST_F(Bind2D, NeedsAnAlignedPitchForMoreThanOneRow) {
  EXPECT_EQ(bind_2d(0x10000, 16, 2, 100), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_EQ(bind_2d(0x10000, 16, 1, 100), 0U);
}

TEST_F(Bind2D, NeedsAnElement) {
  EXPECT_EQ(bind_2d(0x10000, 0, 8, 96), 1U);
  EXPECT_EQ(bind_2d(0x10000, 16, 0, 96), 1U);
  EXPECT_TRUE(offset.untouched());
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Bind2D, HandsOn32BitsOfEachSideAs11_8Does) {
  ASSERT_EQ(bind_2d(0x10000, (1ULL << 32) + 16, (1ULL << 33) + 8, 96), 0U);
  EXPECT_EQ(told()[1], "t address 10000 16x8 pitch 96 format 32 1");
}

TEST_F(Bind2D, ChecksTheFormat) {
  EXPECT_EQ(bind_2d(0x10000, 16, 8, 96, &kByte), 1U);
  EXPECT_EQ(bind_2d(0x10000, 16, 8, 96, &kNothing), 20U);
  EXPECT_EQ(bind_2d(0x10000, 16, 8, 96, nullptr), 1U);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Bind2D, NullOffset_NeedsAlignedMemory) {
  EXPECT_EQ(adapt_bind_texture_2d(nullptr, &texture, at(0x10004), &kFloat, 16, 8, 96), 1U);
  EXPECT_EQ(adapt_bind_texture_2d(nullptr, &texture, at(0x10000), &kFloat, 16, 8, 96), 0U);
}

class BindArray : public References {
 protected:
  const v11::cudaArray_const_t array = static_cast<v11::cudaArray_const_t>(at(0xa0));
  const v11::cudaMipmappedArray_const_t levels =
      static_cast<v11::cudaMipmappedArray_const_t>(at(0xb0));
};

TEST_F(BindArray, OneLevel) {
  ASSERT_EQ(adapt_bind_texture_to_array(&texture, array, &kFloat), 0U);
  EXPECT_THAT(told(), ElementsAre("array a0", "t address 0 0", "t array a0 0", "t format 32 1",
                                  SETTINGS(0)));
  EXPECT_EQ(offset_of_texture(), 19U) << "arrays have none";
}

TEST_F(BindArray, ManyLevels) {
  ASSERT_EQ(adapt_bind_texture_to_mipmapped_array(&texture, levels, &kFloat), 0U);
  EXPECT_THAT(told(), ElementsAre("level 0 of b0", "array 77", "t address 0 0", "t levels b0 0",
                                  "t format 32 1", SETTINGS(0)));
}

TEST_F(BindArray, OfThatVeryFormat) {
  EXPECT_EQ(adapt_bind_texture_to_array(&texture, array, &kHalf), 1U);
  EXPECT_EQ(adapt_bind_texture_to_array(&texture, array, &kNothing), 20U);
  EXPECT_EQ(adapt_bind_texture_to_array(&texture, array, nullptr), 1U);
  references_driver.format = 16;
  EXPECT_EQ(adapt_bind_texture_to_mipmapped_array(&texture, levels, &kFloat), 1U);
  references_driver.channels = 3;
  EXPECT_EQ(adapt_bind_texture_to_array(&texture, array, &kHalf), 20U);
  references_driver.format = 80;  // came with 12.8
  EXPECT_EQ(adapt_bind_texture_to_array(&texture, array, &kHalf), 20U);
  EXPECT_EQ(remembered(), 20U);
  references_driver.format = 16;
  references_driver.channels = 1;
  told();
  EXPECT_EQ(adapt_bind_texture_to_array(&texture, array, &kHalf), 0U) << "halves as floats";
  EXPECT_EQ(told()[3], "t format 16 1");
}

TEST_F(BindArray, ThatTheDriverDoesNotKnowIsItsError) {
  references_driver.array = 400;
  EXPECT_EQ(adapt_bind_texture_to_array(&texture, array, &kFloat), 400U);
  EXPECT_EQ(adapt_bind_texture_to_mipmapped_array(&texture, levels, &kFloat), 400U);
  EXPECT_EQ(adapt_bind_surface_to_array(&surface, array, nullptr), 400U);
  EXPECT_EQ(remembered(), 400U);
}

TEST_F(BindArray, ToASurface) {
  EXPECT_EQ(adapt_bind_surface_to_array(&surface, array, nullptr), 0U);
  EXPECT_THAT(told(), ElementsAre("array a0", "s array a0 0"));
  references_driver.channels = 3;
  EXPECT_EQ(adapt_bind_surface_to_array(&surface, array, nullptr), 20U);
  EXPECT_EQ(adapt_bind_surface_to_array(reinterpret_cast<v11::surfaceReference*>(&texture), array,
                                        nullptr),
            37U)
      << "a texture is not a surface";
  EXPECT_EQ(adapt_bind_surface_to_array(nullptr, array, nullptr), 37U);
  EXPECT_EQ(remembered(), 37U);
}

TEST_F(References, ATextureIsUnbound) {
  ASSERT_EQ(bind(nullptr, 0x10000, 64), 0U);
  told();
  EXPECT_EQ(adapt_unbind_texture(&texture), 0U);
  EXPECT_THAT(told(), ElementsAre("t address 0 0"));
  EXPECT_EQ(offset_of_texture(), 19U);
  EXPECT_EQ(remembered(), 19U);
  EXPECT_EQ(adapt_unbind_texture(&texture), 0U) << "a second time is not an error";
  EXPECT_EQ(adapt_unbind_texture(nullptr), 18U);
}

TEST_F(References, NullOffset_IsInvalid) {
  ASSERT_EQ(bind(nullptr, 0x10000, 64), 0U);
  EXPECT_EQ(adapt_get_texture_alignment_offset(nullptr, &texture), 1U);
  Guarded<std::size_t> offset;
  EXPECT_EQ(adapt_get_texture_alignment_offset(offset.get(), nullptr), 18U);
  EXPECT_TRUE(offset.untouched());
}

TEST_F(References, AreFoundByTheirSymbols) {
  Guarded<const v11::textureReference*> found;
  ASSERT_EQ(adapt_get_texture_reference(found.get(), &texture), 0U);
  EXPECT_TRUE(found.intact());
  EXPECT_EQ(*found, &texture);
  Guarded<const v11::surfaceReference*> found_surface;
  ASSERT_EQ(adapt_get_surface_reference(found_surface.get(), &surface), 0U);
  EXPECT_TRUE(found_surface.intact());
  EXPECT_EQ(*found_surface, &surface);
}

TEST_F(References, OtherReferenceKind_IsNotFoundAndNotRemembered) {
  const v11::textureReference* found = &texture;
  EXPECT_EQ(adapt_get_texture_reference(&found, &surface), 18U);
  EXPECT_EQ(found, nullptr);
  const v11::surfaceReference* found_surface = &surface;
  EXPECT_EQ(adapt_get_surface_reference(&found_surface, &texture), 37U);
  EXPECT_EQ(found_surface, nullptr);
  EXPECT_EQ(remembered(), 0U);
  EXPECT_EQ(adapt_get_texture_reference(nullptr, &texture), 1U);
  EXPECT_EQ(adapt_get_surface_reference(nullptr, &surface), 1U);
}

// Every function with a texture and every one with a surface.
void expect_all(v11::textureReference* texture, v11::surfaceReference* surface, Status of_textures,
                Status of_surfaces) {
  std::size_t offset = 0;
  const v11::textureReference* found = nullptr;
  const v11::surfaceReference* found_surface = nullptr;
  EXPECT_EQ(adapt_bind_texture(&offset, texture, at(0x10000), &kFloat, 4), of_textures);
  EXPECT_EQ(adapt_bind_texture_2d(&offset, texture, at(0x10000), &kFloat, 1, 1, 4), of_textures);
  EXPECT_EQ(adapt_bind_texture_to_array(texture, nullptr, &kFloat), of_textures);
  EXPECT_EQ(adapt_bind_texture_to_mipmapped_array(texture, nullptr, &kFloat), of_textures);
  EXPECT_EQ(adapt_unbind_texture(texture), of_textures);
  EXPECT_EQ(adapt_get_texture_alignment_offset(&offset, texture), of_textures);
  EXPECT_EQ(adapt_get_texture_reference(&found, texture), of_textures);
  EXPECT_EQ(adapt_bind_surface_to_array(surface, nullptr, &kFloat), of_surfaces);
  EXPECT_EQ(adapt_get_surface_reference(&found_surface, surface), of_surfaces);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(References, WithoutAWorkingRuntime_EveryCallFails) {
  references_driver.ready = 100;
  expect_all(&texture, &surface, 100, 100);
  expect_all(nullptr, nullptr, 100, 100);
  EXPECT_EQ(remembered(), 0U) << "the runtime remembers its own";
}

TEST_F(References, ThatThisDeviceHasNoCodeForAreInvalid) {
  for (const Status status : {98U, 209U}) {
    references_driver.kernel = status;
    set_library_error(4);
    expect_all(&texture, &surface, 18, 37);
    EXPECT_EQ(library_error(), 4U) << "our look-up is not the program's error";
  }
  references_driver.kernel = 0;
  references_driver.reference = 500;
  expect_all(&texture, &surface, 18, 37);
}

TEST_F(References, OtherErrorsAreReturned) {
  references_driver.kernel = 2;
  expect_all(&texture, &surface, 2, 2);
  EXPECT_EQ(remembered(), 2U);
  references_driver.kernel = 0;
  references_driver.reference = 700;
  expect_all(&texture, &surface, 700, 700);
  EXPECT_EQ(remembered(), 700U);
}

TEST_F(References, UnloadedObject_AreInvalid) {
  references::remove_fat_binary(fat_binary());
  expect_all(&texture, &surface, 18, 37);
}

TEST_F(References, OfAnObjectWithoutKernelsAreInvalid) {
  v11::textureReference other = texture;
  void* no_kernels = nullptr;
  references::add_fat_binary(&no_kernels);
  adapt_register_texture(&no_kernels, &other, device("o"), "::o", 1, 0, 0);
  EXPECT_EQ(adapt_unbind_texture(&other), 18U);
  char late = 0;
  references::add_kernel(&no_kernels, &late);
  EXPECT_EQ(adapt_unbind_texture(&other), 0U);
  references::remove_fat_binary(&no_kernels);
}

TEST_F(References, WithoutTheDriversFunctionTheCallIsAbsent) {
  fake_address("cuModuleGetTexRef", nullptr);
  EXPECT_EQ(adapt_unbind_texture(&texture), 302U);
  EXPECT_THAT(refused(), ElementsAre("cuModuleGetTexRef: missing"));
}

}  // namespace
}  // namespace anycuda
