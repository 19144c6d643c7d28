// SPDX-License-Identifier: Apache-2.0

// Attributes of pointers in the struct of another major.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

int memory;
int unregistered;
class PointerAttributes : public ::testing::Test {
 protected:
  void SetUp() override { reset(); }
};

// As the runtimes do: all of the struct whatever the outcome.
template <typename Attributes>
unsigned of_pointer(Attributes* to, const void* pointer) {
  if (to == nullptr) return 1;
  std::memset(to, 0, sizeof *to);
  to->device = -1;
  if (pointer != &memory) return 700;
  std::memset(to, 0x77, sizeof *to);
  to->type = 2;
  to->device = 6;
  to->devicePointer = &memory;
  to->hostPointer = nullptr;
  return 0;
}

template <typename Mine>
void expect_pointer(const Mine& got) {
  EXPECT_EQ(got.type, 2U);
  EXPECT_EQ(got.device, 6);
  EXPECT_EQ(got.devicePointer, &memory);
  EXPECT_EQ(got.hostPointer, nullptr);
}
template <typename Mine>
void expect_failure(const Mine& got) {
  EXPECT_EQ(got.type, 0U);
  EXPECT_EQ(got.device, -1);
  EXPECT_EQ(got.devicePointer, nullptr);
  EXPECT_EQ(got.hostPointer, nullptr);
}

TEST_F(PointerAttributes, A24ByteStructIsFilledOn13AndNotWrittenPast) {
  fake("cudaPointerGetAttributes", of_pointer<v13::cudaPointerAttributes>);
  Guarded<v11::cudaPointerAttributes> got;
  EXPECT_EQ(adapt_pointer_attributes_on_13(got.get(), &memory), 0U);
  expect_pointer(*got);
  EXPECT_TRUE(got.intact());
}

TEST_F(PointerAttributes, FailureOn13_LeavesOlderRuntimesOutput) {
  fake("cudaPointerGetAttributes", of_pointer<v13::cudaPointerAttributes>);
  Guarded<v11::cudaPointerAttributes> got;
  EXPECT_EQ(adapt_pointer_attributes_on_13(got.get(), &unregistered), 700U);
  expect_failure(*got);
  EXPECT_TRUE(got.intact());
  EXPECT_EQ(adapt_pointer_attributes_on_13(nullptr, &memory), 1U);
}

TEST_F(PointerAttributes, Struct88BytesOnOlderRuntimes_HasTheDriversLocalityDomain) {
  fake("cudaPointerGetAttributes", of_pointer<v12::cudaPointerAttributes>);
  fake_driver(
      "cuPointerGetAttribute", +[](void* to, unsigned attribute, unsigned long long pointer) {
        EXPECT_EQ(attribute, 22U);
        EXPECT_EQ(pointer, reinterpret_cast<unsigned long long>(&memory));
        *static_cast<int*>(to) = 3;
        return 0U;
      });
  Guarded<v13::cudaPointerAttributes> got;
  EXPECT_EQ(adapt_pointer_attributes_of_13(got.get(), &memory), 0U);
  expect_pointer(*got);
  EXPECT_EQ(got->localityDomainOrdinal, 3);
  for (const long word : got->reserved) EXPECT_EQ(word, 0);
  EXPECT_TRUE(got.intact());
}

TEST_F(PointerAttributes, DriverWithoutLocalityDomains_ReturnsNone) {
  fake("cudaPointerGetAttributes", of_pointer<v12::cudaPointerAttributes>);
  fake_driver(
      "cuPointerGetAttribute", +[](void* to, unsigned, unsigned long long) {
        *static_cast<int*>(to) = 77;
        return 1U;
      });
  Guarded<v13::cudaPointerAttributes> got;
  EXPECT_EQ(adapt_pointer_attributes_of_13(got.get(), &memory), 0U);
  EXPECT_EQ(got->localityDomainOrdinal, -1);
  EXPECT_EQ(remembered(), 0U);
  EXPECT_TRUE(got.intact());
}

TEST_F(PointerAttributes, FailureOnAnOlderRuntime_LeavesTheOutputOf13) {
  fake("cudaPointerGetAttributes", of_pointer<v12::cudaPointerAttributes>);
  fake_driver(
      "cuPointerGetAttribute", +[](void*, unsigned, unsigned long long) -> unsigned {
        ADD_FAILURE() << "asked about a pointer that the runtime failed on";
        return 0;
      });
  Guarded<v13::cudaPointerAttributes> got;
  EXPECT_EQ(adapt_pointer_attributes_of_13(got.get(), &unregistered), 700U);
  expect_failure(*got);
  EXPECT_EQ(got->localityDomainOrdinal, -1);
  EXPECT_TRUE(got.intact());
  EXPECT_EQ(adapt_pointer_attributes_of_13(nullptr, &memory), 1U);
}

TEST_F(PointerAttributes, WithoutADevice_NoOutput) {
  fake(
      "cudaPointerGetAttributes", +[](void*, const void*) { return 100U; });
  Guarded<v11::cudaPointerAttributes> older;
  EXPECT_EQ(adapt_pointer_attributes_on_13(older.get(), &memory), 100U);
  EXPECT_TRUE(older.untouched());
  Guarded<v13::cudaPointerAttributes> newer;
  EXPECT_EQ(adapt_pointer_attributes_of_13(newer.get(), &memory), 100U);
  EXPECT_TRUE(newer.untouched());
}

}  // namespace
}  // namespace anycuda
