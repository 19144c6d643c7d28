// SPDX-License-Identifier: Apache-2.0

// Owners of nodes: set, replaced, read, and removed with their node.
#include <atomic>

#include "anycuda/graph/drain.h"
#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

// A graph with an empty node.
struct OneNode {
  explicit OneNode(Check& check) {
    CALL(check, Graph::create(&graph));
    CALL(check, add_empty(graph, {}, &node));
  }
  Graph graph;
  CUgraphNode node = nullptr;
};

void wrong_arguments() {
  Check check("graph_set_owner refuses what names nothing");
  OneNode one(check);
  Life life;
  const OpaqueHandle owner = life.owner();
  EQUAL(check, graph_set_owner(GraphView(), one.node, OwnerRole::extra, owner),
        CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, graph_set_owner(one.graph, nullptr, OwnerRole::extra, owner),
        CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, graph_set_owner(one.graph, one.node, static_cast<OwnerRole>(kOwnerRoles), owner),
        CUDA_ERROR_INVALID_VALUE);
  EXPECT(check, last_error()[0] != '\0');
  EQUAL(check, life.holders(), 1);
  EXPECT(check, graph_get_owner(one.graph, one.node, OwnerRole::extra) == nullptr);
}

void empty_owner() {
  Check check("an empty owner is success and changes nothing");
  OneNode one(check);
  Life life;
  CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::extra, nullptr));
  CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::extra, life.owner()));
  CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::extra, nullptr));
  settle();
  EXPECT(check, life.alive());
}

void all_roles() {
  Check check("the four roles of a node are independent");
  OneNode one(check);
  Life lives[kOwnerRoles];
  for (unsigned i = 0; i < kOwnerRoles; ++i) {
    CALL(check, graph_set_owner(one.graph, one.node, static_cast<OwnerRole>(i), lives[i].owner()));
  }
  for (unsigned i = 0; i < kOwnerRoles; ++i) {
    EXPECT(check, graph_get_owner(one.graph, one.node, static_cast<OwnerRole>(i)) != nullptr);
  }
  settle();
  for (const Life& life : lives) EXPECT(check, life.alive());
  // One is replaced: the others stay.
  Life newer;
  CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::extra, newer.owner()));
  EXPECT(check, eventually([&] { return lives[2].freed() == 1; }));
  EXPECT(check, lives[0].alive() && lives[1].alive() && lives[3].alive() && newer.alive());
  CALL(check, one.graph.destroy());
  EXPECT(check, eventually([&] {
           return lives[0].freed() + lives[1].freed() + lives[3].freed() + newer.freed() == 4;
         }));
}

void replaced() {
  Check check("a replaced owner stays with the clones and executables made before");
  for (int last = 0; last < 2; ++last) {
    OneNode one(check);
    Life old;
    Life newer;
    CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::extra, old.owner()));
    Graph clone;
    Exec exec;
    CALL(check, one.graph.clone(&clone));
    CALL(check, Exec::instantiate(one.graph, &exec));
    CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::extra, newer.owner()));
    CALL(check, one.graph.destroy());
    EXPECT(check, eventually([&] { return newer.freed() == 1; }));
    EXPECT(check, old.alive());
    CALL(check, last == 0 ? clone.destroy() : exec.destroy());
    settle();
    EXPECT(check, old.alive());
    CALL(check, last == 0 ? exec.destroy() : clone.destroy());
    EXPECT(check, eventually([&] { return old.freed() == 1; }));
  }
}

void changed_clone() {
  Check check("a clone's nodes are changed without the source's");
  OneNode one(check);
  Life first;
  Life second;
  CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::extra, first.owner()));
  Graph clone;
  CALL(check, one.graph.clone(&clone));
  CUgraphNode twin = nullptr;
  DRIVER(check, cuGraphNodeFindInClone(&twin, one.node, clone.get()));
  CALL(check, graph_set_owner(clone, twin, OwnerRole::extra, second.owner()));
  settle();
  EXPECT(check, first.alive() && second.alive());
  CALL(check, clone.destroy());
  EXPECT(check, eventually([&] { return second.freed() == 1; }));
  EXPECT(check, first.alive());
  CALL(check, one.graph.destroy());
  EXPECT(check, eventually([&] { return first.freed() == 1; }));
}

void removed() {
  Check check("a removed node's owner stays only with clones and executables");
  for (const Kind& kind : kinds()) {
    check.during(kind.name);
    Life life;
    Life other;
    Graph graph;
    CUgraphNode node = nullptr;
    CUgraphNode stays = nullptr;
    CALL(check, Graph::create(&graph));
    CALL(check, kind.add(graph, life.owner(), &node));
    CALL(check, kinds()[0].add(graph, other.owner(), &stays));
    Exec exec;
    CALL(check, Exec::instantiate(graph, &exec));
    if (kind.removable) {
      CALL(check, remove_node(graph, node));
    } else {
      EQUAL(check, remove_node(graph, node), CUDA_ERROR_NOT_SUPPORTED);
    }
    settle();
    EXPECT(check, life.alive());
    CALL(check, exec.destroy());
    if (kind.removable) {
      EXPECT(check, eventually([&] { return life.freed() == 1; }));
    } else {
      settle();
      EXPECT(check, life.alive());
    }
    EXPECT(check, other.alive());
    CALL(check, graph.destroy());
    EXPECT(check, eventually([&] { return other.freed() == 1; }));
    if (!check) return;
  }
}

void removed_then_reused() {
  Check check("a node at a removed node's address has none of its owners");
  Graph graph;
  CALL(check, Graph::create(&graph));
  bool same = false;
  for (int i = 0; check && !same && i < 1000; ++i) {
    Life life;
    CUgraphNode node = nullptr;
    CALL(check, add_empty(graph, {}, &node));
    CALL(check, graph_set_owner(graph, node, OwnerRole::extra, life.owner()));
    CALL(check, remove_node(graph, node));
    EXPECT(check, eventually([&] { return life.freed() == 1; }));
    CUgraphNode next = nullptr;
    CALL(check, add_empty(graph, {}, &next));
    same = next == node;
    EXPECT(check, graph_get_owner(graph, next, OwnerRole::extra) == nullptr);
    CALL(check, remove_node(graph, next));
  }
  check.detail(same ? "the address came again" : "no address came again");
}

void many_owners_in_one() {
  Check check("all_of: several owners in one role");
  OneNode one(check);
  Life lives[5];
  CALL(check, graph_set_owner(one.graph, one.node, OwnerRole::more,
                              all_of({lives[0].owner(), nullptr, lives[1].owner(), lives[2].owner(),
                                      lives[3].owner(), lives[4].owner()})));
  EXPECT(check, all_of({nullptr, nullptr}) == nullptr);
  EXPECT(check, all_of({}) == nullptr);
  settle();
  for (const Life& life : lives) EXPECT(check, life.alive());
  CALL(check, one.graph.destroy());
  for (const Life& life : lives) EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

void shared_by_nodes() {
  Check check("one owner of many nodes of many graphs");
  Life life;
  OpaqueHandle owner = life.owner();
  std::vector<Graph> graphs(4);
  for (Graph& graph : graphs) {
    CALL(check, Graph::create(&graph));
    for (int i = 0; i < 8; ++i) {
      CUgraphNode node = nullptr;
      CALL(check, kinds()[0].add(graph, owner, &node));
    }
  }
  owner.reset();
  for (Graph& graph : graphs) {
    settle();
    EXPECT(check, life.alive());
    CALL(check, graph.destroy());
  }
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

// What the driver would take: a launch would run with owners of a graph that is gone.
void nodes_of_others() {
  Check check("nodes of another graph, and removed ones, are refused");
  Life life;
  Graph graph;
  Graph other;
  CUgraphNode foreign = nullptr;
  CUgraphNode removed = nullptr;
  CUgraphNode raw = nullptr;
  CALL(check, Graph::create(&graph));
  CALL(check, Graph::create(&other));
  CALL(check, kinds()[0].add(other, life.owner(), &foreign));
  CALL(check, add_empty(graph, {}, &removed));
  CALL(check, remove_node(graph, removed));
  DRIVER(check, cuGraphAddEmptyNode(&raw, graph.get(), nullptr, 0));
  HostNode host;
  host.call = [] {};
  for (CUgraphNode node : {foreign, removed}) {
    if (node == raw) continue;  // the address of the removed node came again
    EQUAL(check, set_host(graph, node, host), CUDA_ERROR_INVALID_VALUE);
    EQUAL(check, remove_node(graph, node), CUDA_ERROR_INVALID_VALUE);
    EQUAL(check, add_empty(graph, {node}, nullptr), CUDA_ERROR_INVALID_VALUE);
    EQUAL(check, graph_set_owner(graph, node, OwnerRole::extra, Life().owner()),
          CUDA_ERROR_INVALID_VALUE);
  }
  CALL(check, graph_set_owner(graph, raw, OwnerRole::extra, nullptr));
  CALL(check, add_empty(graph, {raw}, nullptr));
  EQUAL(check, node_count(graph), 2U);
  CALL(check, graph.destroy());
  settle();
  EXPECT(check, life.alive());
}

void deleters_that_drain() {
  Check check("70,000 owners whose deleters call drain()");
  constexpr std::size_t kOwners = 70000;
  std::atomic<std::size_t> deleted{0};
  Graph graph;
  CALL(check, Graph::create(&graph));
  for (std::size_t at = 0; check && at < kOwners; ++at) {
    CUgraphNode node = nullptr;
    CALL(check, add_empty(graph, {}, &node));
    CALL(check, graph_set_owner(graph, node, OwnerRole::extra,
                                OpaqueHandle(&deleted, [&deleted](const void*) {
                                  ++deleted;
                                  drain();
                                })));
  }
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return deleted.load() == kOwners; }));
}

void closed_buffers() {
  Check check("a closed Buffer is refused as operand and as owner");
  OneNode one(check);
  Buffer buffer = filled(1);
  buffer.close();
  EQUAL(check, graph_set_owner(one.graph, one.node, OwnerRole::more, buffer.allocation()),
        CUDA_ERROR_INVALID_VALUE);
  MemsetNode fill;
  fill.destination.buffer = buffer;
  fill.width = 1;
  EQUAL(check, add_memset(one.graph, {}, fill, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

void slots() {
  wrong_arguments();
  empty_owner();
  all_roles();
  replaced();
  changed_clone();
  removed();
  removed_then_reused();
  many_owners_in_one();
  shared_by_nodes();
  nodes_of_others();
  deleters_that_drain();
  closed_buffers();
}

}  // namespace gputest
