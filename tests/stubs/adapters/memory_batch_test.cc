// SPDX-License-Identifier: Apache-2.0

// Batches of prefetches and discards for callers of 13.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

struct Prefetch {
  const void* address;
  std::size_t size;
  int device;
  bool per_thread;
};

int memory[8];
const auto stream = reinterpret_cast<v13::cudaStream_t>(&memory[7]);
const auto legacy = reinterpret_cast<v13::cudaStream_t>(1);
const auto per_thread_stream = reinterpret_cast<v13::cudaStream_t>(2);

class MemoryBatch : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    done.clear();
    fail_at = SIZE_MAX;
    batch = {};
    fake(
        "cudaFree", +[](void*) { return 0U; });
    fake("cudaMemPrefetchAsync", prefetch<false>);
    fake("cudaMemPrefetchAsync_ptsz", prefetch<true>);
  }
  template <bool per_thread>
  static unsigned prefetch(const void* address, std::size_t size, int device, v11::cudaStream_t) {
    if (done.size() == fail_at) return 101;
    done.push_back({address, size, device, per_thread});
    return 0;
  }
  static std::vector<Prefetch> done;
  static std::size_t fail_at;

  // What a driver of 13 got.
  struct Batch {
    const char* function = nullptr;
    const void* addresses = nullptr;
    const void* sizes = nullptr;
    std::size_t count = 0;
    const void* places = nullptr;
    const void* firsts = nullptr;
    std::size_t place_count = 0;
    unsigned long long flags = 0;
    const void* stream = nullptr;
  };
  static Batch batch;
  template <int which>
  static unsigned driver_prefetch(unsigned long long* addresses, std::size_t* sizes,
                                  std::size_t count, driver::CUmemLocation_st* places,
                                  std::size_t* firsts, std::size_t place_count,
                                  unsigned long long flags, driver::CUstream in) {
    constexpr const char* kNames[] = {"prefetch", "prefetch_ptsz", "both", "both_ptsz"};
    batch = {kNames[which], addresses, sizes, count, places, firsts, place_count, flags, in};
    return 5;
  }

  void* addresses[5] = {&memory[0], &memory[1], &memory[2], &memory[3], &memory[4]};
  std::size_t sizes[5] = {10, 11, 12, 13, SIZE_MAX};
  v13::cudaMemLocation places[2] = {gpu(4), host()};
  std::size_t firsts[2] = {0, 3};

  static v13::cudaMemLocation gpu(int device) {
    v13::cudaMemLocation place = {};
    place.type = v13::cudaMemLocationTypeDevice;
    place.id = device;
    return place;
  }
  static v13::cudaMemLocation host() {
    v13::cudaMemLocation place = {};
    place.type = v13::cudaMemLocationTypeHost;
    return place;
  }
};
std::vector<Prefetch> MemoryBatch::done;
std::size_t MemoryBatch::fail_at;
MemoryBatch::Batch MemoryBatch::batch;

TEST_F(MemoryBatch, ADriverOf13TakesItAsItIs) {
  fake_driver("cuMemPrefetchBatchAsync", driver_prefetch<0>);
  fake_driver("cuMemPrefetchBatchAsync_ptsz", driver_prefetch<1>);
  fake_driver("cuMemDiscardAndPrefetchBatchAsync", driver_prefetch<2>);
  fake_driver("cuMemDiscardAndPrefetchBatchAsync_ptsz", driver_prefetch<3>);
  const auto expect = [&](const char* function, unsigned status) {
    EXPECT_EQ(status, 5U);
    EXPECT_EQ(remembered(), 5U);
    EXPECT_STREQ(batch.function, function);
    EXPECT_EQ(batch.addresses, addresses);
    EXPECT_EQ(batch.sizes, sizes);
    EXPECT_EQ(batch.count, 5U);
    EXPECT_EQ(batch.places, places);
    EXPECT_EQ(batch.firsts, firsts);
    EXPECT_EQ(batch.place_count, 2U);
    EXPECT_EQ(batch.flags, 9U);
    EXPECT_EQ(batch.stream, stream);
  };
  expect("prefetch", adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 9, stream));
  expect("prefetch_ptsz",
         adapt_mem_prefetch_batch_ptsz(addresses, sizes, 5, places, firsts, 2, 9, stream));
  expect("both",
         adapt_mem_discard_and_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 9, stream));
  expect("both_ptsz", adapt_mem_discard_and_prefetch_batch_ptsz(addresses, sizes, 5, places, firsts,
                                                                2, 9, stream));
  EXPECT_TRUE(done.empty());
}

TEST_F(MemoryBatch, ADriverOf13DiscardsItself) {
  fake_driver(
      "cuMemDiscardBatchAsync", +[](unsigned long long* p, std::size_t* n, std::size_t count,
                                    unsigned long long flags, driver::CUstream in) {
        batch = {"discard", p, n, count, nullptr, nullptr, 0, flags, in};
        return 0U;
      });
  fake_driver(
      "cuMemDiscardBatchAsync_ptsz", +[](unsigned long long* p, std::size_t* n, std::size_t count,
                                         unsigned long long flags, driver::CUstream in) {
        batch = {"discard_ptsz", p, n, count, nullptr, nullptr, 0, flags, in};
        return 0U;
      });
  EXPECT_EQ(adapt_mem_discard_batch(addresses, sizes, 5, 3, stream), 0U);
  EXPECT_STREQ(batch.function, "discard");
  EXPECT_EQ(batch.addresses, addresses);
  EXPECT_EQ(batch.sizes, sizes);
  EXPECT_EQ(batch.count, 5U);
  EXPECT_EQ(batch.flags, 3U);
  EXPECT_EQ(batch.stream, stream);
  EXPECT_EQ(adapt_mem_discard_batch_ptsz(addresses, sizes, 5, 3, stream), 0U);
  EXPECT_STREQ(batch.function, "discard_ptsz");
}

TEST_F(MemoryBatch, ForAnOlderDriverItIsPrefetchedOneByOne) {
  EXPECT_EQ(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 0, stream), 0U);
  ASSERT_EQ(done.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(done[i].address, addresses[i]);
    EXPECT_EQ(done[i].size, sizes[i]);
    EXPECT_EQ(done[i].device, i < 3 ? 4 : -1);
    EXPECT_FALSE(done[i].per_thread);
  }
  done.clear();
  EXPECT_EQ(
      adapt_mem_discard_and_prefetch_batch_ptsz(addresses, sizes, 5, places, firsts, 2, 0, nullptr),
      0U);
  ASSERT_EQ(done.size(), 5U);
  EXPECT_TRUE(done[4].per_thread);
}

TEST_F(MemoryBatch, TheFirstErrorEndsIt) {
  fail_at = 3;
  EXPECT_EQ(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 0, stream), 101U);
  EXPECT_EQ(done.size(), 3U);
}

TEST_F(MemoryBatch, NullLocationIsRefusedBeforeAnyWork) {
  places[1].type = v13::cudaMemLocationTypeHostNuma;
  EXPECT_EQ(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 0, stream), 801U);
  EXPECT_THAT(refused(),
              ElementsAre("cudaMemPrefetchBatchAsync: a location other than a device or the whole "
                          "host needs a driver of CUDA 12.2 or later"));
  EXPECT_TRUE(done.empty());
}

TEST_F(MemoryBatch, DocumentedErrorsAreInvalidValues) {
  const auto invalid = [&](unsigned status) {
    EXPECT_EQ(status, 1U);
    EXPECT_EQ(remembered(), 1U);
    EXPECT_TRUE(done.empty());
  };
  invalid(adapt_mem_prefetch_batch(nullptr, sizes, 5, places, firsts, 2, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, nullptr, 5, places, firsts, 2, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, nullptr, firsts, 2, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, places, nullptr, 2, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 0, places, firsts, 2, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 0, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 1, places, firsts, 2, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 3, places, firsts, 2, 0, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 1, stream));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 0, nullptr));
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 0, legacy));
  invalid(adapt_mem_prefetch_batch_ptsz(addresses, sizes, 5, places, firsts, 2, 0, legacy));
  firsts[0] = 1;
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 0, stream));
  firsts[0] = 0, firsts[1] = 0;
  invalid(adapt_mem_prefetch_batch(addresses, sizes, 5, places, firsts, 2, 0, stream));
  invalid(adapt_mem_discard_batch(nullptr, sizes, 5, 0, stream));
  invalid(adapt_mem_discard_batch(addresses, nullptr, 5, 0, stream));
  invalid(adapt_mem_discard_batch(addresses, sizes, 0, 0, stream));
  invalid(adapt_mem_discard_batch(addresses, sizes, 5, 1, stream));
  invalid(adapt_mem_discard_batch(addresses, sizes, 5, 0, nullptr));
}

TEST_F(MemoryBatch, OlderDriver_DiscardLeavesTheMemory) {
  EXPECT_EQ(adapt_mem_discard_batch(addresses, sizes, 5, 0, stream), 0U);
  EXPECT_EQ(adapt_mem_discard_batch(addresses, sizes, 5, 0, per_thread_stream), 0U);
  EXPECT_EQ(adapt_mem_discard_batch_ptsz(addresses, sizes, 5, 0, nullptr), 0U);
  EXPECT_TRUE(done.empty());
}

}  // namespace
}  // namespace anycuda
