// SPDX-License-Identifier: Apache-2.0

// The memory pools of a location, for callers of 13.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

int storage;
const auto pool = reinterpret_cast<v13::cudaMemPool_t>(&storage);

class MemoryPools : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    asked = nullptr;
    device = -7;
    given = nullptr;
    location = nullptr;
    answer = 0;
    fake(
        "cudaFree", +[](void*) { return 0U; });
    fake(
        "cudaDeviceGetDefaultMemPool", +[](v11::cudaMemPool_t* out, int number) {
          asked = "default";
          device = number;
          if (out != nullptr && answer == 0) *out = pool;
          return out != nullptr ? answer : 1U;
        });
    fake(
        "cudaDeviceGetMemPool", +[](v11::cudaMemPool_t* out, int number) {
          asked = "get";
          device = number;
          if (answer == 0) *out = pool;
          return answer;
        });
    fake(
        "cudaDeviceSetMemPool", +[](int number, v11::cudaMemPool_t in) {
          asked = "set";
          device = number;
          given = in;
          return answer;
        });
  }
  void new_driver() {
    fake_driver(
        "cuMemGetDefaultMemPool",
        +[](driver::CUmemoryPool* out, driver::CUmemLocation_st* at, unsigned type) {
          asked = type == 2 ? "driver default" : nullptr;
          location = at;
          if (answer == 0) *out = pool;
          return answer;
        });
    fake_driver(
        "cuMemGetMemPool",
        +[](driver::CUmemoryPool* out, driver::CUmemLocation_st* at, unsigned type) {
          asked = type == 2 ? "driver get" : nullptr;
          location = at;
          if (answer == 0) *out = pool;
          return answer;
        });
    fake_driver(
        "cuMemSetMemPool",
        +[](driver::CUmemLocation_st* at, unsigned type, driver::CUmemoryPool in) {
          asked = type == 2 ? "driver set" : nullptr;
          location = at;
          given = in;
          return answer;
        });
  }
  static const char* asked;
  static int device;
  static v13::cudaMemPool_t given;
  static void* location;
  static unsigned answer;
};
const char* MemoryPools::asked;
int MemoryPools::device;
v13::cudaMemPool_t MemoryPools::given;
void* MemoryPools::location;
unsigned MemoryPools::answer;

constexpr unsigned kPinned = v13::cudaMemAllocationTypePinned;
constexpr unsigned kManaged = v13::cudaMemAllocationTypeManaged;

v13::cudaMemLocation at(unsigned type, int id) {
  v13::cudaMemLocation place = {};
  place.type = type;
  place.id = id;
  return place;
}

TEST_F(MemoryPools, NewDriver_AcceptsAnyLocation) {
  new_driver();
  auto place = at(v13::cudaMemLocationTypeHostNuma, 1);
  Guarded<v13::cudaMemPool_t> out;
  EXPECT_EQ(adapt_mem_get_default_mem_pool(out.get(), &place, kManaged), 0U);
  EXPECT_STREQ(asked, "driver default");
  EXPECT_EQ(location, &place);
  EXPECT_EQ(*out, pool);
  EXPECT_EQ(adapt_mem_get_mem_pool(out.get(), &place, kManaged), 0U);
  EXPECT_STREQ(asked, "driver get");
  EXPECT_EQ(adapt_mem_set_mem_pool(&place, kManaged, pool), 0U);
  EXPECT_STREQ(asked, "driver set");
  EXPECT_EQ(given, pool);
  EXPECT_TRUE(out.intact());
  EXPECT_EQ(device, -7);
}

TEST_F(MemoryPools, DriverErrorsAreRememberedWithoutOutput) {
  new_driver();
  answer = 801;
  Guarded<v13::cudaMemPool_t> out;
  EXPECT_EQ(adapt_mem_get_mem_pool(out.get(), nullptr, kManaged), 801U);
  EXPECT_EQ(remembered(), 801U);
  EXPECT_TRUE(out.untouched());
}

TEST_F(MemoryPools, PinnedMemoryOfADeviceHasTheDevicesPool) {
  auto place = at(v13::cudaMemLocationTypeDevice, 3);
  Guarded<v13::cudaMemPool_t> out;
  EXPECT_EQ(adapt_mem_get_default_mem_pool(out.get(), &place, kPinned), 0U);
  EXPECT_STREQ(asked, "default");
  EXPECT_EQ(device, 3);
  EXPECT_EQ(*out, pool);
  device = -7;
  EXPECT_EQ(adapt_mem_get_mem_pool(out.get(), &place, kPinned), 0U);
  EXPECT_STREQ(asked, "get");
  EXPECT_EQ(device, 3);
  device = -7;
  EXPECT_EQ(adapt_mem_set_mem_pool(&place, kPinned, pool), 0U);
  EXPECT_STREQ(asked, "set");
  EXPECT_EQ(device, 3);
  EXPECT_EQ(given, pool);
  EXPECT_TRUE(out.intact());
}

TEST_F(MemoryPools, TheRuntimesErrorsAreTheCallers) {
  auto place = at(v13::cudaMemLocationTypeDevice, 3);
  answer = 101;
  Guarded<v13::cudaMemPool_t> out;
  EXPECT_EQ(adapt_mem_get_mem_pool(out.get(), &place, kPinned), 101U);
  EXPECT_TRUE(out.untouched());
  answer = 0;
  EXPECT_EQ(adapt_mem_get_default_mem_pool(nullptr, &place, kPinned), 1U);
}

TEST_F(MemoryPools, OlderDriver_RefusesOtherLocationsAndTypes) {
  auto host = at(v13::cudaMemLocationTypeHost, 0);
  auto gpu = at(v13::cudaMemLocationTypeDevice, 0);
  Guarded<v13::cudaMemPool_t> out;
  EXPECT_EQ(adapt_mem_get_default_mem_pool(out.get(), &host, kPinned), 801U);
  EXPECT_EQ(adapt_mem_get_mem_pool(out.get(), &gpu, kManaged), 801U);
  EXPECT_EQ(adapt_mem_set_mem_pool(&host, kPinned, pool), 801U);
  const std::string reason =
      ": a driver before CUDA 13.0 has only memory pools of location type device and allocation "
      "type pinned";
  EXPECT_THAT(refused(), ElementsAre("cudaMemGetDefaultMemPool" + reason,
                                     "cudaMemGetMemPool" + reason, "cudaMemSetMemPool" + reason));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(asked, nullptr);
}

TEST_F(MemoryPools, NullLocationAndNoType_AreInvalid) {
  auto gpu = at(v13::cudaMemLocationTypeDevice, 0);
  Guarded<v13::cudaMemPool_t> out;
  EXPECT_EQ(adapt_mem_get_default_mem_pool(out.get(), nullptr, kPinned), 1U);
  EXPECT_EQ(adapt_mem_get_mem_pool(out.get(), &gpu, 0), 1U);
  EXPECT_EQ(adapt_mem_set_mem_pool(nullptr, kPinned, pool), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(asked, nullptr);
}

}  // namespace
}  // namespace anycuda
