// SPDX-License-Identifier: Apache-2.0

// The table of nodes against std::map, with addresses as an allocator gives them.
#include "graph/node_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "tests/graph/memory_faults.h"

namespace anycuda::graph {
namespace {

CUgraphNode node(std::uintptr_t number) {
  return reinterpret_cast<CUgraphNode>(0x7f0000001000 + number * 48);
}
Attachment* attachment(std::uintptr_t number) {
  return reinterpret_cast<Attachment*>(0x1000 + number * 16);
}

void expect_same(const NodeTable& table, const std::map<CUgraphNode, Attachment*>& model) {
  ASSERT_EQ(table.size(), model.size());
  std::size_t visited = 0;
  table.each([&](CUgraphNode one, Attachment* has) {
    ++visited;
    const auto found = model.find(one);
    ASSERT_NE(found, model.end());
    EXPECT_EQ(found->second, has);
  });
  EXPECT_EQ(visited, model.size());
}

// Few nodes, so that the same ones come and go; more puts at first, more takes later. `distance` in
// nodes: whether they share a region, or each has one.
void compare_with_a_map(NodeTable* table, unsigned seed, std::uintptr_t distance) {
  std::mt19937 random(seed);
  std::map<CUgraphNode, Attachment*> model;
  for (int step = 0; step < 20000; ++step) {
    const CUgraphNode one = node(random() % 600 * distance);
    Attachment* const has = attachment(static_cast<std::uintptr_t>(step));
    const auto found = model.find(one);
    Attachment* const former = found == model.end() ? nullptr : found->second;
    ASSERT_EQ(table->find(one), former);
    if (random() % 20000 > static_cast<unsigned>(step)) {
      if (random() % 2 == 0) table->reserve();
      ASSERT_TRUE(table->can_put(one));
      ASSERT_EQ(table->put(one, {has}).attachment, former);
      model[one] = has;
    } else {
      ASSERT_EQ(table->take(one).attachment, former);
      model.erase(one);
    }
    if (step % 1000 == 0) expect_same(*table, model);
  }
  expect_same(*table, model);
}

TEST(NodeTable, BehavesLikeAMap) {
  for (const std::uintptr_t distance : {1U, 100U, 500U, 1500U}) {
    NodeTable table;
    for (const unsigned seed : {1U, 2U, 3U}) {
      compare_with_a_map(&table, seed, distance);
      table.clear();  // what it knew of the former nodes must not matter
    }
  }
}

// The region that was used last is gone with its only node.
TEST(NodeTable, KnowsANodeThatComesBackAtOnce) {
  NodeTable table;
  for (int round = 0; round < 3; ++round) {
    table.reserve();
    table.put(node(1), {attachment(1)});
    expect_same(table, {{node(1), attachment(1)}});
    EXPECT_TRUE(table.take(node(1)).known);
    expect_same(table, {});
  }
}

// As where a function of the program puts nodes between a reserve() and its put().
TEST(NodeTable, CanPutReservesAgain) {
  NodeTable table;
  table.reserve();
  table.put(node(1), {attachment(1)});
  fail_allocation(1);
  const bool without_memory = table.can_put(node(5000));
  const bool failed = allocation_failed();  // valgrind brings its own operator new, which does not
  const bool known = table.can_put(node(1));
  fail_allocation(0);
  EXPECT_EQ(without_memory, !failed);
  EXPECT_TRUE(known);
  EXPECT_TRUE(table.can_put(node(5000)));
  table.put(node(5000), {attachment(2)});
  EXPECT_EQ(table.find(node(5000)), attachment(2));
}

TEST(NodeTable, DoubtsAllAttachments) {
  NodeTable table;
  for (const std::uintptr_t number : {1, 2, 5000}) {
    table.reserve();
    table.put(node(number), {number == 2 ? nullptr : attachment(number)});
  }
  table.doubt_all();
  EXPECT_TRUE(table.get(node(1)).in_doubt);
  EXPECT_FALSE(table.get(node(2)).in_doubt);
  EXPECT_TRUE(table.get(node(5000)).in_doubt);
  EXPECT_EQ(table.find(node(5000)), attachment(5000));
}

TEST(NodeTable, GrowsWithManyNodes) {
  constexpr std::uintptr_t kNodes = 100000;
  NodeTable table;
  for (std::uintptr_t number = 0; number < kNodes; ++number) {
    table.reserve();
    EXPECT_EQ(table.put(node(number), {attachment(number)}).attachment, nullptr);
  }
  for (std::uintptr_t number = 0; number < kNodes; ++number) {
    ASSERT_EQ(table.find(node(number)), attachment(number));
  }
  EXPECT_EQ(table.find(node(kNodes)), nullptr);
  for (std::uintptr_t number = 0; number < kNodes; number += 2) {
    ASSERT_EQ(table.take(node(number)).attachment, attachment(number));
  }
  for (std::uintptr_t number = 0; number < kNodes; ++number) {
    ASSERT_EQ(table.find(node(number)), number % 2 == 0 ? nullptr : attachment(number));
  }
  table.clear();
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find(node(1)), nullptr);
  EXPECT_EQ(table.take(node(1)).attachment, nullptr);
}

TEST(NodeTable, TakesNodesAtEveryDistance) {
  for (const std::uintptr_t distance : {8, 48, 336, 4096, 1 << 16, 3 << 20}) {
    NodeTable table;
    const auto at = [distance](std::uintptr_t number) {
      return reinterpret_cast<CUgraphNode>(0x7f1234560010 + number * distance);
    };
    for (std::uintptr_t number = 0; number < 20000; ++number) {
      // From both ends, so that half of the nodes come before all others of their region.
      const std::uintptr_t one = number % 2 == 0 ? number : 20000 - number;
      table.reserve();
      EXPECT_FALSE(table.put(at(one), {attachment(one)}).known);
    }
    for (std::uintptr_t number = 0; number < 20000; ++number) {
      ASSERT_EQ(table.find(at(number)), attachment(number)) << distance;
    }
    EXPECT_EQ(table.size(), 20000U);
  }
}

TEST(NodeTable, KnowsNodesWithoutAnAttachment) {
  NodeTable table;
  EXPECT_FALSE(table.get(node(1)).known);
  table.reserve();
  EXPECT_FALSE(table.put(node(1), {}).known);
  EXPECT_TRUE(table.get(node(1)).known);
  EXPECT_TRUE(table.put(node(1), {attachment(1)}).known);
  EXPECT_FALSE(table.get(node(2)).known);
  EXPECT_FALSE(table.take(node(2)).known);
  EXPECT_TRUE(table.take(node(1)).known);
  EXPECT_FALSE(table.contains(node(1)));
}

TEST(NodeTable, TakesNodesInAnyOrder) {
  constexpr std::uintptr_t kNodes = 30000;
  std::vector<std::uintptr_t> numbers(kNodes);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::mt19937 random(5);
  std::shuffle(numbers.begin(), numbers.end(), random);
  NodeTable table;
  for (const std::uintptr_t number : numbers) {
    table.reserve();
    EXPECT_FALSE(table.put(node(number), {attachment(number)}).known);
  }
  std::uintptr_t next = 0;
  table.each([&](CUgraphNode one, Attachment* has) {
    ASSERT_EQ(one, node(next));
    ASSERT_EQ(has, attachment(next));
    ++next;
  });
  EXPECT_EQ(next, kNodes);
}

// What put() promises after reserve(): neither an enlarged nor a new region needs memory.
TEST(NodeTable, PutNeedsNoMemoryAfterReserve) {
  NodeTable table;
  std::mt19937 random(6);
  for (int step = 0; step < 20000; ++step) {
    const std::uintptr_t number = random() % 100000;
    const bool known = table.contains(node(number));
    const bool takes = step % 3 == 0;
    table.reserve();
    fail_allocation(1);
    const NodeTable::Has former =
        takes ? table.take(node(number)) : table.put(node(number), {attachment(number)});
    fail_allocation(0);  // an allocation would have ended the program: both are noexcept
    ASSERT_EQ(former.known, known);
  }
}

}  // namespace
}  // namespace anycuda::graph
