// SPDX-License-Identifier: Apache-2.0

// Edges of graphs for programs built before 13, on 13, whose functions take edge data.
#include <gtest/gtest.h>

#include <array>

#include "tests/stubs/adapters/edge_fakes.h"

namespace anycuda {
namespace {

using namespace test;

class GraphEdges : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    called = {};
    answer = 0;
    edges = 3;
  }
};

TEST_F(GraphEdges, On13WithoutData_NoDataIsRequested) {
  fake("cudaGraphGetEdges", get_edges_with_data);
  fake("cudaGraphNodeGetDependencies", get_nodes_with_data);
  fake("cudaGraphNodeGetDependentNodes", get_nodes_with_data);
  Guarded<std::array<Node, 3>> from, to;
  Guarded<std::size_t> count;
  *count = 3;
  EXPECT_EQ(adapt_graph_get_edges_without_data(graph_at(9), from->data(), to->data(), count.get()),
            0U);
  EXPECT_EQ(called.subject, graph_at(9));
  EXPECT_EQ(called.data, nullptr);
  EXPECT_EQ((*from)[2], node_at(3));
  EXPECT_EQ((*to)[2], node_at(13));
  EXPECT_EQ(adapt_graph_get_dependencies_without_data(node_at(8), from->data(), count.get()), 0U);
  EXPECT_EQ(called.subject, node_at(8));
  EXPECT_EQ(called.data, nullptr);
  EXPECT_EQ(adapt_graph_get_dependents_without_data(node_at(7), to->data(), count.get()), 0U);
  EXPECT_EQ(called.subject, node_at(7));
  EXPECT_EQ(called.from, to->data());
  EXPECT_EQ(called.data, nullptr);
  EXPECT_EQ(*count, 3U);
  EXPECT_TRUE(from.intact() && to.intact() && count.intact());
}

TEST_F(GraphEdges, WithoutDataOn13NoDataIsGiven) {
  fake("cudaGraphAddDependencies", change_with_data);
  const Node from[] = {node_at(1)}, to[] = {node_at(2)};
  EXPECT_EQ(adapt_graph_add_dependencies_without_data(graph_at(9), from, to, 1), 0U);
  EXPECT_EQ(called.from, from);
  EXPECT_EQ(called.to, to);
  EXPECT_EQ(called.data, nullptr);
  EXPECT_EQ(called.count, 1U);
  fake("cudaGraphRemoveDependencies", change_with_data);
  answer = 1;
  EXPECT_EQ(adapt_graph_remove_dependencies_without_data(graph_at(8), to, from, 0), 1U);
  EXPECT_EQ(called.subject, graph_at(8));
  EXPECT_EQ(called.from, to);
  EXPECT_EQ(called.data, nullptr);
  EXPECT_EQ(called.count, 0U);
}

TEST_F(GraphEdges, WithoutThe13FunctionTheCallIsAbsent) {
  std::size_t count = 5;
  EXPECT_EQ(adapt_graph_get_edges_without_data(nullptr, nullptr, nullptr, &count), 302U);
  EXPECT_EQ(adapt_graph_get_dependencies_without_data(nullptr, nullptr, &count), 302U);
  EXPECT_EQ(adapt_graph_get_dependents_without_data(nullptr, nullptr, &count), 302U);
  EXPECT_EQ(adapt_graph_add_dependencies_without_data(nullptr, nullptr, nullptr, 0), 302U);
  EXPECT_EQ(adapt_graph_remove_dependencies_without_data(nullptr, nullptr, nullptr, 0), 302U);
  EXPECT_EQ(count, 5U);
}

}  // namespace
}  // namespace anycuda
