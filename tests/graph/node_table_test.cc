// The table of nodes against std::map, with addresses as an allocator gives them.
#include "graph/node_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

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

TEST(NodeTable, IsWhatAMapIs) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    std::mt19937 random(seed);
    NodeTable table;
    std::map<CUgraphNode, Attachment*> model;
    for (int step = 0; step < 20000; ++step) {
      // Few nodes, so that the same ones come and go; more puts at first, more takes later.
      const std::uintptr_t number = random() % 600;
      const auto found = model.find(node(number));
      Attachment* const former = found == model.end() ? nullptr : found->second;
      EXPECT_EQ(table.find(node(number)), former);
      if (random() % 20000 > static_cast<unsigned>(step)) {
        table.reserve(1);
        ASSERT_EQ(table.put(node(number), {attachment(number + step)}).attachment, former);
        model[node(number)] = attachment(number + step);
      } else {
        ASSERT_EQ(table.take(node(number)).attachment, former);
        model.erase(node(number));
      }
      if (step % 1000 == 0) expect_same(table, model);
    }
    expect_same(table, model);
  }
}

TEST(NodeTable, GrowsWithManyNodes) {
  constexpr std::uintptr_t kNodes = 100000;
  NodeTable table;
  for (std::uintptr_t number = 0; number < kNodes; ++number) {
    table.reserve(1);
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

// Distances at which one product would map the nodes to places that lie close together are 112 and
// 336 bytes.
TEST(NodeTable, TakesNodesAtEveryDistance) {
  for (const std::uintptr_t distance : {16, 48, 112, 208, 336, 4096}) {
    NodeTable table;
    const auto at = [distance](std::uintptr_t number) {
      return reinterpret_cast<CUgraphNode>(0x7f1234560010 + number * distance);
    };
    for (std::uintptr_t number = 0; number < 20000; ++number) {
      table.reserve(1);
      table.put(at(number), {attachment(number)});
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
  table.reserve(2);
  EXPECT_FALSE(table.put(node(1), {}).known);
  EXPECT_TRUE(table.get(node(1)).known);
  EXPECT_TRUE(table.put(node(1), {attachment(1)}).known);
  EXPECT_FALSE(table.get(node(2)).known);
  EXPECT_FALSE(table.take(node(2)).known);
  EXPECT_TRUE(table.take(node(1)).known);
  EXPECT_FALSE(table.contains(node(1)));
}

TEST(NodeTable, RoomForManyAtOnce) {
  NodeTable table;
  table.reserve(1000);
  for (std::uintptr_t number = 0; number < 1000; ++number) {
    EXPECT_EQ(table.put(node(number), {attachment(number)}).attachment, nullptr);
  }
  for (std::uintptr_t number = 0; number < 1000; ++number) {
    EXPECT_EQ(table.find(node(number)), attachment(number));
  }
}

}  // namespace
}  // namespace anycuda::graph
