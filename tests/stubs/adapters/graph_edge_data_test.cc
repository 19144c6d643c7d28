// SPDX-License-Identifier: Apache-2.0

// Edges of graphs for programs that use edge data, on runtimes and drivers that may lack it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/stubs/adapters/edge_fakes.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

unsigned get_edges(Graph graph, Node* from, Node* to, std::size_t* count) {
  record(graph, from, to, nullptr, *count);
  return fill(from, to, nullptr, count);
}
unsigned get_nodes(Node node, Node* nodes, std::size_t* count) {
  record(node, nodes, nullptr, nullptr, *count);
  return fill(nodes, nullptr, nullptr, count);
}
unsigned change(Graph graph, const Node* from, const Node* to, std::size_t count) {
  return record(graph, from, to, nullptr, count);
}

// All five functions in one table.
struct Names {
  const char* plain;
  const char* runtime;
  const char* driver;
};
constexpr Names kNames[] = {
    {"cudaGraphGetEdges", "cudaGraphGetEdges_v2", "cuGraphGetEdges_v2"},
    {"cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependencies_v2",
     "cuGraphNodeGetDependencies_v2"},
    {"cudaGraphNodeGetDependentNodes", "cudaGraphNodeGetDependentNodes_v2",
     "cuGraphNodeGetDependentNodes_v2"},
    {"cudaGraphAddDependencies", "cudaGraphAddDependencies_v2", "cuGraphAddDependencies_v2"},
    {"cudaGraphRemoveDependencies", "cudaGraphRemoveDependencies_v2",
     "cuGraphRemoveDependencies_v2"},
};

class EdgesWithData : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    reset();
    called = {};
    answer = 0;
    edges = 3;
  }
  bool gets() const { return GetParam() < 3; }
  const Names& names() const { return kNames[GetParam()]; }
  void fake_plain() const {
    if (GetParam() == 0) fake(names().plain, get_edges);
    if (GetParam() == 1 || GetParam() == 2) fake(names().plain, get_nodes);
    if (!gets()) fake(names().plain, change);
  }
  void fake_with_data(const char* name) const {
    if (GetParam() == 0) fake(name, get_edges_with_data);
    if (GetParam() == 1 || GetParam() == 2) fake(name, get_nodes_with_data);
    if (!gets()) fake(name, change_with_data);
  }
  unsigned call(Node* from, Node* to, Data* data, std::size_t* count) const {
    switch (GetParam()) {
      case 0:
        return adapt_graph_get_edges_with_data(graph_at(9), from, to, data, count);
      case 1:
        return adapt_graph_get_dependencies_with_data(node_at(9), from, data, count);
      case 2:
        return adapt_graph_get_dependents_with_data(node_at(9), from, data, count);
      case 3:
        return adapt_graph_add_dependencies_with_data(graph_at(9), from, to, data, *count);
      default:
        return adapt_graph_remove_dependencies_with_data(graph_at(9), from, to, data, *count);
    }
  }
  std::array<Node, 4> from{}, to{};
  Guarded<std::array<Data, 4>> data;
  std::size_t count = 4;
};

class DataAskedFor : public EdgesWithData {};
class DataGiven : public EdgesWithData {};

TEST_P(EdgesWithData, UsesTheRuntimesForm) {
  fake_with_data(names().runtime);
  ASSERT_EQ(call(from.data(), to.data(), data->data(), &count), 0U);
  EXPECT_EQ(called.subject, graph_at(9));
  EXPECT_EQ(called.from, from.data());
  EXPECT_EQ(called.data, data->data());
  EXPECT_EQ(called.count, 4U);
}

TEST_P(EdgesWithData, RuntimeWithoutForm_DriverIsUsed) {
  fake_with_data(names().driver);
  fake_plain();
  ASSERT_EQ(call(from.data(), to.data(), data->data(), &count), 0U);
  EXPECT_EQ(called.times, 1);
  EXPECT_EQ(called.subject, graph_at(9));
  EXPECT_EQ(called.from, from.data());
  EXPECT_EQ(called.data, data->data());
  EXPECT_EQ(called.count, 4U);
}

TEST_P(EdgesWithData, TheDriversErrorIsRemembered) {
  fake_with_data(names().driver);
  answer = 402;
  EXPECT_EQ(call(from.data(), to.data(), data->data(), &count), 402U);
  EXPECT_EQ(remembered(), 402U);
  EXPECT_TRUE(data.untouched());
}

TEST_P(EdgesWithData, WithAnOldDriverEdgesHaveTheDefaultData) {
  fake_plain();
  if (!gets()) *data = {};
  ASSERT_EQ(call(from.data(), to.data(), data->data(), &count), 0U);
  EXPECT_EQ(called.subject, graph_at(9));
  EXPECT_EQ(called.from, from.data());
  EXPECT_TRUE(data.intact());
  if (!gets()) {
    EXPECT_EQ(called.count, 4U);
    return;
  }
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(from[2], node_at(3));
  constexpr Data kDefault{};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(std::memcmp(&(*data)[i], &kDefault, sizeof kDefault), 0);
  EXPECT_EQ((*data)[3].type, 0x5a) << "written past the edges that there are";
}

TEST_P(EdgesWithData, WithAnOldDriverNoDataIsFine) {
  fake_plain();
  EXPECT_EQ(call(from.data(), to.data(), nullptr, &count), 0U);
  EXPECT_EQ(called.times, 1);
}

TEST_P(EdgesWithData, OldDriver_ErrorsAreReturnedWithoutOutput) {
  fake_plain();
  answer = 1;
  if (!gets()) *data = {};
  EXPECT_EQ(call(from.data(), to.data(), data->data(), &count), 1U);
  EXPECT_TRUE(!gets() || data.untouched());
  EXPECT_EQ(count, 4U);
}

TEST_P(EdgesWithData, NoEdges_NothingIsReadOrWritten) {
  fake_plain();
  edges = 0;
  count = 0;
  EXPECT_EQ(call(from.data(), to.data(), data->data(), &count), 0U);
  EXPECT_TRUE(data.untouched());
}

TEST_P(DataGiven, OtherThanDefaultIsRefusedWithAnOldDriver) {
  fake_plain();
  *data = {};
  (*data)[3].reserved[4] = 1;  // the last byte that counts
  EXPECT_EQ(call(from.data(), to.data(), data->data(), &count), 801U);
  EXPECT_EQ(called.times, 0);
  EXPECT_THAT(refused(), ElementsAre(std::string(names().plain) +
                                     ": non-zero edge data needs a driver of CUDA 12.3 or later"));
  count = 3;
  EXPECT_EQ(call(from.data(), to.data(), data->data(), &count), 0U);
}

TEST_P(DataAskedFor, WithoutNodesIsInvalid) {
  fake_plain();
  EXPECT_EQ(call(nullptr, nullptr, data->data(), &count), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_TRUE(data.untouched());
  EXPECT_EQ(call(nullptr, nullptr, nullptr, &count), 0U);
  EXPECT_EQ(count, 3U);
}

TEST_P(EdgesWithData, WithoutAnyFunctionTheCallIsAbsent) {
  EXPECT_EQ(call(from.data(), to.data(), nullptr, &count), 302U);
}

const auto kNameOf = [](const auto& test) { return std::string(kNames[test.param].plain); };
INSTANTIATE_TEST_SUITE_P(All, EdgesWithData, ::testing::Range(0, 5), kNameOf);
INSTANTIATE_TEST_SUITE_P(All, DataAskedFor, ::testing::Range(0, 3), kNameOf);
INSTANTIATE_TEST_SUITE_P(All, DataGiven, ::testing::Range(3, 5), kNameOf);

// The driver is there before the runtime has made its context.
TEST(EdgesOfTheDriver, RuntimeCreatesItsContextIfTheDriverNeedsOne) {
  reset();
  static int context;
  context = 0;
  fake(
      "cudaFree", +[](void*) -> unsigned { return context = 1, 0; });
  fake(
      "cuGraphGetEdges_v2",
      +[](Graph, Node*, Node*, Data*, std::size_t*) -> unsigned { return context != 0 ? 0 : 201; });
  std::size_t count = 0;
  EXPECT_EQ(adapt_graph_get_edges_with_data(nullptr, nullptr, nullptr, nullptr, &count), 0U);
  EXPECT_EQ(context, 1);
  EXPECT_EQ(remembered(), 0U);
}

}  // namespace
}  // namespace anycuda
