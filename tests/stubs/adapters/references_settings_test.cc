// SPDX-License-Identifier: Apache-2.0

// The settings of texture references: given to the driver when one is bound, and before a launch if
// the program has changed them since.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/stubs/adapters/references_driver.h"

namespace anycuda {
namespace {

using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

using Channels = v11::cudaChannelFormatDesc;
constexpr Channels kFloat = {32, 0, 0, 0, v11::cudaChannelFormatKindFloat};
constexpr Channels kBytes = {8, 8, 8, 8, v11::cudaChannelFormatKindUnsigned};
constexpr Channels kShort = {16, 0, 0, 0, v11::cudaChannelFormatKindSigned};
constexpr Channels kInt = {32, 0, 0, 0, v11::cudaChannelFormatKindSigned};

class Settings : public ::testing::Test {
 protected:
  Settings() {
    reset_references_driver();
    fake(
        "cudaLaunchKernel", +[](const void*, v11::dim3, v11::dim3, void**, std::size_t,
                                v11::cudaStream_t) { return ++references_driver.launches, 0U; });
    references::add_fat_binary(&handle);
    references::add_kernel(&handle, &kernel);
  }
  ~Settings() override { references::remove_fat_binary(&handle); }

  // A texture of those elements, bound to memory.
  void bind(const Channels& channels, int dimensions = 1, int normalized = 0, int external = 0) {
    texture.channelDesc = channels;
    adapt_register_texture(&handle, &texture, reinterpret_cast<const void**>(name), "::t",
                           dimensions, normalized, external);
    rebind();
  }
  void rebind() {
    const auto* memory = reinterpret_cast<const void*>(0x10000);
    ASSERT_EQ(adapt_bind_texture(nullptr, &texture, memory, &texture.channelDesc, 64), 0U);
  }
  static Status launch() {
    using Launch =
        Status(const void*, v11::dim3, v11::dim3, void**, std::size_t, v11::cudaStream_t);
    return reinterpret_cast<Launch*>(launch_led("cudaLaunchKernel"))(nullptr, {1, 1, 1}, {1, 1, 1},
                                                                     nullptr, 0, nullptr);
  }
  std::string flags() {
    for (const std::string& line : told()) {
      if (line.find("t flags ") == 0) return line.substr(8);
    }
    return "none";
  }

  v11::textureReference texture = {};
  char name[2] = "t";
  void* handle = nullptr;
  char kernel = 0;
};

TEST_F(Settings, AreAllGivenInThatOrder) {
  texture.normalized = 1;
  texture.filterMode = v11::cudaFilterModeLinear;
  texture.addressMode[0] = v11::cudaAddressModeClamp;
  texture.addressMode[1] = v11::cudaAddressModeMirror;
  texture.addressMode[2] = v11::cudaAddressModeBorder;
  texture.sRGB = 5;
  texture.maxAnisotropy = 16;
  texture.mipmapFilterMode = v11::cudaFilterModeLinear;
  texture.mipmapLevelBias = 0.5F;
  texture.minMipmapLevelClamp = 1.5F;
  texture.maxMipmapLevelClamp = 2.5F;
  texture.disableTrilinearOptimization = 6;
  bind(kFloat, 3);
  Lines lines = told();
  lines.erase(lines.begin(), lines.begin() + 3);
  EXPECT_THAT(lines, ElementsAre("t flags 50", "t filter 1", "t mipmap filter 1", "t bias 0.500000",
                                 "t clamp 1.500000 2.500000", "t anisotropy 16", "t mode 0 1",
                                 "t mode 1 2", "t mode 2 3"));
}

TEST_F(Settings, HaveAnAddressModeForEachDimension) {
  const int dimensions[][2] = {{1, 1},   {2, 2},   {3, 3},   {12, 3},
                               {241, 1}, {242, 2}, {252, 3}, {9, 0}};
  for (const auto& [kind, modes] : dimensions) {
    bind(kFloat, kind);
    EXPECT_EQ(told().size(), 9U + static_cast<std::size_t>(modes)) << kind;
    references::remove_fat_binary(&handle);
    references::add_fat_binary(&handle);
    references::add_kernel(&handle, &kernel);
  }
}

TEST_F(Settings, IntegersAreReadAsSuchOrAsFractions) {
  bind(kBytes);
  EXPECT_EQ(flags(), "1");
  texture.normalized = 1;
  rebind();
  EXPECT_EQ(flags(), "3");
}

TEST_F(Settings, FractionsAreNotReadAsIntegers) {
  texture.filterMode = v11::cudaFilterModeLinear;
  bind(kShort, 1, 1);
  EXPECT_EQ(flags(), "0");
  EXPECT_EQ(launch(), 0U);
}

TEST_F(Settings, UnchangedBeforeALaunch_AreNotSetAgain) {
  bind(kFloat);
  told();
  EXPECT_EQ(launch(), 0U);
  EXPECT_EQ(references_driver.launches, 1);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Settings, ChangedSinceAreGivenOnce) {
  bind(kFloat);
  told();
  texture.filterMode = v11::cudaFilterModeLinear;
  EXPECT_EQ(launch(), 0U);
  EXPECT_EQ(references_driver.launches, 1);
  const Lines lines = told();
  EXPECT_THAT(lines, Contains("t filter 1"));
  EXPECT_THAT(lines, Not(Contains("t address 10000 64")));
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), IsEmpty());
  texture.disableTrilinearOptimization = 1;  // the last of them
  EXPECT_EQ(launch(), 0U);
  EXPECT_EQ(flags(), "32");
}

// As 11.8: until the program corrects its settings, the launch fails with the error.
TEST_F(Settings, LinearFilteringOfIntegersIsALaunchesError) {
  texture.filterMode = v11::cudaFilterModeLinear;
  bind(kInt);
  EXPECT_EQ(launch(), 26U);
  EXPECT_EQ(remembered(), 26U);
  EXPECT_EQ(launch(), 26U);
  EXPECT_EQ(references_driver.launches, 0);
  texture.filterMode = v11::cudaFilterModePoint;
  EXPECT_EQ(launch(), 0U);
  EXPECT_EQ(references_driver.launches, 1);
  EXPECT_EQ(flags(), "1");
}

TEST_F(Settings, FractionsOf32BitsAreALaunchesError) {
  bind(kInt, 1, 1);
  EXPECT_EQ(launch(), 27U);
  EXPECT_EQ(remembered(), 27U);
  EXPECT_EQ(adapt_unbind_texture(&texture), 0U);
  EXPECT_EQ(launch(), 0U) << "settings of an unbound reference do not matter";
}

TEST_F(Settings, ThatTheDriverRefusesAreALaunchesError) {
  bind(kFloat);
  texture.maxAnisotropy = 99;
  references_driver.told = 1;
  EXPECT_EQ(launch(), 1U);
  references_driver.told = 0;
  told();
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), Contains("t anisotropy 99"));
}

// The driver may have accepted some settings and refused the rest.
TEST_F(Settings, AreGivenAgainAfterOthersWereRefused) {
  bind(kFloat);
  texture.maxAnisotropy = 99;
  references_driver.told = 1;
  EXPECT_EQ(launch(), 1U);
  references_driver.told = 0;
  texture.maxAnisotropy = 0;  // as when it was bound
  told();
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), Contains("t anisotropy 0"));
}

TEST_F(Settings, OfAnotherContextAreNotThisLaunches) {
  bind(kFloat);
  told();
  texture.maxAnisotropy = 7;
  references_driver.context = 0xd0;
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), IsEmpty());
  references_driver.context = 0xc0;
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), Contains("t anisotropy 7"));
}

TEST_F(Settings, AreBoundInEachContextOnItsOwn) {
  bind(kFloat);
  references_driver.context = 0xd0;
  std::size_t offset = 0;
  EXPECT_EQ(adapt_get_texture_alignment_offset(&offset, &texture), 19U);
  rebind();
  EXPECT_EQ(adapt_unbind_texture(&texture), 0U);
  references_driver.context = 0xc0;
  EXPECT_EQ(adapt_get_texture_alignment_offset(&offset, &texture), 0U);
}

TEST_F(Settings, UnloadedModule_LaunchFails) {
  bind(kFloat);
  texture.maxAnisotropy = 7;
  references_driver.kernel = 700;
  EXPECT_EQ(launch(), 700U);
  EXPECT_EQ(references_driver.launches, 0);
}

// A thread whose first call is the launch has no context yet.
TEST_F(Settings, AreGivenInAThreadThatHasNoContextYet) {
  bind(kFloat);
  told();
  texture.maxAnisotropy = 7;
  references_driver.context = 0;
  fake(
      "cudaFree", +[](void*) {
        references_driver.context = 0xc0;
        return 0U;
      });
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), Contains("t anisotropy 7"));
}

TEST_F(Settings, WithoutContext_AreKept) {
  bind(kFloat);
  told();
  texture.maxAnisotropy = 7;
  references_driver.context = 0;
  references_driver.ready = 46;
  EXPECT_EQ(launch(), 0U) << "the launch itself says what is wrong";
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Settings, UnloadedObject_AreNotRead) {
  auto gone = std::make_unique<v11::textureReference>();
  gone->channelDesc = kFloat;
  adapt_register_texture(&handle, gone.get(), reinterpret_cast<const void**>(name), "::t", 1, 0, 0);
  const auto* memory = reinterpret_cast<const void*>(0x10000);
  ASSERT_EQ(adapt_bind_texture(nullptr, gone.get(), memory, &kFloat, 64), 0U);
  references::remove_fat_binary(&handle);
  gone.reset();  // AddressSanitizer reports a read
  told();
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Settings, OfATextureDefinedElsewhereAreNotGivenHere) {
  bind(kFloat, 1, 0, 1);
  EXPECT_THAT(told(), ElementsAre("t address 0 0", "t format 32 1", "t address 10000 64"));
  texture.maxAnisotropy = 7;
  references_driver.kernel = 700;  // it is not even looked up
  EXPECT_EQ(launch(), 0U);
  EXPECT_THAT(told(), IsEmpty());
}

// Every way of launching hands its arguments on, after the settings.
template <typename Launch>
void expect_handed_on(const char* name) {
  reset();  // this one is there and no other
  fake(
      name, +[](const void* kernel, v11::dim3 grid, v11::dim3 block, void** arguments,
                std::size_t shared, v11::cudaStream_t stream) {
        const bool right = kernel == reinterpret_cast<void*>(1) && grid.z == 2 && block.z == 3 &&
                           arguments == reinterpret_cast<void**>(4) && shared == 5 &&
                           stream == reinterpret_cast<v11::cudaStream_t>(6);
        return right ? 7U : 8U;
      });
  ASSERT_NE(launch_led(name), nullptr) << name;
  EXPECT_EQ(reinterpret_cast<Launch*>(launch_led(name))(reinterpret_cast<void*>(1), {1, 1, 2},
                                                        {1, 1, 3}, reinterpret_cast<void**>(4), 5,
                                                        reinterpret_cast<v11::cudaStream_t>(6)),
            7U)
      << name;
}

TEST_F(Settings, EveryLaunchIsHandedOn) {
  bind(kFloat);
  using Launch = Status(const void*, v11::dim3, v11::dim3, void**, std::size_t, v11::cudaStream_t);
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernel_ptsz",
                           "cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernel_ptsz"}) {
    expect_handed_on<Launch>(name);
  }
  using Extended = Status(const v11::cudaLaunchConfig_t*, const void*, void**);
  for (const char* name : {"cudaLaunchKernelExC", "cudaLaunchKernelExC_ptsz"}) {
    reset();
    fake(
        name, +[](const v11::cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
          const bool right = config == reinterpret_cast<void*>(1) &&
                             kernel == reinterpret_cast<void*>(2) &&
                             arguments == reinterpret_cast<void**>(3);
          return right ? 7U : 8U;
        });
    ASSERT_NE(launch_led(name), nullptr) << name;
    const auto* config = reinterpret_cast<const v11::cudaLaunchConfig_t*>(1);
    EXPECT_EQ(reinterpret_cast<Extended*>(launch_led(name))(config, reinterpret_cast<void*>(2),
                                                            reinterpret_cast<void**>(3)),
              7U)
        << name;
  }
}

}  // namespace
}  // namespace anycuda
