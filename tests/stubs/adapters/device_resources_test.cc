// SPDX-License-Identifier: Apache-2.0

// Parts of a device on older runtimes: the driver's arguments, and the results.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

using Resource = v13::cudaDevResource;
using Drivers = driver::CUdevResource;

unsigned driver_status;
bool has_context;

class Resources : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    driver_status = 0;
    has_context = false;
    fake(
        "cudaGetDeviceCount", +[](int*) { return 0U; });
    fake(
        "cudaFree", +[](void*) {
          has_context = true;
          return 0U;
        });
    std::memset(&input, 0, sizeof input);
    input.type = 1;
    input.sm.smCount = 132;
  }
  // A driver that fails, and one that lacks the function.
  template <typename Call>
  static void expect_errors_to_pass(Call call) {
    driver_status = 914;
    EXPECT_EQ(call(), 914U);
    EXPECT_EQ(remembered(), 914U);
    reset();
    fake(
        "cudaGetDeviceCount", +[](int*) { return 0U; });
    EXPECT_EQ(call(), 302U);
    EXPECT_FALSE(refused().empty());
  }
  static Resource input;
};
Resource Resources::input;

void write(Drivers* to) {
  to->type = 1;
  to->sm.smCount = 16;
  to->sm.minSmPartitionSize = 8;
  to->sm.smCoscheduledAlignment = 4;
  to->sm.localityDomainId = 2;
  to->nextResource = nullptr;
}
void expect_written(const Resource& got) {
  EXPECT_EQ(got.type, v13::cudaDevResourceTypeSm);
  EXPECT_EQ(got.sm.smCount, 16U);
  EXPECT_EQ(got.sm.minSmPartitionSize, 8U);
  EXPECT_EQ(got.sm.smCoscheduledAlignment, 4U);
  EXPECT_EQ(got.sm.localityDomainId, 2U);
}

TEST_F(Resources, OfADevice) {
  fake_driver(
      "cuDeviceGetDevResource", +[](int device, Drivers* to, unsigned type) {
        EXPECT_EQ(device, 3);
        EXPECT_EQ(type, 1U);
        if (driver_status == 0) write(to);
        return driver_status;
      });
  Guarded<Resource> got;
  EXPECT_EQ(adapt_device_get_resource(3, got.get(), 1), 0U);
  expect_written(*got);
  EXPECT_TRUE(got.intact());
  Guarded<Resource> untouched;
  expect_errors_to_pass([&] { return adapt_device_get_resource(3, untouched.get(), 1); });
  EXPECT_TRUE(untouched.untouched());
}

template <int form>
unsigned of_stream(opaque::CUstream_st* stream, Drivers* to, unsigned type) {
  if (!has_context) return 201;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stream), static_cast<std::uintptr_t>(form));
  EXPECT_EQ(type, 1U);
  write(to);
  return 0;
}
TEST_F(Resources, OfAStream) {
  fake_driver("cuStreamGetDevResource", of_stream<1>);
  fake_driver("cuStreamGetDevResource_ptsz", of_stream<2>);
  Guarded<Resource> got;
  EXPECT_EQ(adapt_stream_get_resource(reinterpret_cast<v13::cudaStream_t>(1), got.get(), 1), 0U);
  expect_written(*got);
  EXPECT_EQ(adapt_stream_get_resource_ptsz(reinterpret_cast<v13::cudaStream_t>(2), got.get(), 1),
            0U);
  EXPECT_TRUE(got.intact());
}

TEST_F(Resources, AreDividedByGroups) {
  fake_driver(
      "cuDevSmResourceSplit",
      +[](Drivers* result, unsigned groups, const Drivers* from, Drivers* rest, unsigned flags,
          driver::CU_DEV_SM_RESOURCE_GROUP_PARAMS* parameters) {
        EXPECT_EQ(groups, 2U);
        EXPECT_EQ(from->sm.smCount, 132U);
        EXPECT_EQ(flags, 6U);
        EXPECT_EQ(parameters[1].coscheduledSmCount, 8U);
        EXPECT_EQ(parameters[1].localityDomainId, 1U);
        if (driver_status == 0) write(&result[1]), write(rest), parameters[0].smCount = 9;
        return driver_status;
      });
  Guarded<Resource[2]> result;
  Guarded<Resource> rest;
  Guarded<v13::cudaDevSmResourceGroupParams[2]> groups;
  (*groups)[1].coscheduledSmCount = 8;
  (*groups)[1].localityDomainId = 1;
  const auto split = [&] {
    return adapt_resource_split(*result, 2, &input, rest.get(), 6, *groups);
  };
  EXPECT_EQ(split(), 0U);
  expect_written((*result)[1]);
  expect_written(*rest);
  EXPECT_EQ((*groups)[0].smCount, 9U);
  expect_errors_to_pass(split);
  EXPECT_TRUE(result.intact());
  EXPECT_TRUE(rest.intact());
  EXPECT_TRUE(groups.intact());
}

TEST_F(Resources, AreDividedByCount) {
  fake_driver(
      "cuDevSmResourceSplitByCount", +[](Drivers* result, unsigned* groups, const Drivers* from,
                                         Drivers* rest, unsigned flags, unsigned least) {
        EXPECT_EQ(result, nullptr);  // only the number is wanted
        EXPECT_EQ(from->sm.smCount, 132U);
        EXPECT_EQ(rest, nullptr);
        EXPECT_EQ(flags, 5U);
        EXPECT_EQ(least, 16U);
        if (driver_status == 0) *groups = 8;
        return driver_status;
      });
  Guarded<unsigned> groups;
  const auto split = [&] {
    return adapt_resource_split_by_count(nullptr, groups.get(), &input, nullptr, 5, 16);
  };
  EXPECT_EQ(split(), 0U);
  EXPECT_EQ(*groups, 8U);
  expect_errors_to_pass(split);
  EXPECT_TRUE(groups.intact());
}

TEST_F(Resources, AreDescribed) {
  fake_driver(
      "cuDevResourceGenerateDesc",
      +[](opaque::CUdevResourceDesc_st** to, Drivers* from, unsigned count) {
        EXPECT_EQ(from->sm.smCount, 132U);
        EXPECT_EQ(count, 1U);
        if (driver_status == 0) *to = reinterpret_cast<opaque::CUdevResourceDesc_st*>(8);
        return driver_status;
      });
  Guarded<v13::cudaDevResourceDesc_t> got;
  EXPECT_EQ(adapt_resource_description(got.get(), &input, 1), 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(*got), 8U);
  expect_errors_to_pass([&] { return adapt_resource_description(got.get(), &input, 1); });
  EXPECT_TRUE(got.intact());
}

}  // namespace
}  // namespace anycuda
