// SPDX-License-Identifier: Apache-2.0

// Single copies with the attributes of a batch: 13.2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

char memory[16];
const auto stream = reinterpret_cast<v13::cudaStream_t>(&memory[15]);
const auto legacy = reinterpret_cast<v13::cudaStream_t>(1);

struct Copy {
  void* destination;
  const void* source;
  std::size_t size;
  const void* stream;
  bool per_thread;
};

class CopyWithAttributes : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    done.clear();
    batches = 0;
    fake(
        "cudaFree", +[](void*) { return 0U; });
    fake("cudaMemcpyAsync", copy<false>);
    fake("cudaMemcpyAsync_ptsz", copy<true>);
    attribute.srcAccessOrder = v13::cudaMemcpySrcAccessOrderStream;
  }
  template <bool per_thread>
  static unsigned copy(void* destination, const void* source, std::size_t size, unsigned kind,
                       v11::cudaStream_t in) {
    EXPECT_EQ(kind, v11::cudaMemcpyDefault);
    done.push_back({destination, source, size, in, per_thread});
    return 0;
  }
  static unsigned driver_batch(unsigned long long* destinations, unsigned long long* sources,
                               std::size_t* sizes, std::size_t count,
                               driver::CUmemcpyAttributes_st* attributes, std::size_t* firsts,
                               std::size_t attribute_count, std::size_t* fail_index,
                               driver::CUstream in) {
    ++batches;
    EXPECT_EQ(destinations[0], reinterpret_cast<std::uintptr_t>(&memory[0]));
    EXPECT_EQ(sources[0], reinterpret_cast<std::uintptr_t>(&memory[1]));
    EXPECT_EQ(sizes[0], 7U);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(attributes->srcAccessOrder, v13::cudaMemcpySrcAccessOrderStream);
    EXPECT_EQ(firsts[0], 0U);
    EXPECT_EQ(attribute_count, 1U);
    EXPECT_EQ(in, stream);
    *fail_index = 0;
    return 1;
  }
  unsigned call(v13::cudaStream_t in = stream) {
    return adapt_memcpy_with_attributes(&memory[0], &memory[1], 7, &attribute, in);
  }
  v13::cudaMemcpyAttributes attribute = {};
  static std::vector<Copy> done;
  static int batches;
};
std::vector<Copy> CopyWithAttributes::done;
int CopyWithAttributes::batches;

TEST_F(CopyWithAttributes, ANewDriverTakesItAsItIs) {
  fake_driver(
      "cuMemcpyWithAttributesAsync",
      +[](unsigned long long to, unsigned long long from, std::size_t size,
          driver::CUmemcpyAttributes_st* attributes, driver::CUstream in) {
        EXPECT_EQ(to, reinterpret_cast<std::uintptr_t>(&memory[0]));
        EXPECT_EQ(from, reinterpret_cast<std::uintptr_t>(&memory[1]));
        EXPECT_EQ(size, 7U);
        EXPECT_EQ(attributes->srcAccessOrder, 1U);
        EXPECT_EQ(in, stream);
        return 5U;
      });
  fake_driver(
      "cuMemcpyWithAttributesAsync_ptsz",
      +[](unsigned long long, unsigned long long, std::size_t, driver::CUmemcpyAttributes_st*,
          driver::CUstream) { return 6U; });
  EXPECT_EQ(call(), 5U);
  EXPECT_EQ(remembered(), 5U);
  EXPECT_EQ(adapt_memcpy_with_attributes_ptsz(nullptr, nullptr, 0, nullptr, nullptr), 6U);
}

TEST_F(CopyWithAttributes, Driver12_8_GetsABatchOfOne) {
  fake_driver("cuMemcpyBatchAsync", driver_batch);
  EXPECT_EQ(call(), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(batches, 1);
  EXPECT_EQ(adapt_memcpy_with_attributes(&memory[0], &memory[1], 7, nullptr, stream), 1U);
  EXPECT_EQ(batches, 1);
  EXPECT_TRUE(done.empty());
}

TEST_F(CopyWithAttributes, LegacyStream_CopiesWithoutABatch) {
  fake_driver("cuMemcpyBatchAsync", driver_batch);
  EXPECT_EQ(call(nullptr), 0U);
  EXPECT_EQ(call(legacy), 0U);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].stream, nullptr);
  EXPECT_EQ(done[1].stream, legacy);
  EXPECT_EQ(batches, 0);
  attribute.srcAccessOrder = v13::cudaMemcpySrcAccessOrderDuringApiCall;
  EXPECT_EQ(call(nullptr), 801U);
  EXPECT_THAT(refused(),
              ElementsAre("cudaMemcpyWithAttributesAsync: cudaMemcpySrcAccessOrderDuringApiCall "
                          "needs a driver of CUDA 12.8 or later (in the legacy stream: 13.2)"));
}

TEST_F(CopyWithAttributes, ForAnOlderDriverItIsACopy) {
  EXPECT_EQ(call(), 0U);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].destination, &memory[0]);
  EXPECT_EQ(done[0].source, &memory[1]);
  EXPECT_EQ(done[0].size, 7U);
  EXPECT_EQ(done[0].stream, stream);
  EXPECT_EQ(adapt_memcpy_with_attributes_ptsz(&memory[0], &memory[1], 7, &attribute, nullptr), 0U);
  EXPECT_TRUE(done[1].per_thread);
  EXPECT_EQ(adapt_memcpy_with_attributes(&memory[0], &memory[1], 7, nullptr, stream), 1U);
  EXPECT_EQ(done.size(), 2U);
}

}  // namespace
}  // namespace anycuda
