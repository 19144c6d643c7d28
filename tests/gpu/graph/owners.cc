// SPDX-License-Identifier: Apache-2.0

// An owner is alive while the graph, a clone, a graph it is a child of, a conditional body or an
// executable graph is, and is freed exactly once, after the last, in every order of destruction.
#include <algorithm>
#include <numeric>

#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

// All that holds the same owner: a graph with a node that has it, and what was made from that.
class Holders {
 public:
  enum Holder { the_graph, clone, child, body, executable, kHolders };
  static const char* name(int holder) {
    static const char* const names[] = {"graph", "clone", "child", "body", "executable"};
    return names[holder];
  }

  Holders(Check& check, const Kind& kind, const OpaqueHandle& owner) {
    CALL(check, Graph::create(&graph_));
    CALL(check, kind.add(graph_, owner, &node_));
    if (!check) return;
    made_.push_back(the_graph);
    CALL(check, Exec::instantiate(graph_, &exec_));
    made_.push_back(executable);
    if (kind.in_clone_and_child) {
      CALL(check, graph_.clone(&clone_));
      made_.push_back(clone);
      CALL(check, Graph::create(&parent_));
      CALL(check, add_child(parent_, {}, graph_, &in_parent_));
      made_.push_back(child);
    }
    if (kind.in_body) make_body(check, kind, owner);
    std::sort(made_.begin(), made_.end());
  }

  const std::vector<int>& made() const { return made_; }

  // Ends one; `way` chooses among the ways in which it can end.
  CUresult end(int holder, int way) {
    switch (holder) {
      case the_graph:
        return end(graph_, node_, way);
      case clone:
        return end(clone_, nullptr, way);
      case child:
        return end(parent_, in_parent_, way);
      case body:
        return end(outer_, conditional_.node, way);
      default:
        if (way % 2 == 0) return exec_.destroy();
        exec_ = Exec();
        return CUDA_SUCCESS;
    }
  }

 private:
  // A body of a conditional node: what can be a child is embedded there, the rest is made there.
  void make_body(Check& check, const Kind& kind, const OpaqueHandle& owner) {
    CALL(check, Graph::create(&outer_));
    CALL(check, add_conditional(outer_, ConditionalKind::if_else, 1, 0, &conditional_));
    if (!check) return;
    CUgraphNode inner = nullptr;
    if (kind.in_clone_and_child) {
      CALL(check, add_child(conditional_.bodies[0], {}, graph_, &inner));
    } else {
      CALL(check, kind.add(conditional_.bodies[0], owner, &inner));
    }
    made_.push_back(body);
  }

  static CUresult end(Graph& graph, CUgraphNode node, int way) {
    switch (way % 4) {
      case 0:
        return graph.destroy();
      case 1:
        graph = Graph();
        return CUDA_SUCCESS;
      case 2:  // by the driver's own call
        return cuGraphDestroy(graph.release());
      default:  // only the node; the graph is destroyed at the end
        return node != nullptr ? remove_node(graph, node) : graph.destroy();
    }
  }

  Graph graph_;
  Graph clone_;
  Graph parent_;
  Graph outer_;
  Exec exec_;
  CUgraphNode node_ = nullptr;
  CUgraphNode in_parent_ = nullptr;
  Conditional conditional_;
  std::vector<int> made_;
};

std::string told(const std::vector<int>& order) {
  std::string text;
  for (const int holder : order)
    text += (text.empty() ? "" : ", ") + std::string(Holders::name(holder));
  return text;
}

// One order of destruction.
void one_order(Check& check, const Kind& kind, std::vector<int> order, int way) {
  Life life;
  OpaqueHandle owner = life.owner();
  Holders holders(check, kind, owner);
  owner.reset();
  check.during(told(order) + ", way " + show(way));
  EXPECT(check, life.alive());
  for (std::size_t i = 0; check && i < order.size(); ++i) {
    EXPECT(check, life.alive());
    CALL(check, holders.end(order[i], way + static_cast<int>(i)));
    if (i + 1 < order.size()) {
      settle();
      if (!life.alive())
        check.fail("freed by the end of the " + std::string(Holders::name(order[i])));
    }
  }
  EXPECT(check, eventually([&] { return life.freed() > 0; }));
  EQUAL(check, life.freed(), 1);
}

void every_order(const Kind& kind) {
  Check check("owner: " + kind.name);
  std::vector<int> order;
  {
    Life life;
    Holders all(check, kind, life.owner());
    order = all.made();
  }
  if (!check) return;
  check.detail(told(order));
  int orders = 0;
  do {
    if (!quick() || orders % 7 == 0) one_order(check, kind, order, orders);
    ++orders;
  } while (check && std::next_permutation(order.begin(), order.end()));
  check.detail(show(orders) + " orders" + (quick() ? ", every 7th tried" : ""));
}

// Where CUDA does not let such a node be, nothing is left of the attempt.
void refused(const Kind& kind) {
  Check check("refused: " + kind.name);
  Life life;
  Graph graph;
  Graph other;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&graph));
  CALL(check, kind.add(graph, life.owner(), &node));
  if (!check) return;
  if (!kind.in_clone_and_child) {
    const CUresult cloned = graph.clone(&other);
    EXPECT(check, cloned != CUDA_SUCCESS);
    EXPECT(check, other.get() == nullptr);
    EXPECT(check, last_error()[0] != '\0');
    check.detail("clone " + describe(cloned));
    CALL(check, Graph::create(&other));
    CUgraphNode child = nullptr;
    const CUresult embedded = add_child(other, {}, graph, &child);
    EXPECT(check, embedded != CUDA_SUCCESS);
    EXPECT(check, child == nullptr);
    EQUAL(check, node_count(other), 0U);
    check.detail("child " + describe(embedded));
  }
  EXPECT(check, life.alive());
  CALL(check, other.destroy());
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

// Several clones and executables of one graph: the last frees, whichever it is.
void the_last_of_many() {
  Check check("the last of several clones and executables frees");
  constexpr int kEach = 3;
  for (int last = 0; last < 2 * kEach; ++last) {
    Life life;
    Graph graph;
    CUgraphNode node = nullptr;
    CALL(check, Graph::create(&graph));
    CALL(check, kinds()[0].add(graph, life.owner(), &node));
    std::vector<Graph> clones(kEach);
    std::vector<Exec> execs(kEach);
    for (Graph& clone : clones) CALL(check, graph.clone(&clone));
    for (int i = 0; i < kEach; ++i) CALL(check, Exec::instantiate(clones[i], &execs[i]));
    CALL(check, graph.destroy());
    for (int i = 0; i < 2 * kEach; ++i) {
      if (i == last) continue;
      CALL(check, i < kEach ? clones[i].destroy() : execs[i - kEach].destroy());
    }
    settle();
    EXPECT(check, life.alive());
    CALL(check, last < kEach ? clones[last].destroy() : execs[last - kEach].destroy());
    EXPECT(check, eventually([&] { return life.freed() == 1; }));
  }
}

// A graph in a graph in a graph.
void deep() {
  Check check("a child of a child of a child");
  Life life;
  Graph inner;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&inner));
  CALL(check, kinds()[0].add(inner, life.owner(), &node));
  for (int i = 0; check && i < 5; ++i) {
    Graph outer;
    CALL(check, Graph::create(&outer));
    CALL(check, add_child(outer, {}, inner, &node));
    inner = std::move(outer);
  }
  settle();
  EXPECT(check, life.alive());
  Exec exec;
  CALL(check, Exec::instantiate(inner, &exec));
  CALL(check, inner.destroy());
  settle();
  EXPECT(check, life.alive());
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

}  // namespace

void owners() {
  for (const Kind& kind : kinds()) every_order(kind);
  for (const Kind& kind : kinds()) {
    if (!kind.in_clone_and_child) refused(kind);
  }
  the_last_of_many();
  deep();
}

}  // namespace gputest
