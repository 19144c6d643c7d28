// SPDX-License-Identifier: Apache-2.0

// Updates of executable graphs, and queries about graphs and nodes.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using Exec = v13::cudaGraphExec_t;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;

template <typename Handle>
Handle handle(std::size_t number) {
  return reinterpret_cast<Handle>(number * 16);
}

class Graphs : public ::testing::Test {
 protected:
  void SetUp() override { reset(); }
};

// ---- Update

TEST_F(Graphs, OldCallersUpdateReturnsOneNodeAndAResult) {
  static unsigned result;
  fake_driver(
      "cuGraphExecUpdate", +[](Exec, Graph, Node* node, unsigned* found) -> unsigned {
        if (node != nullptr) *node = handle<Node>(6);
        *found = result;
        return result == 0 ? 0 : 910;
      });
  constexpr unsigned kExpected[] = {0, 1, 2, 3, 7, 5, 6, 7, 8, 1};
  for (result = 0; result < 10; ++result) {
    Guarded<Node> node;
    Guarded<unsigned> told;
    EXPECT_EQ(adapt_graph_exec_update_with_node(handle<Exec>(1), handle<Graph>(2), node.get(),
                                                told.get()),
              result == 0 ? 0U : 910U);
    EXPECT_EQ(*told, kExpected[result]);
    EXPECT_EQ(*node, handle<Node>(6));
    EXPECT_TRUE(node.intact() && told.intact());
  }
  EXPECT_EQ(remembered(), 910U);
  EXPECT_EQ(adapt_graph_exec_update_with_node(handle<Exec>(1), handle<Graph>(2), nullptr, nullptr),
            910U);
}

TEST_F(Graphs, NullGraphUpdateIsInvalid) {
  Guarded<unsigned> told;
  Guarded<v13::cudaGraphExecUpdateResultInfo_st> info;
  EXPECT_EQ(adapt_graph_exec_update_with_node(nullptr, handle<Graph>(2), nullptr, told.get()), 1U);
  EXPECT_EQ(adapt_graph_exec_update_with_node(handle<Exec>(1), nullptr, nullptr, told.get()), 1U);
  EXPECT_EQ(adapt_graph_exec_update_info(nullptr, handle<Graph>(2), info.get()), 1U);
  EXPECT_EQ(adapt_graph_exec_update_info(handle<Exec>(1), nullptr, info.get()), 1U);
  EXPECT_TRUE(told.untouched() && info.untouched());
  EXPECT_EQ(remembered(), 1U);
}

TEST_F(Graphs, NewCallersUpdateReturnsTwoNodesByTheDriver) {
  fake_driver(
      "cuGraphExecUpdate_v2",
      +[](Exec exec, Graph graph, driver::CUgraphExecUpdateResultInfo_st* found) -> unsigned {
        EXPECT_EQ(exec, handle<Exec>(1));
        EXPECT_EQ(graph, handle<Graph>(2));
        *found = {2, handle<Node>(6), handle<Node>(8)};
        return 910;
      });
  Guarded<v13::cudaGraphExecUpdateResultInfo_st> info;
  EXPECT_EQ(adapt_graph_exec_update_info(handle<Exec>(1), handle<Graph>(2), info.get()), 910U);
  EXPECT_EQ(info->result, 2U);
  EXPECT_EQ(info->errorNode, handle<Node>(6));
  EXPECT_EQ(info->errorFromNode, handle<Node>(8));
  EXPECT_TRUE(info.intact());
  EXPECT_EQ(adapt_graph_exec_update_info(handle<Exec>(1), handle<Graph>(2), nullptr), 910U);
}

TEST_F(Graphs, WithADriverOf11TheSecondNodeIsNull) {
  fake(
      "cudaGraphExecUpdate", +[](Exec, Graph, Node* node, unsigned* result) -> unsigned {
        *node = handle<Node>(6);
        *result = 5;
        return 910;
      });
  Guarded<v13::cudaGraphExecUpdateResultInfo_st> info;
  EXPECT_EQ(adapt_graph_exec_update_info(handle<Exec>(1), handle<Graph>(2), info.get()), 910U);
  EXPECT_EQ(info->result, 5U);
  EXPECT_EQ(info->errorNode, handle<Node>(6));
  EXPECT_EQ(info->errorFromNode, nullptr);
  EXPECT_TRUE(info.intact());
}

// ---- Questions that the driver answers

TEST_F(Graphs, DriverReturnsFlagsAndNumbers) {
  fake_driver(
      "cuGraphExecGetFlags", +[](Exec exec, unsigned long* found) -> unsigned {
        return *found = 1UL << 40 | reinterpret_cast<std::size_t>(exec), 0;
      });
  Guarded<unsigned long long> flags_of;
  EXPECT_EQ(adapt_graph_exec_get_flags(handle<Exec>(1), flags_of.get()), 0U);
  EXPECT_EQ(*flags_of, (1ULL << 40) + 16);
  EXPECT_TRUE(flags_of.intact());
}

TEST_F(Graphs, AnOlderDriverHasNoFlags) {
  Guarded<unsigned long long> flags;
  EXPECT_EQ(adapt_graph_exec_get_flags(nullptr, flags.get()), 302U);
  EXPECT_TRUE(flags.untouched());
}

}  // namespace
}  // namespace anycuda
