// SPDX-License-Identifier: Apache-2.0

// A child node gets another graph.
#include "tests/graph/fixture.h"
#include "tests/graph/memory_faults.h"

namespace anycuda::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ChildUpdate : public OnFakeDriver {
 protected:
  Graph graph_ = Graph::create();
  CUgraphNode before_ = graph_.join();
  Watched former_;
  CUgraphNode child_ = graph_.embed({before_}, with(former_.take()));
  CUgraphNode after_ = graph_.join({child_});

  void TearDown() override {
    graph_ = Graph();
    OnFakeDriver::TearDown();
  }
  static Graph with(OpaqueHandle owner) {
    Graph made = Graph::create();
    node(made, std::move(owner));
    return made;
  }
  GraphView view() {
    GraphView made;
    EXPECT_EQ(child_graph(graph_, child_, &made), kOk) << last_error();
    return made;
  }
};

TEST_F(ChildUpdate, ReplacesTheGraphAndItsOwners) {
  Watched owner;
  Watched of_node;
  const GraphView former = view();
  ASSERT_EQ(graph_set_owner(graph_, child_, OwnerRole::extra, of_node.take()), kOk);
  GraphView embedded;
  {
    Graph other = with(owner.take());
    other.join();
    ASSERT_EQ(set_child(graph_, child_, other, &embedded), kOk) << last_error();
  }
  EXPECT_FALSE(former.valid());
  EXPECT_FALSE(former_.alive());
  EXPECT_TRUE(owner.alive());
  EXPECT_TRUE(of_node.alive());
  EXPECT_EQ(embedded, view());
  EXPECT_EQ(embedded.nodes().size(), 2U);
  EXPECT_THAT(graph_.predecessors(after_), ElementsAre(child_));
  EXPECT_THAT(graph_.predecessors(child_), ElementsAre(before_));
  ASSERT_EQ(remove_node(embedded, embedded.nodes().front()), kOk) << last_error();
  EXPECT_FALSE(owner.alive());
}

TEST_F(ChildUpdate, ClonesAndExecutableGraphsKeepTheFormerChild) {
  Graph copy = graph_.clone();
  Exec exec = Exec::instantiate(graph_);
  ASSERT_EQ(set_child(graph_, child_, with(nullptr)), kOk) << last_error();
  ASSERT_EQ(copy.destroy(), kOk);
  EXPECT_TRUE(former_.alive());
  ASSERT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(former_.alive());
}

TEST_F(ChildUpdate, GraphInTheNodeIsRefused) {
  EXPECT_EQ(set_child(graph_, child_, view()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("the child graph is in this node"));
  const GraphView inner = view();
  const CUgraphNode deep = inner.embed({}, with(nullptr));
  GraphView deeper;
  ASSERT_EQ(child_graph(inner, deep, &deeper), kOk);
  EXPECT_EQ(set_child(graph_, child_, deeper), CUDA_ERROR_INVALID_VALUE);
  const Graph clone;
  EXPECT_EQ(set_child(graph_, child_, clone), CUDA_ERROR_INVALID_VALUE) << "null";
  EXPECT_TRUE(former_.alive());
  EXPECT_TRUE(inner.valid());
}

TEST_F(ChildUpdate, FailureLeavesTheFormerChild) {
  const GraphView former = view();
  const Graph other = with(nullptr);
  EXPECT_EQ(set_child(graph_, before_, other), CUDA_ERROR_INVALID_VALUE) << "not a child node";
  EXPECT_EQ(set_child(other, child_, other), CUDA_ERROR_INVALID_VALUE) << "another graph's node";
  driver().fail_function("cuGraphNodeSetParams", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(set_child(graph_, child_, other), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(former.valid());
  EXPECT_EQ(former, view());
  EXPECT_TRUE(former_.alive());
}

// As driver 580 does.
TEST_F(ChildUpdate, BesideMemoryNodesIsNotSupported) {
  MemAllocNode memory{64};
  graph_.allocate({}, &memory);
  EXPECT_EQ(set_child(graph_, child_, with(nullptr)), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(last_error(), HasSubstr("no child of a graph with memory nodes"));
  EXPECT_TRUE(former_.alive());
}

// The driver has replaced the child: the library then knows as little of it as of one that a raw
// call has added.
TEST_F(ChildUpdate, DriverThatDoesNotNameTheNewChild) {
  Watched owner;
  GraphView embedded = view();
  driver().fail_function("cuGraphChildGraphNodeGetGraph", 1, CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_EQ(set_child(graph_, child_, with(owner.take()), &embedded), kOk) << last_error();
  EXPECT_TRUE(driver().failed());
  EXPECT_FALSE(embedded.valid());
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(view().nodes().size(), 1U);
  ASSERT_EQ(graph_.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

}  // namespace
}  // namespace anycuda::graph
