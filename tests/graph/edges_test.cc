// SPDX-License-Identifier: Apache-2.0

// Edges that are added and removed after the nodes.
#include <array>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EdgeChanges : public OnFakeDriver {
 protected:
  Graph graph_ = Graph::create();
  CUgraphNode first_ = graph_.join();
  CUgraphNode second_ = graph_.join();
  CUgraphNode third_ = graph_.join();

  void TearDown() override {
    graph_ = Graph();
    OnFakeDriver::TearDown();
  }
  static int version() {
    int version = 0;
    EXPECT_EQ(api::cuDriverGetVersion(&version), 0U);
    return version;
  }
};

TEST_F(EdgeChanges, AddedAndRemoved) {
  graph_.add_edges({{first_, second_}, {second_, third_}});
  EXPECT_THAT(graph_.predecessors(third_), ElementsAre(second_));
  EXPECT_EQ(graph_.edges().size(), 2U);
  graph_.remove_edges({{second_, third_}});
  EXPECT_THAT(graph_.predecessors(third_), IsEmpty());
  const GraphView& view = graph_;
  view.add_edges({{first_, third_}});
  EXPECT_THAT(graph_.predecessors(third_), ElementsAre(first_));
}

TEST_F(EdgeChanges, FromAnyContainer) {
  const Edge array[] = {{first_, second_}};
  const std::array<Edge, 1> standard{Edge{second_, third_}};
  EXPECT_EQ(add_dependencies(graph_, array), kOk) << last_error();
  EXPECT_EQ(add_dependencies(graph_, standard), kOk) << last_error();
  EXPECT_EQ(add_dependencies(graph_, {}), kOk);
  EXPECT_EQ(remove_dependencies(graph_, graph_.edges()), kOk) << last_error();
  EXPECT_THAT(graph_.edges(), IsEmpty());
  EXPECT_EQ(add_dependencies(graph_, Edges(nullptr, 1)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("their list is null"));
}

TEST_F(EdgeChanges, WrongNodesAreRefusedBeforeTheDriver) {
  const Graph other = Graph::create();
  const CUgraphNode foreign = other.join();
  for (const Edge& wrong : {Edge{first_, foreign}, Edge{foreign, first_}, Edge{first_, first_},
                            Edge{nullptr, first_}, Edge{first_, nullptr}}) {
    EXPECT_EQ(add_dependencies(graph_, {{first_, second_}, wrong}), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(remove_dependencies(graph_, {wrong}), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_THAT(graph_.edges(), IsEmpty());
  EXPECT_EQ(add_dependencies(GraphView(), {}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().calls("cuGraphAddDependencies"), 0U);
}

TEST_F(EdgeChanges, ErrorLeavesAllEdgesAsTheyWere) {
  graph_.add_edges({{second_, third_}});
  EXPECT_EQ(add_dependencies(graph_, {{first_, second_}, {first_, third_}, {second_, third_}}),
            CUDA_ERROR_INVALID_VALUE)
      << "the last edge exists";
  EXPECT_THAT(last_error(), HasSubstr("cuGraphAddDependencies: CUDA_ERROR_INVALID_VALUE"));
  EXPECT_EQ(graph_.edges().size(), 1U);
  EXPECT_EQ(remove_dependencies(graph_, {{second_, third_}, {first_, third_}}),
            CUDA_ERROR_INVALID_VALUE)
      << "the last edge does not exist";
  EXPECT_THAT(last_error(), HasSubstr("cuGraphRemoveDependencies"));
  EXPECT_THAT(graph_.predecessors(third_), ElementsAre(second_));
  try {
    graph_.add_edges({{second_, third_}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), CUDA_ERROR_INVALID_VALUE);
  }
}

// The sentence is that of the failure, not of the way back.
TEST_F(EdgeChanges, FailureOfTheWayBackDoesNotHideTheReason) {
  MemAllocNode memory;
  memory.bytes = 8;
  const CUgraphNode allocated = graph_.allocate({}, &memory);
  EXPECT_EQ(
      add_dependencies(graph_, {{first_, allocated}, {allocated, second_}, {first_, allocated}}),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("cuGraphAddDependencies: "));
  EXPECT_EQ(graph_.edges().size(), 2U) << "the driver removes no edge from such a graph";
}

TEST_F(EdgeChanges, ProgrammaticEdges) {
  const Kernel kernel = Kernel::load("image", "k");
  const CUgraphNode one = graph_.add(kernel, {1, 32});
  const CUgraphNode two = graph_.add(kernel, {1, 32});
  const CUgraphNode three = graph_.add(kernel, {1, 32});
  if (version() < 12030) {
    EXPECT_EQ(add_dependencies(graph_, {programmatic_edge(one, two)}), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_THAT(last_error(), HasSubstr("cuGraphAddDependencies_v2 needs a driver of CUDA 12.3"));
    EXPECT_EQ(remove_dependencies(graph_, {launch_order_edge(one, two)}), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(add_dependencies(graph_, {{one, two}}), kOk) << "an ordinary edge";
    return;
  }
  graph_.add_edges({programmatic_edge(one, two), launch_order_edge(two, three)});
  const std::vector<Edge> edges = graph_.edges();
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].type, 1);
  EXPECT_EQ(edges[0].from_port, 1);
  EXPECT_EQ(edges[1].from_port, 2);
  EXPECT_EQ(remove_dependencies(graph_, {{one, two}}), CUDA_ERROR_INVALID_VALUE)
      << "an ordinary edge does not exist there";
  graph_.remove_edges(edges);
  EXPECT_THAT(graph_.edges(), IsEmpty());
  EXPECT_EQ(add_dependencies(graph_, {programmatic_edge(first_, two)}), CUDA_ERROR_INVALID_VALUE)
      << "the driver has them only between kernels";
}

}  // namespace
}  // namespace anycuda::graph
