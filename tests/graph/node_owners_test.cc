// SPDX-License-Identifier: Apache-2.0

// Owners of nodes: one immutable attachment, replaced as a whole.
#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class NodeOwners : public OnFakeDriver {};

TEST_F(NodeOwners, AnOwnerLivesAsLongAsTheGraph) {
  Watched owner;
  Graph one = graph();
  node(one, owner.take());
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(NodeOwners, EachRoleHasItsOwner) {
  Watched owners[kOwnerRoles];
  Graph one = graph();
  CUgraphNode empty = nullptr;
  ASSERT_EQ(add_empty(one, {}, &empty), kOk);
  for (unsigned role = 0; role < kOwnerRoles; ++role) {
    const OpaqueHandle owner = owners[role].take();
    ASSERT_EQ(graph_set_owner(one, empty, static_cast<OwnerRole>(role), owner), kOk);
    EXPECT_EQ(graph_get_owner(one, empty, static_cast<OwnerRole>(role)), owner);
  }
  for (const Watched& owner : owners) EXPECT_TRUE(owner.alive());
  EXPECT_EQ(driver().live().user_objects, 1U) << "one attachment, whatever is in it";
  Watched other;
  ASSERT_EQ(graph_set_owner(one, empty, OwnerRole::source, other.take()), kOk);
  EXPECT_TRUE(owners[0].alive());
  EXPECT_FALSE(owners[1].alive());
  EXPECT_TRUE(owners[2].alive());
  EXPECT_TRUE(owners[3].alive());
  ASSERT_EQ(remove_node(one, empty), kOk);
  for (const Watched& owner : owners) EXPECT_FALSE(owner.alive());
  EXPECT_FALSE(other.alive());
}

TEST_F(NodeOwners, EmptyOwner_SucceedsWithoutAnObject) {
  Graph one = graph();
  CUgraphNode empty = nullptr;
  ASSERT_EQ(add_empty(one, {}, &empty), kOk);
  EXPECT_EQ(graph_set_owner(one, empty, OwnerRole::code, nullptr), kOk);
  EXPECT_EQ(driver().live().user_objects, 0U);
  Watched owner;
  ASSERT_EQ(graph_set_owner(one, empty, OwnerRole::code, owner.take()), kOk);
  EXPECT_EQ(graph_set_owner(one, empty, OwnerRole::code, nullptr), kOk);
  EXPECT_TRUE(owner.alive());
}

TEST_F(NodeOwners, BadGraphNodeOrRoleIsRefused) {
  Graph one = graph();
  CUgraphNode empty = nullptr;
  ASSERT_EQ(add_empty(one, {}, &empty), kOk);
  const OpaqueHandle owner = std::make_shared<int>(1);
  EXPECT_EQ(graph_set_owner(GraphView(), empty, OwnerRole::code, owner), CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(last_error(), "the graph is null");
  EXPECT_EQ(graph_set_owner(GraphView(), empty, OwnerRole::code, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(graph_set_owner(one, nullptr, OwnerRole::code, owner), CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(last_error(), "the node is null");
  EXPECT_EQ(graph_set_owner(one, empty, static_cast<OwnerRole>(4), owner),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(last_error(), "role 4 does not exist: a node has 4 roles");
  const GraphView view = one;
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_EQ(graph_set_owner(view, empty, OwnerRole::code, owner), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("the graph no longer exists"));
  EXPECT_EQ(graph_get_owner(view, empty, OwnerRole::code), nullptr);
  EXPECT_EQ(owner.use_count(), 1);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST_F(NodeOwners, FormerNamesStillWork) {
  Graph one = graph();
  const CUgraphNode made = node(one, nullptr);
  Watched owner;
  EXPECT_EQ(graph_set_slot(one, made, Slot::more, owner.take()), kOk) << last_error();
  EXPECT_NE(graph_get_slot(one, made, Slot::more), nullptr);
  EXPECT_EQ(kSlots, kOwnerRoles);
}
#pragma GCC diagnostic pop

TEST_F(NodeOwners, ReplacedOwner_StaysWithEarlierObjects) {
  Watched first;
  Watched second;
  Graph one = graph();
  const CUgraphNode changed = node(one, first.take());
  Graph clone;
  ASSERT_EQ(one.clone(&clone), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(graph_set_owner(one, changed, OwnerRole::extra, second.take()), kOk);
  EXPECT_TRUE(first.alive());
  EXPECT_EQ(clone.destroy(), kOk);
  EXPECT_TRUE(first.alive());
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(first.alive());
  EXPECT_TRUE(second.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(second.alive());
}

TEST_F(NodeOwners, TheLastOfSeveralExecutablesFrees) {
  Watched owner;
  Graph one = graph();
  const CUgraphNode removed = node(one, owner.take());
  Exec execs[3];
  for (Exec& exec : execs) ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(remove_node(one, removed), kOk);
  for (Exec& exec : execs) {
    EXPECT_TRUE(owner.alive());
    EXPECT_EQ(exec.destroy(), kOk);
  }
  EXPECT_FALSE(owner.alive());
}

TEST_F(NodeOwners, NodeAtADestroyedNodesAddressIsNew) {
  Watched stale;
  Watched fresh;
  Graph one = graph();
  const CUgraphNode gone = node(one, stale.take());
  CUgraph raw = one.get();
  // As a raw call does it, which this library does not see.
  Graph other = graph();
  {
    GraphView borrowed;
    ASSERT_EQ(GraphView::borrow(raw, &borrowed), kOk);
    ASSERT_EQ(remove_node(borrowed, gone), kOk);
  }
  EXPECT_TRUE(stale.alive()) << "nobody told the view";
  CUgraphNode again = nullptr;
  ASSERT_EQ(add_empty(one, {}, &again), kOk);
  ASSERT_EQ(again, gone) << "the fake driver gives addresses out again";
  EXPECT_EQ(graph_get_owner(one, again, OwnerRole::extra), nullptr);
  EXPECT_FALSE(stale.alive());
  ASSERT_EQ(graph_set_owner(one, again, OwnerRole::extra, fresh.take()), kOk);
  EXPECT_TRUE(fresh.alive());
}

TEST_F(NodeOwners, SetWithOwnersReplacesAll) {
  Watched first;
  Watched second;
  Graph one = graph();
  const CUgraphNode changed = node(one, first.take());
  ASSERT_EQ(set_with_owners(one, changed, {second.take()}, [](CUgraphNode) { return kOk; }), kOk);
  EXPECT_FALSE(first.alive());
  EXPECT_TRUE(second.alive());
  EXPECT_EQ(set_with_owners(one, changed, {}, [](CUgraphNode) { return status(1); }), status(1));
  EXPECT_TRUE(second.alive());
  EXPECT_EQ(set_with_owners(one, changed, {}, [](CUgraphNode) { return kOk; }), kOk);
  EXPECT_FALSE(second.alive());
}

TEST_F(NodeOwners, FunctionsOfTheCallerMayFailAndThrow) {
  Watched owner;
  const OpaqueHandle held = owner.take();
  Graph one = graph();
  CUgraphNode made = nullptr;
  const auto failing = [](CUgraph, CUgraphNode*) { return status(719); };
  EXPECT_EQ(add_with_owners(one, {held}, failing, &made), status(719));
  const auto throwing = [](CUgraph, CUgraphNode*) -> CUresult { throw 1; };
  EXPECT_EQ(add_with_owners(one, {held}, throwing, &made), CUDA_ERROR_UNKNOWN);
  EXPECT_THAT(last_error(), HasSubstr("threw"));
  const auto out_of_memory = [](CUgraph, CUgraphNode*) -> CUresult { throw std::bad_alloc(); };
  EXPECT_EQ(add_with_owners(one, {held}, out_of_memory, &made), CUDA_ERROR_OUT_OF_MEMORY);
  // A node that it made before it threw goes again.
  const auto late = [&one](CUgraph, CUgraphNode* out) -> CUresult {
    EXPECT_EQ(add_empty(one, {}, out), kOk);
    throw 1;
  };
  EXPECT_EQ(add_with_owners(one, {held}, late, &made), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(driver().live().nodes, 0U);
  EXPECT_EQ(add_with_owners(one, {held}, nullptr, &made), CUDA_ERROR_INVALID_VALUE);
  settle();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(NodeOwners, OwnersInOne) {
  Watched first;
  Watched second;
  OpaqueHandle both = all_of({first.take(), nullptr, second.take()});
  EXPECT_TRUE(first.alive());
  both = nullptr;
  EXPECT_FALSE(first.alive());
  EXPECT_FALSE(second.alive());
  EXPECT_EQ(all_of({}), nullptr);
  EXPECT_EQ(all_of({nullptr}), nullptr);
}

}  // namespace
}  // namespace anycuda::graph
