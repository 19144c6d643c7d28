// SPDX-License-Identifier: Apache-2.0

// The list that the copies of a process share.
#include "loader/process/process_records.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace anycuda {
namespace {

bool is_leader(const ProcessRecord& record) { return record.kind == RecordKind::leader; }
bool is_nothing(const ProcessRecord&) { return false; }

ProcessRecord* record(RecordKind kind) { return new_record(kind, sizeof(ProcessRecord)); }

TEST(ProcessRecords, AreInTheirOrder) {
  Process process = {};
  ProcessRecord* const first = record(RecordKind::copy);
  ProcessRecord* const second = record(RecordKind::copy);
  EXPECT_EQ(add_record(&process, first, is_nothing), first);
  EXPECT_EQ(add_record(&process, second, is_nothing), second);
  EXPECT_EQ(process.first.load(), first);
  EXPECT_EQ(first->next.load(), second);
  EXPECT_EQ(second->next.load(), nullptr);
  EXPECT_EQ(second->size, sizeof(ProcessRecord));
}

TEST(ProcessRecords, TheFirstOfOneMeaningStands) {
  Process process = {};
  ProcessRecord* const other = record(RecordKind::copy);
  ProcessRecord* const first = record(RecordKind::leader);
  ProcessRecord* const second = record(RecordKind::leader);
  EXPECT_EQ(add_record(&process, other, is_leader), other);
  EXPECT_EQ(add_record(&process, first, is_leader), first);
  EXPECT_EQ(add_record(&process, second, is_leader), first);
  EXPECT_EQ(first->next.load(), nullptr);
  release(second);
}

TEST(ProcessRecords, OfManyThreads_OneOfOneMeaningStands) {
  constexpr int kThreads = 8;
  for (int round = 0; round < 50; ++round) {
    Process process = {};
    std::atomic<int> ready{0};
    std::vector<const ProcessRecord*> stands(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ProcessRecord* const copy = record(RecordKind::copy);
        ProcessRecord* const mine = record(RecordKind::leader);
        ++ready;
        while (ready < kThreads) std::this_thread::yield();
        add_record(&process, copy, is_nothing);
        stands[i] = add_record(&process, mine, is_leader);
        if (stands[i] != mine) release(mine);
      });
    }
    for (std::thread& thread : threads) thread.join();
    int count = 0;
    for (const ProcessRecord* one = process.first; one != nullptr; one = one->next) ++count;
    EXPECT_EQ(count, kThreads + 1);
    for (const ProcessRecord* one : stands) EXPECT_EQ(one, stands[0]);
  }
}

}  // namespace
}  // namespace anycuda
