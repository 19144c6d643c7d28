// SPDX-License-Identifier: Apache-2.0

// Copies in batches, and copies with attributes, between pointers.
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
  unsigned kind;
  const void* stream;
  bool per_thread;
};

class CopyBatch : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    done.clear();
    fail_at = SIZE_MAX;
    batch = {};
    fake(
        "cudaFree", +[](void*) { return 0U; });
    fake("cudaMemcpyAsync", copy<false>);
    fake("cudaMemcpyAsync_ptsz", copy<true>);
  }
  template <bool per_thread>
  static unsigned copy(void* destination, const void* source, std::size_t size, unsigned kind,
                       v11::cudaStream_t in) {
    if (done.size() == fail_at) return 700;
    done.push_back({destination, source, size, kind, in, per_thread});
    return 0;
  }
  static std::vector<Copy> done;
  static std::size_t fail_at;

  // What a driver of 12.8 got.
  struct Batch {
    int times = 0;
    bool per_thread = false;
    const void* destinations = nullptr;
    const void* sources = nullptr;
    const void* sizes = nullptr;
    std::size_t count = 0;
    const void* attributes = nullptr;
    const void* firsts = nullptr;
    std::size_t attribute_count = 0;
    const void* stream = nullptr;
    driver::CUmemcpyAttributes_st first = {};
    unsigned long long address = 0;
  };
  static Batch batch;
  template <bool per_thread>
  static unsigned driver_batch(unsigned long long* destinations, unsigned long long* sources,
                               std::size_t* sizes, std::size_t count,
                               driver::CUmemcpyAttributes_st* attributes, std::size_t* firsts,
                               std::size_t attribute_count, std::size_t* fail_index,
                               driver::CUstream in) {
    const int times = batch.times + 1;
    batch = {times,      per_thread, destinations,    sources, sizes, count,
             attributes, firsts,     attribute_count, in,      {},    destinations[0]};
    if (attributes != nullptr) batch.first = attributes[0];
    if (times == 1) return 201;  // as in a process whose runtime has no context yet
    if (fail_index != nullptr) *fail_index = 2;
    return 1;
  }
  void driver_of_12_8() {
    fake_driver("cuMemcpyBatchAsync", driver_batch<false>);
    fake_driver("cuMemcpyBatchAsync_ptsz", driver_batch<true>);
  }

  void* destinations[5] = {&memory[0], &memory[1], &memory[2], &memory[3], &memory[4]};
  void* sources[5] = {&memory[5], &memory[6], &memory[7], &memory[8], &memory[9]};
  std::size_t sizes[5] = {1, 0, SIZE_MAX, 4, 5};
  v12::cudaMemcpyAttributes attributes[2] = {{v12::cudaMemcpySrcAccessOrderStream, {1, 2}, {}, 1},
                                             {v12::cudaMemcpySrcAccessOrderAny, {}, {3, 4}, 0}};
  v13::cudaMemcpyAttributes attributes_13[2] = {};
  std::size_t firsts[2] = {0, 3};
  Guarded<std::size_t> fail_index;

  unsigned call() {
    return adapt_memcpy_batch_index(destinations, sources, sizes, 5, attributes, firsts, 2,
                                    fail_index.get(), stream);
  }
  unsigned call_13() {
    attributes_13[0].srcAccessOrder = attributes[0].srcAccessOrder;
    attributes_13[1].srcAccessOrder = attributes[1].srcAccessOrder;
    return adapt_memcpy_batch(destinations, sources, sizes, 5, attributes_13, firsts, 2, stream);
  }
  void expect_all(bool per_thread, const void* in) {
    ASSERT_EQ(done.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(done[i].destination, destinations[i]);
      EXPECT_EQ(done[i].source, sources[i]);
      EXPECT_EQ(done[i].size, sizes[i]);
      EXPECT_EQ(done[i].kind, v11::cudaMemcpyDefault);
      EXPECT_EQ(done[i].stream, in);
      EXPECT_EQ(done[i].per_thread, per_thread);
    }
  }
};
std::vector<Copy> CopyBatch::done;
std::size_t CopyBatch::fail_at;
CopyBatch::Batch CopyBatch::batch;

TEST_F(CopyBatch, ADriverOf12_8TakesItAsItIs) {
  driver_of_12_8();
  EXPECT_EQ(call(), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(batch.times, 2);
  EXPECT_FALSE(batch.per_thread);
  EXPECT_EQ(batch.destinations, destinations);
  EXPECT_EQ(batch.sources, sources);
  EXPECT_EQ(batch.sizes, sizes);
  EXPECT_EQ(batch.count, 5U);
  EXPECT_EQ(batch.attributes, attributes);
  EXPECT_EQ(batch.firsts, firsts);
  EXPECT_EQ(batch.attribute_count, 2U);
  EXPECT_EQ(batch.stream, stream);
  EXPECT_EQ(batch.first.srcLocHint.id, 2);
  EXPECT_EQ(batch.first.flags, 1U);
  EXPECT_EQ(*fail_index, 2U);
  EXPECT_TRUE(fail_index.intact());
  EXPECT_TRUE(done.empty());
  EXPECT_EQ(adapt_memcpy_batch_index_ptsz(destinations, sources, sizes, 5, attributes, firsts, 2,
                                          nullptr, nullptr),
            1U);
  EXPECT_TRUE(batch.per_thread);
}

TEST_F(CopyBatch, Caller13_FailedCopyIsNotNamed) {
  driver_of_12_8();
  EXPECT_EQ(call_13(), 1U);
  EXPECT_EQ(batch.times, 2);
  EXPECT_EQ(batch.destinations, destinations);
  EXPECT_EQ(batch.attributes, attributes_13);
  EXPECT_EQ(
      adapt_memcpy_batch_ptsz(destinations, sources, sizes, 5, attributes_13, firsts, 2, nullptr),
      1U);
  EXPECT_TRUE(batch.per_thread);
}

TEST_F(CopyBatch, ForAnOlderDriverItIsCopiedOneByOne) {
  EXPECT_EQ(call(), 0U);
  expect_all(false, stream);
  EXPECT_TRUE(fail_index.untouched());
  done.clear();
  EXPECT_EQ(call_13(), 0U);
  expect_all(false, stream);
  done.clear();
  EXPECT_EQ(adapt_memcpy_batch_index_ptsz(destinations, sources, sizes, 5, attributes, firsts, 2,
                                          nullptr, nullptr),
            0U);
  expect_all(true, nullptr);
}

TEST_F(CopyBatch, TheCopyThatFailedIsNamed) {
  fail_at = 3;
  EXPECT_EQ(call(), 700U);
  EXPECT_EQ(*fail_index, 3U);
  EXPECT_TRUE(fail_index.intact());
  done.clear();
  EXPECT_EQ(adapt_memcpy_batch_index(destinations, sources, sizes, 5, attributes, firsts, 2,
                                     nullptr, stream),
            700U);
}

TEST_F(CopyBatch, CopiesThatNeedStreamOrderAreRefusedBeforeAny) {
  attributes[1].srcAccessOrder = v12::cudaMemcpySrcAccessOrderDuringApiCall;
  EXPECT_EQ(call(), 801U);
  EXPECT_EQ(remembered(), 801U);
  EXPECT_EQ(*fail_index, 3U);
  EXPECT_EQ(call_13(), 801U);
  const char* const reason =
      "cudaMemcpyBatchAsync: cudaMemcpySrcAccessOrderDuringApiCall needs a driver of CUDA 12.8 or "
      "later (in the legacy stream: 13.2)";
  EXPECT_THAT(refused(), ElementsAre(reason, reason));
  EXPECT_TRUE(done.empty());
}

TEST_F(CopyBatch, DocumentedErrorsAreInvalidValues) {
  const auto invalid = [&](unsigned status, std::size_t entry) {
    EXPECT_EQ(status, 1U);
    EXPECT_EQ(remembered(), 1U);
    EXPECT_EQ(*fail_index, entry);
    EXPECT_TRUE(done.empty());
    *fail_index = 99;
  };
  const auto with = [&](void** d, void** s, std::size_t* n, std::size_t count,
                        v12::cudaMemcpyAttributes* a, std::size_t* f, std::size_t m,
                        v12::cudaStream_t in) {
    return adapt_memcpy_batch_index(d, s, n, count, a, f, m, fail_index.get(), in);
  };
  invalid(with(nullptr, sources, sizes, 5, attributes, firsts, 2, stream), SIZE_MAX);
  invalid(with(destinations, nullptr, sizes, 5, attributes, firsts, 2, stream), SIZE_MAX);
  invalid(with(destinations, sources, nullptr, 5, attributes, firsts, 2, stream), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 5, nullptr, firsts, 2, stream), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 5, attributes, nullptr, 2, stream), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 0, attributes, firsts, 2, stream), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 5, attributes, firsts, 0, stream), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 3, attributes, firsts, 2, stream), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 5, attributes, firsts, SIZE_MAX, stream), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 5, attributes, firsts, 2, nullptr), SIZE_MAX);
  invalid(with(destinations, sources, sizes, 5, attributes, firsts, 2, legacy), SIZE_MAX);
  // More attributes than copies: not one index is read that need not be there.
  std::vector<std::size_t> two = {0, 1};
  invalid(with(destinations, sources, sizes, 2, attributes, two.data(), 3, stream), SIZE_MAX);
  attributes[1].flags = 2;
  invalid(call(), 3);
  attributes[1].flags = 0;
  attributes[0].srcAccessOrder = v12::cudaMemcpySrcAccessOrderInvalid;
  invalid(call(), 0);
  attributes[0].srcAccessOrder = 4;
  invalid(call(), 0);
}

TEST_F(CopyBatch, ManyCopiesWithAsManyAttributes) {
  constexpr std::size_t kMany = 10000;
  std::vector<void*> to(kMany, &memory[0]);
  std::vector<void*> from(kMany, &memory[1]);
  std::vector<std::size_t> lengths(kMany, 3);
  std::vector<v12::cudaMemcpyAttributes> all(kMany, attributes[0]);
  std::vector<std::size_t> each(kMany);
  for (std::size_t i = 0; i < kMany; ++i) each[i] = i;
  EXPECT_EQ(adapt_memcpy_batch_index(to.data(), from.data(), lengths.data(), kMany, all.data(),
                                     each.data(), kMany, nullptr, stream),
            0U);
  EXPECT_EQ(done.size(), kMany);
}

TEST_F(CopyBatch, WithoutTheRuntimesCopyTheCallIsAbsent) {
  reset();
  EXPECT_EQ(call(), 302U);
}

}  // namespace
}  // namespace anycuda
