// What others do to a graph by the driver's own calls: owners go along.
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
    CALL(check, graph_set_slot(view, node, Slot::extra, life.owner()));
  }
  settle();
  EXPECT(check, life.alive());
  Graph graph;
  CALL(check, Graph::adopt(raw, &graph));
  CALL(check, graph_set_slot(graph, node, Slot::extra, other.owner()));
  settle();
  EXPECT(check,
         life.alive() && other.alive());  // which node the first is of, nobody knows any more
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
  // A node more, in the clone's child alone.
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

CUgraphNode only_node(Check& check, const GraphView& graph) {
  std::size_t count = 1;
  CUgraphNode node = nullptr;
  DRIVER(check, cuGraphGetNodes(graph.get(), &node, &count));
  return node;
}

// The nodes of an embedded graph are known, so their owners can be let go before it is destroyed.
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
    EXPECT(check, graph_get_slot(view, inner, Slot::code) != nullptr);
    CALL(check, graph_set_slot(view, inner, Slot::code, life->owner()));
  };
  replace(embedded, &in_embedded);
  settle();
  EXPECT(check, old.alive());
  replace(cloned, &in_clone);
  EXPECT(check, eventually([&] { return old.freed() == 1; }));
  EXPECT(check, in_embedded.alive() && in_clone.alive());
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return in_embedded.freed() == 1; }));
  EXPECT(check, in_clone.alive());
  CALL(check, clone.destroy());
  EXPECT(check, eventually([&] { return in_clone.freed() == 1; }));
}

}  // namespace

void raw() {
  raw_copies();
  released();
  borrowed_and_adopted();
  children_by_view();
  owners_of_embedded_nodes();
}

}  // namespace gputest
