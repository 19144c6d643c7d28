// SPDX-License-Identifier: Apache-2.0

// Conditional nodes: their bodies own what is in them, recursively; results of each kind.
#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

// Adds 1 (or `value`) to every number of a buffer that only the node holds.
CUresult add_in(const GraphView& body, const Buffer& buffer, int value, const Dependencies& after,
                CUgraphNode* out, const OpaqueHandle& owner = nullptr) {
  Add add(buffer.address(), buffer.address(), value);
  KernelNode node = add.node(load("add"));
  node.argument_owner = all_of({buffer.allocation(), owner});
  return add_kernel(body, after, node, out);
}

// Launches a graph of one conditional node, whose bodies add 1, 10, 100, ...; the sum is wanted.
void runs(const char* name, ConditionalKind kind, unsigned bodies, unsigned value, int want) {
  Check check(name);
  Buffer buffer = filled(0);
  Exec exec;
  {
    Graph graph;
    Conditional conditional;
    CALL(check, Graph::create(&graph));
    CALL(check, add_conditional(graph, kind, bodies, value, &conditional));
    EQUAL(check, conditional.bodies.size(), bodies);
    int step = 1;
    for (const GraphView& body : conditional.bodies) {
      CUgraphNode node = nullptr;
      CALL(check, add_in(body, buffer, step, {}, &node));
      step *= 10;
    }
    if (!check) return;
    CALL(check, Exec::instantiate(graph, &exec));
  }
  settle();
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, all_are(buffer.address(), want));
}

void loop() {
  Check check("while: a kernel in the body ends the loop");
  Buffer sum = filled(0);
  Buffer left = filled(5);
  Exec exec;
  {
    Graph graph;
    Conditional loop;
    CALL(check, Graph::create(&graph));
    CALL(check, add_conditional(graph, ConditionalKind::while_loop, 1, 1, &loop));
    if (!check) return;
    CUgraphNode last = nullptr;
    CALL(check, add_in(loop.bodies[0], sum, 2, {}, &last));
    CUdeviceptr counter = left.address();
    void* arguments[] = {&counter, &loop.handle};
    KernelNode node;
    node.kernel = load("count_down");
    node.arguments = arguments;
    node.argument_owner = left.allocation();
    CALL(check, add_kernel(loop.bodies[0], {last}, node, &last));
    CALL(check, Exec::instantiate(graph, &exec));
  }
  if (!check) return;
  settle();
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, all_are(sum.address(), 10));
}

// A kernel before the node decides, at each launch anew.
void decided_by_a_kernel() {
  Check check("switch: a kernel before the node chooses the body");
  Buffer sum = filled(0);
  Graph graph;
  Exec exec;
  CALL(check, Graph::create(&graph));
  Conditional choice;
  CALL(check, add_conditional(graph, ConditionalKind::switch_case, 3, 0, &choice));
  if (!check) return;
  unsigned chosen = 2;
  void* arguments[] = {&choice.handle, &chosen};
  KernelNode decide;
  decide.kernel = load("set_condition");
  decide.arguments = arguments;
  CUgraphNode before = nullptr;
  CALL(check, add_kernel(graph, {}, decide, &before));
  DRIVER(check, cuGraphAddDependencies(graph.get(), &before, &choice.node, nullptr, 1));
  int step = 1;
  for (const GraphView& body : choice.bodies) {
    CUgraphNode node = nullptr;
    CALL(check, add_in(body, sum, step, {}, &node));
    step *= 10;
  }
  CALL(check, Exec::instantiate(graph, &exec));
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, all_are(sum.address(), 100));
  chosen = 1;
  CALL(check, exec.set_kernel(before, decide));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, all_are(sum.address(), 110));
}

// if in while in if, an owner at each level; the outermost node is removed.
void nested() {
  Check check("removing a conditional node frees all that is in it, at every depth");
  for (const bool with_exec : {false, true}) {
    Life lives[3];
    Graph graph;
    CALL(check, Graph::create(&graph));
    GraphView inside = graph;
    const ConditionalKind kinds_of[] = {ConditionalKind::if_else, ConditionalKind::while_loop,
                                        ConditionalKind::if_else};
    CUgraphNode outermost = nullptr;
    std::vector<GraphView> views;
    for (int depth = 0; check && depth < 3; ++depth) {
      Conditional conditional;
      CALL(check, add_conditional(inside, kinds_of[depth], 1, 0, &conditional));
      if (!check) return;
      if (depth == 0) outermost = conditional.node;
      inside = conditional.bodies[0];
      views.push_back(inside);
      CUgraphNode node = nullptr;
      CALL(check, kinds()[0].add(inside, lives[depth].owner(), &node));
    }
    Exec exec;
    if (with_exec) CALL(check, Exec::instantiate(graph, &exec));
    CALL(check, remove_node(graph, outermost));
    for (const GraphView& view : views) EXPECT(check, !view.valid());
    if (with_exec) {
      settle();
      for (const Life& life : lives) EXPECT(check, life.alive());
      CALL(check, exec.destroy());
    }
    for (const Life& life : lives) EXPECT(check, eventually([&] { return life.freed() == 1; }));
  }
}

// A body can be read again, changed after the executable graph was made, and its nodes
// removed.
void changed_after() {
  Check check("a body that is changed after instantiation leaves the executable whole");
  Life life;
  Life later;
  Buffer sum = filled(0);
  Graph graph;
  Exec exec;
  Conditional conditional;
  CALL(check, Graph::create(&graph));
  CALL(check, add_conditional(graph, ConditionalKind::if_else, 1, 1, &conditional));
  if (!check) return;
  CUgraphNode node = nullptr;
  CALL(check, add_in(conditional.bodies[0], sum, 4, {}, &node, life.owner()));
  CALL(check, Exec::instantiate(graph, &exec));
  std::vector<GraphView> again;
  CALL(check, conditional_bodies(graph, conditional.node, &again));
  EXPECT(check, again == conditional.bodies);
  Add other(scratch(0), scratch(1), 1);
  KernelNode parameters = other.node();
  parameters.argument_owner = later.owner();
  CALL(check, set_kernel(again[0], node, parameters));
  parameters = KernelNode();
  settle();
  EXPECT(check, life.alive() && later.alive());
  CALL(check, remove_node(again[0], node));
  EXPECT(check, eventually([&] { return later.freed() == 1; }));
  EXPECT(check, life.alive());
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, all_are(sum.address(), 4));
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

void wrong_numbers_of_bodies() {
  Check check("a number of bodies that a kind cannot have is refused and leaves nothing");
  Graph graph;
  CALL(check, Graph::create(&graph));
  const auto refuses = [&](ConditionalKind kind, unsigned bodies) {
    Conditional conditional;
    check.during(show(kind) + " with " + show(bodies));
    EXPECT(check, add_conditional(graph, kind, bodies, 0, &conditional) != CUDA_SUCCESS);
    EQUAL(check, node_count(graph), 0U);
  };
  refuses(ConditionalKind::if_else, 0);
  refuses(ConditionalKind::if_else, 3);
  refuses(ConditionalKind::while_loop, 0);
  refuses(ConditionalKind::while_loop, 2);
  refuses(ConditionalKind::switch_case, 0);
}

// A graph that owns a life through one node, in a child node of another graph, and cloned.
void copied(Check& check, const char* name, const GraphView& graph, const GraphView& into,
            Life* life) {
  check.during(name);
  const auto expected = [](CUresult result) {
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_SUPPORTED;
  };
  CUgraphNode node = nullptr;
  const std::size_t before = node_count(into);
  const CUresult embedded = add_child(into, {}, graph, &node);
  EXPECT(check, expected(embedded));
  EQUAL(check, node_count(into), before + (embedded == CUDA_SUCCESS ? 1 : 0));
  CUgraph raw = nullptr;
  const CUresult cloned = cuGraphClone(&raw, graph.get());
  EXPECT(check, expected(cloned));
  if (cloned == CUDA_SUCCESS) DRIVER(check, cuGraphDestroy(raw));
  settle();
  EXPECT(check, life->alive());
  check.detail(std::string(name) + ": embedded " + show(embedded) + ", cloned " + show(cloned));
}

// CUDA's documentation says nothing of some of these. A refusal changes nothing.
void copies() {
  Check check("graphs with bodies, handles or memory nodes are copied, or refused with 801");
  Life lives[3];
  Graph with_body;
  Graph with_handle;
  Graph plain;
  Graph into;
  Graph with_memory;
  Conditional conditional;
  CUgraphNode node = nullptr;
  Buffer buffer = filled(0);
  CALL(check, Graph::create(&with_body));
  CALL(check, Graph::create(&with_handle));
  CALL(check, Graph::create(&plain));
  CALL(check, Graph::create(&into));
  CALL(check, Graph::create(&with_memory));
  CALL(check, add_conditional(with_body, ConditionalKind::if_else, 1, 0, &conditional));
  if (!check) return;
  CALL(check, add_in(conditional.bodies[0], buffer, 1, {}, &node, lives[0].owner()));
  copied(check, "a body", conditional.bodies[0], into, &lives[0]);
  CALL(check, add_conditional(with_handle, ConditionalKind::if_else, 1, 0, &conditional));
  CALL(check, remove_node(with_handle, conditional.node));
  CALL(check, add_in(with_handle, buffer, 1, {}, &node, lives[1].owner()));
  copied(check, "a graph whose conditional node was removed", with_handle, into, &lives[1]);
  CALL(check, add_in(plain, buffer, 1, {}, &node, lives[2].owner()));
  MemAllocNode block;
  block.bytes = kBytes;
  CALL(check, add_mem_alloc(with_memory, {}, &block, &node));
  CALL(check, add_mem_free(with_memory, {node}, block.address, nullptr));
  copied(check, "a plain graph, into one with memory nodes", plain, with_memory, &lives[2]);
  check.during("");
  for (Graph* graph : {&with_body, &with_handle, &plain, &into, &with_memory}) {
    CALL(check, graph->destroy());
  }
  for (const Life& life : lives) EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

}  // namespace

void bodies() {
  runs("if, true", ConditionalKind::if_else, 1, 1, 1);
  runs("if, false", ConditionalKind::if_else, 1, 0, 0);
  runs("if-else, true", ConditionalKind::if_else, 2, 1, 1);
  runs("if-else, false", ConditionalKind::if_else, 2, 0, 10);
  runs("while, never", ConditionalKind::while_loop, 1, 0, 0);
  runs("switch, the third of four", ConditionalKind::switch_case, 4, 2, 100);
  runs("switch, none", ConditionalKind::switch_case, 4, 9, 0);
  loop();
  decided_by_a_kernel();
  nested();
  changed_after();
  wrong_numbers_of_bodies();
  copies();
}

}  // namespace gputest
