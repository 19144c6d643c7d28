// SPDX-License-Identifier: Apache-2.0

// Clones, child graphs and the bodies of conditional nodes, and their views.
#include <thread>
#include <vector>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class Embedded : public OnFakeDriver {
 protected:
  // A conditional node with `bodies` bodies, each with a node that keeps an owner.
  static CUgraphNode conditional(const GraphView& graph, ConditionalKind kind,
                                 std::vector<Watched>* owners, std::vector<GraphView>* bodies) {
    ConditionalNode node;
    EXPECT_EQ(create_conditional(graph, 1, true, &node.handle), kOk) << last_error();
    node.kind = kind;
    node.bodies = static_cast<unsigned>(owners->size());
    CUgraphNode made = nullptr;
    EXPECT_EQ(add_conditional(graph, {}, node, &made, bodies), kOk) << last_error();
    EXPECT_EQ(bodies->size(), owners->size());
    for (std::size_t body = 0; body < bodies->size(); ++body) {
      Embedded::node((*bodies)[body], (*owners)[body].take());
    }
    return made;
  }
};

TEST_F(Embedded, ACloneKnowsItsNodesOwners) {
  Watched owner;
  Watched second;
  Graph one = graph();
  const CUgraphNode original = node(one, owner.take());
  Graph clone;
  ASSERT_EQ(one.clone(&clone), kOk);
  EXPECT_NE(clone.view(), one.view());
  const CUgraphNode copy = twin(original, clone);
  EXPECT_EQ(graph_get_owner(clone, original, OwnerRole::extra), nullptr) << "the source's node";
  EXPECT_NE(graph_get_owner(clone, copy, OwnerRole::extra), nullptr);
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_TRUE(owner.alive());
  ASSERT_EQ(graph_set_owner(clone, copy, OwnerRole::extra, second.take()), kOk);
  EXPECT_FALSE(owner.alive());
  ASSERT_EQ(remove_node(clone, copy), kOk);
  EXPECT_FALSE(second.alive());
}

TEST_F(Embedded, RawDestroyedNodesAreForgottenBeforeACopy) {
  Watched gone;
  Watched inner_gone;
  Watched kept;
  Graph one = graph();
  const CUgraphNode raw = node(one, gone.take());
  const CUgraphNode stays = node(one, kept.take());
  CUgraphNode child = nullptr;
  GraphView embedded;
  {
    Graph inner = graph();
    node(inner, inner_gone.take());
    ASSERT_EQ(add_child(one, {}, inner, &child, &embedded), kOk);
  }
  ASSERT_EQ(api::cuGraphDestroyNode(raw), 0U);
  ASSERT_EQ(api::cuGraphDestroyNode(child), 0U);
  EXPECT_TRUE(gone.alive());
  Graph clone;
  ASSERT_EQ(one.clone(&clone), kOk) << last_error();
  EXPECT_FALSE(embedded.valid());
  EXPECT_FALSE(gone.alive());
  EXPECT_FALSE(inner_gone.alive());
  EXPECT_NE(graph_get_owner(clone, twin(stays, clone), OwnerRole::extra), nullptr);
}

TEST_F(Embedded, ChildAtADestroyedChildsAddressIsNew) {
  Watched gone;
  Graph one = graph();
  Graph inner = graph();
  node(inner, gone.take());
  CUgraphNode child = nullptr;
  GraphView embedded;
  ASSERT_EQ(add_child(one, {}, inner, &child, &embedded), kOk);
  EXPECT_EQ(inner.destroy(), kOk);
  ASSERT_EQ(api::cuGraphDestroyNode(child), 0U);
  EXPECT_FALSE(gone.alive());
  CUgraph another = nullptr;
  CUgraph spare = nullptr;
  ASSERT_EQ(api::cuGraphCreate(&another, 0), 0U);
  ASSERT_EQ(api::cuGraphCreate(&spare, 0), 0U);
  CUgraphNode again = nullptr;
  ASSERT_EQ(api::cuGraphAddChildGraphNode(&again, one.get(), nullptr, 0, another), 0U);
  ASSERT_EQ(again, child) << "the fake driver gives addresses out again";
  Graph clone;
  ASSERT_EQ(one.clone(&clone), kOk) << last_error();
  EXPECT_FALSE(embedded.valid());
  // The same with a node of another kind.
  GraphView known;
  ASSERT_EQ(child_graph(one, again, &known), kOk);
  ASSERT_EQ(api::cuGraphDestroyNode(again), 0U);
  ASSERT_EQ(api::cuGraphAddEmptyNode(&again, one.get(), nullptr, 0), 0U);
  ASSERT_EQ(again, child);
  ASSERT_EQ(one.clone(&clone), kOk) << last_error();
  EXPECT_EQ(api::cuGraphDestroy(another), 0U);
  EXPECT_EQ(api::cuGraphDestroy(spare), 0U);
}

// A child whose node raw calls have destroyed, and another at all of its addresses.
class ReusedAddress : public Embedded {
 protected:
  void SetUp() override {
    Embedded::SetUp();
    one_ = graph();
    Graph inner = graph();
    node(inner, owner_.take());
    ASSERT_EQ(add_child(one_, {}, inner, &child_, &embedded_), kOk);
    leaf_ = only_node(embedded_.get());
  }
  void TearDown() override {
    EXPECT_EQ(one_.destroy(), kOk);
    EXPECT_FALSE(owner_.alive());
    Embedded::TearDown();
  }
  static CUgraphNode only_node(CUgraph graph) {
    CUgraphNode found = nullptr;
    std::size_t count = 1;
    EXPECT_EQ(api::cuGraphGetNodes(graph, &found, &count), 0U);
    return found;
  }
  void replace_by_raw_calls() {
    const CUgraph address = embedded_.get();
    CUgraph other = nullptr;
    CUgraphNode made = nullptr;
    ASSERT_EQ(api::cuGraphCreate(&other, 0), 0U);
    ASSERT_EQ(api::cuGraphAddEmptyNode(&made, other, nullptr, 0), 0U);
    ASSERT_EQ(api::cuGraphDestroyNode(child_), 0U);
    ASSERT_EQ(api::cuGraphAddChildGraphNode(&made, one_.get(), nullptr, 0, other), 0U);
    CUgraph inner = nullptr;
    ASSERT_EQ(api::cuGraphChildGraphNodeGetGraph(made, &inner), 0U);
    ASSERT_TRUE(made == child_ && inner == address && only_node(inner) == leaf_)
        << "the fake driver gives addresses out again";
    ASSERT_EQ(api::cuGraphDestroy(other), 0U);
  }
  // Uses the child graph, which may be the first one or the one that replaced it.
  static void use(const GraphView& child, CUgraphNode leaf) {
    Watched fresh;
    graph_get_owner(child, leaf, OwnerRole::extra);
    EXPECT_EQ(graph_set_owner(child, leaf, OwnerRole::extra, fresh.take()), kOk) << last_error();
    EXPECT_TRUE(fresh.alive());
    EXPECT_EQ(remove_node(child, leaf), kOk) << last_error();
  }
  void find_and_use() {
    GraphView found;
    ASSERT_EQ(child_graph(one_, child_, &found), kOk) << last_error();
    EXPECT_EQ(embedded_.valid(), !driver_has_ids());
    EXPECT_EQ(found == embedded_, !driver_has_ids());
    Graph parent = graph();
    GraphView copy;
    ASSERT_EQ(add_child(parent, {}, found, nullptr, &copy), kOk) << last_error();
    use(copy, only_node(copy.get()));
    use(found, leaf_);
  }

  Watched owner_;
  Graph one_;
  CUgraphNode child_ = nullptr;
  CUgraphNode leaf_ = nullptr;
  GraphView embedded_;
};

TEST_F(ReusedAddress, AfterTheOwnersRelease) {
  replace_by_raw_calls();
  EXPECT_FALSE(owner_.alive());
  find_and_use();
}

TEST_F(ReusedAddress, BeforeTheDriversReport) {
  driver().hold_destructors(true);
  replace_by_raw_calls();
  find_and_use();
  driver().hold_destructors(false);
  EXPECT_FALSE(owner_.alive());
}

TEST_F(ReusedAddress, WhileAnExecutableHasTheOwners) {
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one_, &exec), kOk);
  replace_by_raw_calls();
  find_and_use();
  EXPECT_TRUE(owner_.alive()) << "the executable runs with it";
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(owner_.alive());
}

TEST_F(ReusedAddress, InAClone) {
  for (const bool with_exec : {true, false}) {
    Exec exec;
    if (with_exec) {
      ASSERT_EQ(Exec::instantiate(one_, &exec), kOk);
      replace_by_raw_calls();
    }
    Graph clone;
    ASSERT_EQ(one_.clone(&clone), kOk) << last_error();
    GraphView child;
    ASSERT_EQ(child_graph(clone, twin(child_, clone), &child), kOk) << last_error();
    use(child, only_node(child.get()));
    Graph parent = graph();
    GraphView deep;
    ASSERT_EQ(add_child(parent, {}, one_, nullptr, &deep), kOk) << last_error();
    ASSERT_EQ(child_graph(deep, twin(child_, deep), &child), kOk) << last_error();
    use(child, only_node(child.get()));
    EXPECT_EQ(owner_.alive(), with_exec);
  }
}

TEST_F(ReusedAddress, InAnExecutablesNewChild) {
  // An executable graph takes a new child only in the shape of the former one.
  Graph leaf = graph();
  Graph shape = graph();
  Graph same = graph();
  CUgraphNode child = nullptr;
  ASSERT_EQ(add_empty(leaf, {}, nullptr), kOk);
  ASSERT_EQ(add_child(shape, {}, leaf, nullptr), kOk);
  ASSERT_EQ(add_child(same, {}, shape, &child), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(same, &exec), kOk);
  replace_by_raw_calls();
  EXPECT_FALSE(owner_.alive());
  EXPECT_EQ(exec.set_child(child, one_), kOk) << last_error();
}

// The library's own calls cannot destroy the one and keep the view of it.
TEST_F(ReusedAddress, GraphWithoutAHolder) {
  Watched owner;
  Graph parent = graph();
  CUgraphNode child = nullptr;
  GraphView embedded;
  ASSERT_EQ(add_child(parent, {}, one_, &child, &embedded), kOk);
  const CUgraphNode leaf = node(embedded, owner.take());
  GraphView again;
  ASSERT_EQ(child_graph(parent, child, &again), kOk);
  EXPECT_EQ(again, embedded);
  ASSERT_EQ(remove_node(again, leaf), kOk) << last_error();
  EXPECT_FALSE(owner.alive()) << "no raw call can have changed the parent";
}

TEST_F(Embedded, RawReplacementsBodiesAreNotTheOldNodes) {
  Graph one = graph();
  std::vector<Watched> owners(1);
  std::vector<GraphView> bodies;
  const CUgraphNode made = conditional(one, ConditionalKind::if_else, &owners, &bodies);
  const auto add_raw = [&](bool empty) {
    CUgraphNode again = nullptr;
    api::CUgraphNodeParams_st parameters{};
    parameters.type = api::CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional.handle = 77;
    parameters.conditional.size = 1;
    EXPECT_EQ(empty ? api::cuGraphAddEmptyNode(&again, one.get(), nullptr, 0)
                    : api::cuGraphAddNode(&again, one.get(), nullptr, 0, &parameters),
              0U);
    ASSERT_EQ(again, made) << "the fake driver gives addresses out again";
  };
  std::vector<GraphView> again;
  if (driver_has_ids()) {
    ASSERT_EQ(api::cuGraphDestroyNode(made), 0U);
    add_raw(false);
    EXPECT_EQ(conditional_bodies(one, made, &again), CUDA_ERROR_INVALID_VALUE);
    EXPECT_FALSE(bodies[0].valid());
  }
  ASSERT_EQ(api::cuGraphDestroyNode(made), 0U);
  add_raw(true);
  EXPECT_EQ(conditional_bodies(one, made, &again), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("not a conditional node that was added through"));
  EXPECT_FALSE(bodies[0].valid());
  EXPECT_TRUE(again.empty());
}

TEST_F(Embedded, NodesOfACloneAreChangedIndependently) {
  Watched owner;
  Graph one = graph();
  Graph inner = graph();
  node(inner, owner.take());
  CUgraphNode child = nullptr;
  GraphView embedded;
  ASSERT_EQ(add_child(one, {}, inner, &child, &embedded), kOk) << last_error();
  EXPECT_EQ(inner.destroy(), kOk);
  Graph clone;
  ASSERT_EQ(one.clone(&clone), kOk);
  ASSERT_EQ(remove_node(one, child), kOk);
  EXPECT_FALSE(embedded.valid());
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(clone.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Embedded, AChildGraphIsACopyWithItsOwners) {
  Watched before;
  Watched after;
  Graph parent = graph();
  Graph child = graph();
  const CUgraphNode source = node(child, before.take());
  CUgraphNode made = nullptr;
  GraphView embedded;
  ASSERT_EQ(add_child(parent, {}, child, &made, &embedded), kOk) << last_error();
  EXPECT_NE(embedded, child.view());
  EXPECT_EQ(graph_get_owner(embedded, source, OwnerRole::extra), nullptr);
  node(embedded, after.take());
  EXPECT_EQ(child.destroy(), kOk);
  EXPECT_TRUE(before.alive());
  GraphView again;
  ASSERT_EQ(child_graph(parent, made, &again), kOk);
  EXPECT_EQ(again, embedded);
  std::vector<GraphView> bodies;
  EXPECT_EQ(conditional_bodies(parent, made, &bodies), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(remove_node(parent, made), kOk);
  EXPECT_FALSE(before.alive());
  EXPECT_FALSE(after.alive());
  EXPECT_FALSE(embedded.valid());
  EXPECT_EQ(embedded.get(), nullptr);
  EXPECT_EQ(again, embedded) << "comparable, though gone";
}

TEST_F(Embedded, ExecutableHoldsTheChildsOwners) {
  Watched owner;
  Watched late;
  Graph parent = graph();
  {
    Graph child = graph();
    node(child, owner.take());
    GraphView embedded;
    ASSERT_EQ(add_child(parent, {}, child, nullptr, &embedded), kOk);
    node(embedded, late.take());
  }
  Exec exec;
  ASSERT_EQ(Exec::instantiate(parent, &exec), kOk);
  EXPECT_EQ(parent.destroy(), kOk);
  EXPECT_TRUE(owner.alive());
  EXPECT_TRUE(late.alive());
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
  EXPECT_FALSE(late.alive());
}

TEST_F(Embedded, ACloneKnowsTheGraphsInItsNodes) {
  Watched owner;
  Graph parent = graph();
  Graph middle = graph();
  Graph inner = graph();
  const CUgraphNode leaf = node(inner, owner.take());
  CUgraphNode in_middle = nullptr;
  GraphView deep;
  ASSERT_EQ(add_child(middle, {}, inner, &in_middle, &deep), kOk);
  const CUgraphNode leaf_in_middle = twin(leaf, deep);
  CUgraphNode in_parent = nullptr;
  ASSERT_EQ(add_child(parent, {}, middle, &in_parent), kOk);
  Graph clone;
  ASSERT_EQ(parent.clone(&clone), kOk);
  // Down to the leaf: in the parent, then in its clone.
  GraphView first;
  ASSERT_EQ(child_graph(parent, in_parent, &first), kOk);
  const CUgraphNode in_first = twin(in_middle, first);
  GraphView second;
  ASSERT_EQ(child_graph(first, in_first, &second), kOk);
  const CUgraphNode leaf_in_parent = twin(leaf_in_middle, second);
  EXPECT_NE(graph_get_owner(second, leaf_in_parent, OwnerRole::extra), nullptr);
  GraphView third;
  ASSERT_EQ(child_graph(clone, twin(in_parent, clone), &third), kOk);
  GraphView fourth;
  ASSERT_EQ(child_graph(third, twin(in_first, third), &fourth), kOk);
  const CUgraphNode leaf_in_clone = twin(leaf_in_parent, fourth);
  EXPECT_NE(graph_get_owner(fourth, leaf_in_clone, OwnerRole::extra), nullptr);
  EXPECT_EQ(inner.destroy(), kOk);
  EXPECT_EQ(middle.destroy(), kOk);
  EXPECT_EQ(parent.destroy(), kOk);
  EXPECT_FALSE(second.valid());
  EXPECT_TRUE(owner.alive());
  ASSERT_EQ(remove_node(fourth, leaf_in_clone), kOk);
  EXPECT_EQ(owner.alive(), !driver_has_ids()) << "else the graph of this address may be another";
  EXPECT_EQ(clone.destroy(), kOk);
  EXPECT_FALSE(fourth.valid());
  EXPECT_FALSE(owner.alive());
}

TEST_F(Embedded, DriverFindsNothing_OwnersStayUntilTheCopyIsDestroyed) {
  driver().find_in_embedded(false);
  Watched owner;
  Graph parent = graph();
  GraphView embedded;
  {
    Graph child = graph();
    node(child, owner.take());
    ASSERT_EQ(add_child(parent, {}, child, nullptr, &embedded), kOk);
  }
  EXPECT_TRUE(embedded.valid());
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(parent.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Embedded, BodiesOwnTheirs) {
  const std::pair<ConditionalKind, std::size_t> kinds[] = {{ConditionalKind::if_else, 1},
                                                           {ConditionalKind::if_else, 2},
                                                           {ConditionalKind::while_loop, 1},
                                                           {ConditionalKind::switch_case, 5}};
  for (const auto& [kind, count] : kinds) {
    for (const bool by_node : {true, false}) {
      Graph one = graph();
      std::vector<Watched> owners(count);
      std::vector<GraphView> bodies;
      const CUgraphNode made = conditional(one, kind, &owners, &bodies);
      std::vector<GraphView> again;
      EXPECT_EQ(conditional_bodies(one, made, &again), kOk);
      EXPECT_EQ(again, bodies);
      for (const Watched& owner : owners) EXPECT_TRUE(owner.alive());
      Exec exec;
      ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
      ASSERT_EQ(by_node ? remove_node(one, made) : one.destroy(), kOk);
      for (const GraphView& body : bodies) EXPECT_FALSE(body.valid());
      for (const Watched& owner : owners) EXPECT_TRUE(owner.alive()) << "the executable has it";
      EXPECT_EQ(exec.destroy(), kOk);
      for (const Watched& owner : owners) EXPECT_FALSE(owner.alive());
    }
  }
}

TEST_F(Embedded, GraphsInGraphsGoTogether) {
  Watched owner;
  Graph one = graph();
  std::vector<Watched> owners(1);
  std::vector<GraphView> bodies;
  const CUgraphNode outer = conditional(one, ConditionalKind::if_else, &owners, &bodies);
  GraphView deep;
  {
    Graph child = graph();
    node(child, owner.take());
    ASSERT_EQ(add_child(bodies[0], {}, child, nullptr, &deep), kOk);
  }
  EXPECT_TRUE(deep.valid());
  ASSERT_EQ(remove_node(one, outer), kOk);
  EXPECT_FALSE(deep.valid());
  EXPECT_FALSE(owner.alive());
  EXPECT_FALSE(owners[0].alive());
}

TEST_F(Embedded, CloningAndEmbeddingBodies_ReturnsTheDriversStatus) {
  Graph one = graph();
  std::vector<Watched> owners(1);
  std::vector<GraphView> bodies;
  conditional(one, ConditionalKind::while_loop, &owners, &bodies);
  Graph other;
  EXPECT_EQ(one.clone(&other), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(other.get(), nullptr);
  other = graph();
  EXPECT_EQ(add_child(other, {}, one, nullptr), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Embedded, ConditionalsThatCannotBe) {
  Graph one = graph();
  ConditionalNode node;
  ASSERT_EQ(create_conditional(one, 0, false, &node.handle), kOk);
  const auto refused = [&](ConditionalKind kind, unsigned bodies, const char* words) {
    node.kind = kind;
    node.bodies = bodies;
    EXPECT_EQ(add_conditional(one, {}, node, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(last_error(), HasSubstr(words));
  };
  refused(ConditionalKind::if_else, 0, "an if has one body");
  refused(ConditionalKind::if_else, 3, "an if has one body, or two with an else, not 3");
  refused(ConditionalKind::while_loop, 2, "a while has one body");
  refused(ConditionalKind::switch_case, 0, "a switch");
  refused(ConditionalKind::switch_case, 4000000000U, "a switch");
  refused(static_cast<ConditionalKind>(9), 1, "9 is not a ConditionalKind");
  node.handle = 5;
  refused(ConditionalKind::while_loop, 1, "cuGraphAddNode");
  EXPECT_EQ(create_conditional(one, 0, false, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(conditional_bodies(one, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  std::vector<GraphView> bodies;
  EXPECT_EQ(conditional_bodies(one, nullptr, &bodies), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Embedded, AViewNeverNamesAnotherGraphOfTheSameAddress) {
  const OpaqueHandle owner = std::make_shared<int>(1);
  Graph first = graph();
  const CUgraph address = first.get();
  const GraphView view = first;
  EXPECT_EQ(first.destroy(), kOk);
  Graph second = graph();
  ASSERT_EQ(second.get(), address) << "the fake driver gives addresses out again";
  EXPECT_FALSE(view.valid());
  EXPECT_NE(view, second.view());
  EXPECT_TRUE(view < second.view() || second.view() < view);
  EXPECT_NE(view.hash(), second.view().hash());
  CUgraphNode made = nullptr;
  EXPECT_EQ(add_empty(view, {}, &made), CUDA_ERROR_INVALID_VALUE);
  Exec exec;
  EXPECT_EQ(Exec::instantiate(view, &exec), CUDA_ERROR_INVALID_VALUE);
  Graph other;
  EXPECT_EQ(add_child(second, {}, view, &made), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("the child graph no longer exists"));
  EXPECT_EQ(driver().live().nodes, 0U);
}

TEST_F(Embedded, GraphsAreGivenAndTaken) {
  Watched owner;
  Graph one = graph();
  node(one, owner.take());
  const GraphView view = one;
  const CUgraph raw = one.release();
  EXPECT_FALSE(view.valid());
  EXPECT_TRUE(owner.alive());
  Graph again;
  EXPECT_EQ(Graph::adopt(nullptr, &again), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(Graph::adopt(raw, &again), kOk);
  EXPECT_EQ(Graph::adopt(raw, &again), CUDA_ERROR_INVALID_VALUE) << "it would be destroyed";
  Graph moved = std::move(again);
  EXPECT_EQ(moved.get(), raw);
  moved = graph();
  EXPECT_FALSE(owner.alive());
  EXPECT_EQ(Graph::create(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Graph().destroy(), kOk);
  EXPECT_EQ(Graph().release(), nullptr);
  GraphView none;
  EXPECT_EQ(GraphView::borrow(nullptr, &none), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Embedded, AGraphThatAGraphOwnsCannotBeAdopted) {
  Graph other;
  const auto refused = [&](CUgraph graph) {
    EXPECT_EQ(Graph::adopt(graph, &other), CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(last_error(), HasSubstr("a Graph owns this graph already"));
    EXPECT_EQ(other.get(), nullptr);
  };
  Graph first = graph();
  Graph middle = graph();
  Graph last = graph();
  for (const Graph* one : {&first, &middle, &last}) refused(one->get());
  Graph clone;
  ASSERT_EQ(middle.clone(&clone), kOk);
  refused(clone.get());
  Graph moved = std::move(clone);
  refused(moved.get());
  Graph adopted;
  const CUgraph raw = middle.release();
  ASSERT_EQ(Graph::adopt(raw, &adopted), kOk) << last_error();
  refused(raw);
  refused(first.get());
  EXPECT_EQ(adopted.destroy(), kOk);
  // Another graph of that address is another graph.
  CUgraph again = nullptr;
  ASSERT_EQ(api::cuGraphCreate(&again, 0), 0U);
  ASSERT_EQ(again, raw) << "the fake driver gives addresses out again";
  EXPECT_EQ(Graph::adopt(again, &other), kOk) << last_error();
}

// One thread's graph gets the address of another's as soon as that is destroyed.
TEST_F(Embedded, FreeAddressIsNotOwnedByOtherThreadsGraphs) {
  constexpr int kThreads = 4;
  constexpr int kGraphs = 5000;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([] {
      for (int at = 0; at < kGraphs && !HasFailure(); ++at) {
        Graph one;
        ASSERT_EQ(Graph::create(&one), kOk);
        const CUgraph raw = one.release();
        ASSERT_EQ(Graph::adopt(raw, &one), kOk) << last_error();
        ASSERT_EQ(one.destroy(), kOk);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Embedded, GraphThatTheDriverKeptCanBeAdopted) {
  Graph one = graph();
  const CUgraph raw = one.get();
  driver().fail_function("cuGraphDestroy", 1, 999);
  one = Graph();
  Graph again;
  EXPECT_EQ(Graph::adopt(raw, &again), kOk) << last_error();
}

}  // namespace
}  // namespace anycuda::graph
