// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/registration_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "stubs/cudart/registration.h"

namespace anycuda::registration {
namespace {

// __cudaRegisterFunction(handle, host, device, name, -1, 0, 0, 0, 0, 0) as nvcc makes it.
Record kernel(std::uint32_t handle, std::uint64_t host, std::uint64_t name) {
  return {kFunction, handle, {host, name, name, 0xffffffff}};
}

bool same(const Record& a, const Record& b) {
  return a.kind == b.kind && a.handle == b.handle &&
         std::memcmp(a.arguments, b.arguments, sizeof a.arguments) == 0;
}

std::vector<Record> read_all(const Log& log) {
  std::vector<Record> records;
  std::size_t position = 0;
  Record record;
  while (log.next(&position, &record)) records.push_back(record);
  EXPECT_EQ(position, log.size());
  return records;
}

TEST(RegistrationLog, ReturnsWrittenEntries) {
  Log log;
  std::vector<Record> written = {
      {kFatBinary, 1, {0x1000}},
      kernel(1, 0x2000, 0x3000),
      {kFunction, 1, {0x2000, 0x3000, 0x3001, 256, 1, 2, 3, 4, 5}},
      {kVariable, 0xfffffff, {0x10, 0x20, 0x20, 0, 64, 1, 0}},
      {kManagedVariable, 2, {0x10, 0x20, 0x21, 1, 8, 0, 0}},
      {kTexture, 2, {1, 2, 3, 2, 1, 0}},
      {kFatBinaryEnd, 1, {}},
  };
  for (const Record& record : written) ASSERT_TRUE(log.append(record));
  const std::vector<Record> read = read_all(log);
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(same(read[i], written[i])) << i;
}

// Each argument on its own, and all of them, in calls of every kind.
TEST(RegistrationLog, KeepsEveryArgumentOfEveryKind) {
  Log log;
  std::vector<Record> written;
  for (unsigned kind = kFatBinary; kind < kKindCount; ++kind) {
    for (int i = 0; i < kMaxArguments; ++i) {
      for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
        Record record{kind, 5, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
        record.arguments[i] = value;
        written.push_back(record);
      }
    }
    written.push_back({kind, 6, {}});
  }
  for (const Record& record : written) ASSERT_TRUE(log.append(record));
  const std::vector<Record> read = read_all(log);
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(same(read[i], written[i])) << i;
}

TEST(RegistrationLog, AnOrdinaryKernelIs24Bytes) {
  Log log;
  ASSERT_TRUE(log.append(kernel(1, 0x2000, 0x3000)));
  EXPECT_EQ(log.size() * 8, 24u);
  ASSERT_TRUE(log.append({kFatBinaryEnd, 1, {}}));
  EXPECT_EQ(log.size() * 8, 32u);
}

TEST(RegistrationLog, Empty_HasNoEntries) {
  const Log log{};
  Record record;
  std::size_t position = 0;
  EXPECT_FALSE(log.next(&position, &record));
  EXPECT_EQ(log.size(), 0u);
}

TEST(RegistrationLog, ClosesAtItsEndOnly) {
  Log log;
  ASSERT_TRUE(log.append(kernel(1, 2, 3)));
  EXPECT_FALSE(log.close_at(0));  // another thread has written since
  EXPECT_FALSE(log.closed());
  ASSERT_TRUE(log.append(kernel(1, 4, 5)));
  EXPECT_FALSE(log.close_at(3));
  EXPECT_TRUE(log.close_at(log.size()));
  EXPECT_TRUE(log.closed());
  EXPECT_FALSE(log.append(kernel(1, 6, 7)));
  EXPECT_EQ(log.size(), 6u);
}

TEST(RegistrationLog, AnEmptyOneCloses) {
  Log log;
  EXPECT_TRUE(log.close_at(0));
  EXPECT_FALSE(log.append(kernel(1, 2, 3)));
  log.release();
}

TEST(RegistrationLog, Full_RefusesAndKeepsItsEntries) {
  Log log;
  const Record big{kFunction, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  std::size_t count = 0;
  while (log.append(big)) ++count;
  EXPECT_GT(count, 500000u);
  EXPECT_FALSE(log.append(big));
  EXPECT_EQ(log.size(), count * 10);
  std::size_t position = (count - 1) * 10;
  Record record;
  EXPECT_TRUE(log.next(&position, &record));
  EXPECT_TRUE(same(record, big));
  EXPECT_FALSE(log.next(&position, &record));
  EXPECT_TRUE(log.close_at(position));
  log.release();
}

TEST(RegistrationLog, KeepsEntriesOfManyThreadsWhileRead) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint64_t kEach = 20000;
  Log log;
  std::atomic<std::uint32_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&log, &running, t] {
      for (std::uint64_t i = 1; i <= kEach; ++i) log.append(kernel(t, i, i * 2));
      --running;
    });
  }
  std::uint64_t last[kThreads + 1] = {};
  std::size_t position = 0;
  for (bool more = true; more;) {
    more = running != 0;  // asked first: what was written before it became 0 is read below
    Record record;
    while (log.next(&position, &record)) {
      ASSERT_TRUE(same(
          record, kernel(record.handle, last[record.handle] + 1, (last[record.handle] + 1) * 2)));
      ++last[record.handle];
    }
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t t = 1; t <= kThreads; ++t) EXPECT_EQ(last[t], kEach);
  EXPECT_TRUE(log.close_at(position));
}

TEST(RegistrationLog, HandlesAreTheStubsOwn) {
  const std::uint32_t first = new_handle();
  const std::uint32_t second = new_handle();
  ASSERT_NE(first, 0u);
  EXPECT_NE(first, second);
  EXPECT_EQ(handle_index(handle_address(first)), first);
  int other = 0;
  EXPECT_EQ(handle_index(reinterpret_cast<void**>(&other)), 0u);
  EXPECT_EQ(handle_index(nullptr), 0u);
  EXPECT_EQ(real_handle(first), nullptr);
  EXPECT_FALSE(cancelled(first));
  cancel(first);
  EXPECT_TRUE(cancelled(first));
  EXPECT_FALSE(cancelled(second));
}

}  // namespace
}  // namespace anycuda::registration
