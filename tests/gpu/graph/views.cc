// SPDX-License-Identifier: Apache-2.0

// Views: the graphs that they name, when they end, and that they never name another graph.
#include <map>
#include <set>
#include <unordered_set>

#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

void ends_with_its_graph() {
  Check check("a view ends with its graph, and stays comparable");
  Graph graph;
  CALL(check, Graph::create(&graph));
  const GraphView view = graph.view();
  const GraphView copy = view;  // NOLINT: that a copy ends, too, is what is checked
  EXPECT(check, view.valid() && copy == graph.view() && !(copy != view));
  EXPECT(check, !GraphView().valid() && GraphView() != view && GraphView().get() == nullptr);
  CUgraphNode node = nullptr;
  CALL(check, add_empty(graph, {}, &node));
  CALL(check, graph.destroy());
  EXPECT(check, !view.valid() && !copy.valid() && view == copy);
  EXPECT(check, view != GraphView());
  EXPECT(check, view.get() == nullptr);
  EQUAL(check, view.hash(), copy.hash());
  Life life;
  Exec exec;
  GraphView child;
  std::vector<GraphView> bodies;
  std::uint64_t handle = 0;
  EQUAL(check, graph_set_owner(view, node, OwnerRole::extra, life.owner()),
        CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, add_empty(view, {}, &node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, remove_node(view, node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, Exec::instantiate(view, &exec), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, child_graph(view, node, &child), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, conditional_bodies(view, node, &bodies), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, create_conditional(view, 0, true, &handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT(check, graph_get_owner(view, node, OwnerRole::extra) == nullptr);
  EXPECT(check, last_error()[0] != '\0');
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

void ends_with_its_node() {
  Check check("views of a child and of bodies end when the node is removed");
  Graph graph;
  Graph child;
  CALL(check, Graph::create(&graph));
  CALL(check, Graph::create(&child));
  CUgraphNode node = nullptr;
  CUgraphNode inner = nullptr;
  CALL(check, add_empty(child, {}, &inner));
  GraphView embedded;
  CALL(check, add_child(graph, {}, child, &node, &embedded));
  Conditional conditional;
  CALL(check, add_conditional(graph, ConditionalKind::switch_case, 3, 0, &conditional));
  EXPECT(check, embedded.valid() && embedded != child.view());
  CALL(check, remove_node(graph, node));
  EXPECT(check, !embedded.valid() && child.view().valid());
  EXPECT(check, graph_set_owner(embedded, inner, OwnerRole::extra, Life().owner()) ==
                    CUDA_ERROR_INVALID_VALUE);
  for (const GraphView& body : conditional.bodies) EXPECT(check, body.valid());
  CALL(check, remove_node(graph, conditional.node));
  for (const GraphView& body : conditional.bodies) EXPECT(check, !body.valid());
  std::set<GraphView> ordered(conditional.bodies.begin(), conditional.bodies.end());
  std::unordered_set<GraphView> hashed(conditional.bodies.begin(), conditional.bodies.end());
  EQUAL(check, ordered.size(), 3U);
  EQUAL(check, hashed.size(), 3U);
  EXPECT(check, ordered.count(conditional.bodies[1]) == 1 && hashed.count(embedded) == 0);
}

void grandchildren() {
  Check check("views at every depth end with the outermost graph");
  Graph inner;
  CALL(check, Graph::create(&inner));
  CUgraphNode node = nullptr;
  CALL(check, add_empty(inner, {}, &node));
  Graph outer;
  std::vector<GraphView> views;
  for (int depth = 0; depth < 4; ++depth) {
    GraphView embedded;
    CALL(check, Graph::create(&outer));
    CALL(check, add_child(outer, {}, inner, &node, &embedded));
    inner = std::move(outer);
    EXPECT(check, embedded.valid());
    views.push_back(embedded);
  }
  // Down from the outermost, by asking.
  GraphView at = inner;
  for (int depth = 0; depth < 4; ++depth) {
    std::size_t count = 1;
    DRIVER(check, cuGraphGetNodes(at.get(), &node, &count));
    GraphView next;
    CALL(check, child_graph(at, node, &next));
    views.push_back(next);
    at = next;
  }
  EQUAL(check, node_count(at), 1U);
  CALL(check, inner.destroy());
  for (const GraphView& view : views) EXPECT(check, !view.valid());
}

void moved() {
  Check check("a view follows its graph when that is moved");
  Graph graph;
  CALL(check, Graph::create(&graph));
  const GraphView view = graph;
  Graph other = std::move(graph);
  EXPECT(check, view.valid() && other.view() == view);
  EXPECT(check, graph.get() == nullptr);  // NOLINT: what is left of it is checked
  EXPECT(check, !graph.view().valid());   // NOLINT
  Graph third;
  CALL(check, Graph::create(&third));
  third = std::move(other);
  EXPECT(check, view.valid() && third.view() == view);
  third = Graph();
  EXPECT(check, !view.valid());
}

// The driver gives the addresses of destroyed graphs out again.
void address_comes_again() {
  Check check("a graph at a destroyed graph's address is another to every view");
  constexpr int kGraphs = 100;
  int again = 0;
  std::map<CUgraph, GraphView> gone;
  for (int round = 0; check && again < 10 && round < 100; ++round) {
    std::vector<Graph> graphs(kGraphs);
    for (Graph& graph : graphs) {
      CUgraphNode node = nullptr;
      CALL(check, Graph::create(&graph));
      CALL(check, add_empty(graph, {}, &node));
      const auto old = gone.find(graph.get());
      if (old != gone.end()) {
        ++again;
        Life life;
        EXPECT(check, !old->second.valid() && old->second != graph.view());
        EXPECT(check, old->second.get() == nullptr);
        EXPECT(check, graph_get_owner(graph, node, OwnerRole::extra) == nullptr);
        EQUAL(check, graph_set_owner(old->second, node, OwnerRole::extra, life.owner()),
              CUDA_ERROR_INVALID_VALUE);
        EXPECT(check, graph_get_owner(graph, node, OwnerRole::extra) == nullptr);
      }
      CALL(check, graph_set_owner(graph, node, OwnerRole::extra, Life().owner()));
    }
    for (Graph& graph : graphs) {
      gone[graph.get()] = graph.view();
      CALL(check, graph.destroy());
    }
    settle();
  }
  check.detail(show(again) + " addresses came again");
}

}  // namespace

void views() {
  ends_with_its_graph();
  ends_with_its_node();
  grandchildren();
  moved();
  address_comes_again();
}

}  // namespace gputest
