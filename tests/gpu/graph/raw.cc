// SPDX-License-Identifier: Apache-2.0

// Changes of a graph by the driver's own calls: owners follow.
#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

void raw_copies() {
  Check check("owners go along with raw clones, children and executables");
  Life life;
  Graph graph;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&graph));
  CALL(check, kinds()[0].add(graph, life.owner(), &node));
  CUgraph clone = nullptr;
  CUgraph parent = nullptr;
  CUgraphExec exec = nullptr;
  DRIVER(check, cuGraphClone(&clone, graph.get()));
  DRIVER(check, cuGraphCreate(&parent, 0));
  DRIVER(check, cuGraphAddChildGraphNode(&node, parent, nullptr, 0, graph.get()));
  DRIVER(check, cuGraphInstantiate(&exec, graph.get(), 0));
  CALL(check, graph.destroy());
  settle();
  EXPECT(check, life.alive());
  DRIVER(check, cuGraphDestroy(clone));
  settle();
  EXPECT(check, life.alive());
  Stream stream;
  DRIVER(check, cuGraphLaunch(exec, stream));
  DRIVER(check, cuGraphExecDestroy(exec));
  DRIVER(check, stream.wait());
  settle();
  EXPECT(check, life.alive());
  DRIVER(check, cuGraphDestroy(parent));
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

void released() {
  Check check("release() gives the graph with its owners");
  Life life;
  Graph graph;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&graph));
  CALL(check, kinds()[0].add(graph, life.owner(), &node));
  const GraphView view = graph;
  CUgraph raw = graph.release();
  EXPECT(check, raw != nullptr && graph.get() == nullptr && !view.valid());
  settle();
  EXPECT(check, life.alive());
  EQUAL(check, node_count(raw), 1U);
  DRIVER(check, cuGraphDestroy(raw));
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

// A graph that was made elsewhere gets owners through a view, or by being taken over.
void borrowed_and_adopted() {
  Check check("a raw graph takes owners, borrowed and adopted");
  Life life;
  Life other;
  CUgraph raw = nullptr;
  CUgraphNode node = nullptr;
  DRIVER(check, cuGraphCreate(&raw, 0));
  DRIVER(check, cuGraphAddEmptyNode(&node, raw, nullptr, 0));
  {
    GraphView view;
    CALL(check, GraphView::borrow(raw, &view));
    EXPECT(check, view.valid() && view.get() == raw);
    CALL(check, graph_set_owner(view, node, OwnerRole::extra, life.owner()));
  }
  settle();
  EXPECT(check, life.alive());
  Graph graph;
  CALL(check, Graph::adopt(raw, &graph));
  CALL(check, graph_set_owner(graph, node, OwnerRole::extra, other.owner()));
  settle();
  EXPECT(check,
         life.alive() && other.alive());  // the node of the first owner is unknown now
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return life.freed() == 1 && other.freed() == 1; }));
}

// The child in a raw graph's node, and the one that came with a clone.
void children_by_view() {
  Check check("child_graph: views of embedded graphs, also in a clone");
  Life first;
  Life second;
  Graph graph;
  Graph child;
  CALL(check, Graph::create(&graph));
  CALL(check, Graph::create(&child));
  CUgraphNode inner = nullptr;
  CALL(check, kinds()[0].add(child, first.owner(), &inner));
  CUgraphNode node = nullptr;
  GraphView embedded;
  CALL(check, add_child(graph, {}, child, &node, &embedded));
  CALL(check, child.destroy());
  GraphView again;
  CALL(check, child_graph(graph, node, &again));
  EXPECT(check, again == embedded && embedded.valid());
  Graph clone;
  CALL(check, graph.clone(&clone));
  CUgraphNode twin = nullptr;
  DRIVER(check, cuGraphNodeFindInClone(&twin, node, clone.get()));
  GraphView in_clone;
  CALL(check, child_graph(clone, twin, &in_clone));
  EXPECT(check, in_clone.valid() && in_clone != embedded);
  EQUAL(check, node_count(in_clone), 1U);
  // One more node, only in the clone's child.
  CALL(check, kinds()[0].add(in_clone, second.owner(), &inner));
  EQUAL(check, node_count(embedded), 1U);
  CALL(check, graph.destroy());
  EXPECT(check, !embedded.valid() && in_clone.valid());
  settle();
  EXPECT(check, first.alive() && second.alive());
  CALL(check, clone.destroy());
  EXPECT(check, !in_clone.valid());
  EXPECT(check, eventually([&] { return first.freed() == 1 && second.freed() == 1; }));
}

bool driver_has_ids(Check& check) {
  int version = 0;
  DRIVER(check, cuDriverGetVersion(&version));
  return version >= 13010;
}

CUgraphNode only_node(Check& check, const GraphView& graph) {
  std::size_t count = 1;
  CUgraphNode node = nullptr;
  DRIVER(check, cuGraphGetNodes(graph.get(), &node, &count));
  return node;
}

// The nodes of an embedded graph are known, so their owners can be released before it is destroyed.
void owners_of_embedded_nodes() {
  Check check("owners of nodes in an embedded graph, and in a clone's, can be replaced");
  Life old;
  Life in_embedded;
  Life in_clone;
  Graph graph;
  Graph child;
  Graph clone;
  CUgraphNode node = nullptr;
  CUgraphNode twin = nullptr;
  GraphView embedded;
  GraphView cloned;
  CALL(check, Graph::create(&graph));
  CALL(check, Graph::create(&child));
  CALL(check, kinds()[0].add(child, old.owner(), &node));
  CALL(check, add_child(graph, {}, child, &node, &embedded));
  CALL(check, child.destroy());
  CALL(check, graph.clone(&clone));
  DRIVER(check, cuGraphNodeFindInClone(&twin, node, clone.get()));
  CALL(check, child_graph(clone, twin, &cloned));
  if (!check) return;
  const auto replace = [&](const GraphView& view, Life* life) {
    const CUgraphNode inner = only_node(check, view);
    EXPECT(check, graph_get_owner(view, inner, OwnerRole::code) != nullptr);
    CALL(check, graph_set_owner(view, inner, OwnerRole::code, life->owner()));
  };
  replace(embedded, &in_embedded);
  settle();
  EXPECT(check, old.alive());
  replace(cloned, &in_clone);
  // The program has the clone's CUgraph, so a driver without numbers proves nothing about its
  // child.
  if (driver_has_ids(check)) EXPECT(check, eventually([&] { return old.freed() == 1; }));
  EXPECT(check, in_embedded.alive() && in_clone.alive());
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return in_embedded.freed() == 1; }));
  EXPECT(check, in_clone.alive());
  CALL(check, clone.destroy());
  EXPECT(check, eventually([&] { return in_clone.freed() == 1 && old.freed() == 1; }));
}

// A child node that raw calls destroy, and another that gets its addresses: what was known of the
// first is not the second's.
void child_at_a_reused_address(bool with_exec) {
  Check check(with_exec ? "a child at a destroyed child's address, while an executable runs on"
                        : "a child at a destroyed child's address");
  bool same = false;
  for (int i = 0; check && !same && i < 100; ++i) {
    Life first;
    Life second;
    Graph graph;
    Graph child;
    Graph other;
    CUgraphNode node = nullptr;
    CUgraphNode again = nullptr;
    GraphView embedded;
    CALL(check, Graph::create(&graph));
    CALL(check, Graph::create(&child));
    CALL(check, Graph::create(&other));
    CALL(check, kinds()[0].add(child, first.owner(), &node));
    CALL(check, add_empty(other, {}, nullptr));
    CALL(check, add_child(graph, {}, child, &node, &embedded));
    CALL(check, child.destroy());
    Exec exec;
    if (with_exec) CALL(check, Exec::instantiate(graph, &exec));
    CUgraph before = embedded.get();
    CUgraph after = nullptr;
    DRIVER(check, cuGraphDestroyNode(node));
    DRIVER(check, cuGraphAddChildGraphNode(&again, graph.get(), nullptr, 0, other.get()));
    DRIVER(check, cuGraphChildGraphNodeGetGraph(again, &after));
    same = again == node && after == before;
    if (!same) continue;
    if (i % 2 == 0) settle();  // with the destroyed child's owners over, and before
    GraphView found;
    CALL(check, child_graph(graph, again, &found));
    EXPECT(check, found == embedded || !embedded.valid());
    const CUgraphNode inner = only_node(check, found);
    if (!check) return;
    CALL(check, graph_set_owner(found, inner, OwnerRole::code, second.owner()));
    Graph clone;
    CALL(check, graph.clone(&clone));
    CALL(check, remove_node(found, inner));
    settle();
    EXPECT(check, second.alive());
    EXPECT(check, first.alive() == with_exec);
    if (with_exec) {
      Stream stream;
      CALL(check, exec.launch(stream));
      DRIVER(check, stream.wait());
      CALL(check, exec.destroy());
    }
    CALL(check, graph.destroy());
    CALL(check, clone.destroy());
    EXPECT(check, eventually([&] { return first.freed() == 1 && second.freed() == 1; }));
  }
  check.detail(same ? "the addresses came again" : "no address came again");
}

void owned_graphs_are_not_adopted() {
  Check check("a graph that a Graph owns is not adopted");
  Graph graph;
  Graph other;
  CALL(check, Graph::create(&graph));
  EQUAL(check, Graph::adopt(graph.get(), &other), CUDA_ERROR_INVALID_VALUE);
  EXPECT(check, other.get() == nullptr);
  CUgraph raw = graph.release();
  CALL(check, Graph::adopt(raw, &other));
}

}  // namespace

void raw() {
  raw_copies();
  released();
  borrowed_and_adopted();
  children_by_view();
  owners_of_embedded_nodes();
  child_at_a_reused_address(false);
  child_at_a_reused_address(true);
  owned_graphs_are_not_adopted();
}

}  // namespace gputest
