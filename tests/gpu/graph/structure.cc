// SPDX-License-Identifier: Apache-2.0

// Edges and child graphs that change, memory nodes on other memory, executable graphs that were
// made elsewhere, failures of the instantiation, forks of a capture.
#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

constexpr LaunchConfig kLaunch{kCount / 64, 64};

void edges() {
  Check check("edges are added and removed; a cycle is found at the instantiation");
  const Buffer memory = filled(0);
  const Kernel& kernel = shared_kernel("add");
  const Graph graph = Graph::create();
  std::vector<CUgraphNode> nodes;
  for (int at = 0; at < 10; ++at) {
    nodes.push_back(graph.add(kernel, kLaunch, memory, memory, 1, int{kCount}));
  }
  for (std::size_t at = 1; at < nodes.size(); ++at) {
    graph.add_edges({{nodes[at - 1], nodes[at]}});
  }
  EQUAL(check, graph.edges().size(), 9U);
  EQUAL(check, add_dependencies(graph, {{nodes[0], nodes[1]}}), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, remove_dependencies(graph, {{nodes[0], nodes[5]}}), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, add_dependencies(graph, {{nodes[0], nodes[5]}, {nodes[0], nodes[1]}}),
        CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, graph.edges().size(), 9U);
  Exec exec;
  const Stream stream;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, memory.address(), 10);
  graph.add_edges({{nodes[9], nodes[0]}});
  CUgraphNode node = nullptr;
  int result = 0;
  const CUresult status = Exec::instantiate(graph, &exec, InstantiateOptions(), &node, &result);
  EXPECT(check, status != CUDA_SUCCESS);
  check.detail(std::string("a cycle: ") + last_error());
  EXPECT(check, static_cast<InstantiateResult>(result) != InstantiateResult::success);
  graph.remove_edges({{nodes[9], nodes[0]}});
  CALL(check, Exec::instantiate(graph, &exec));
}

void child_update() {
  Check check("a child node gets another graph, with its owners");
  const Buffer to = filled(0);
  Life former;
  Life next;
  const Graph graph = Graph::create();
  const Stream stream;
  const auto child = [&](int value, Life* life) {
    const Buffer from = filled(value);
    Add add(to.address(), from.address(), 1);
    KernelNode node = add.node();
    node.argument_owner = life->owner(from.allocation());
    Graph made = Graph::create();
    made.add(node);
    return made;
  };
  const CUgraphNode node = graph.embed({}, child(10, &former));
  const CUgraphNode last = graph.join({node});
  Exec before = Exec::instantiate(graph);
  GraphView inner;
  CALL(check, child_graph(graph, node, &inner));
  EQUAL(check, set_child(graph, node, inner), CUDA_ERROR_INVALID_VALUE);
  GraphView embedded;
  {
    const Graph other = child(20, &next);
    other.join(other.nodes());  // another shape
    CALL(check, set_child(graph, node, other, &embedded));
  }
  EXPECT(check, !inner.valid() && embedded.valid());
  EQUAL(check, graph.predecessors(last).size(), 1U);
  settle();
  EXPECT(check, former.alive() && next.alive());
  CALL(check, before.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, to.address(), 11);
  CALL(check, before.destroy());
  EXPECT(check, eventually([&] { return former.freed() == 1; }));
  Exec after = Exec::instantiate(graph);
  CALL(check, after.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, to.address(), 21);
  {
    const Graph empty = Graph::create();
    CALL(check, set_child(graph, node, empty));
  }
  settle();
  EXPECT(check, next.alive());
  CALL(check, after.destroy());
  EXPECT(check, eventually([&] { return next.freed() == 1; }));
}

void memory_of(MemoryKind kind, const char* name) {
  Check check(std::string("memory nodes: ") + name);
  const Graph graph = Graph::create();
  MemAllocNode memory;
  memory.bytes = kBytes;
  memory.kind = kind;
  if (kind == MemoryKind::host || kind == MemoryKind::host_numa) memory.access = {0};
  CUgraphNode node = nullptr;
  const CUresult status = add_mem_alloc(graph, {}, &memory, &node);
  if (status != CUDA_SUCCESS) {
    check.detail(std::string("refused: ") + last_error());
    EXPECT(check, kind != MemoryKind::device);
    EQUAL(check, node_count(graph), 0U);
    return;
  }
  MemAllocNode read_back;
  CALL(check, get_mem_alloc(graph, node, &read_back));
  EQUAL(check, read_back.kind, kind);
  EQUAL(check, read_back.address, memory.address);
  MemsetNode set;
  set.destination.address = memory.address;
  set.element_bytes = 4;
  set.value = 7;
  set.width = kCount;
  const CUgraphNode filled_node = graph.add({node}, set);
  const Buffer out = filled(0);
  const CUgraphNode copied =
      graph.add({filled_node}, shared_kernel("add"), kLaunch, out, memory.address, 1, int{kCount});
  graph.free({copied}, memory.address);
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  const Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, out.address(), 8);
}

void upload_and_adopt() {
  Check check("an upload stream, an adopted and a released executable graph");
  Life life;
  Life set;
  Graph graph = Graph::create();
  const Stream stream;
  HostNode host;
  host.function = [](void*) {};
  host.data_owner = life.owner();
  CUgraphNode node = nullptr;
  CALL(check, add_host(graph, {}, host, &node));
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec, InstantiateOptions{0, stream}));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  Exec adopted;
  CALL(check, Exec::adopt(exec.release(), &adopted));
  EXPECT(check, !exec);
  CALL(check, adopted.launch(stream));
  host.data_owner = set.owner();
  EQUAL(check, adopted.set_host(node, host), CUDA_ERROR_NOT_SUPPORTED);
  CALL(check, adopted.update(graph));
  CALL(check, adopted.set_host(node, host));
  host.data_owner = nullptr;
  CALL(check, adopted.launch(stream));
  CALL(check, graph.destroy());
  settle();
  EXPECT(check, life.alive() && set.alive());
  CALL(check, adopted.destroy());
  DRIVER(check, stream.wait());
  EXPECT(check, eventually([&] { return life.freed() == 1 && set.freed() == 1; }));
}

void split_and_join() {
  Check check("a capture is split and joined");
  const Stream stream;
  const Stream second;
  const Buffer memory = filled(1);
  const Buffer left = filled(0);
  const Buffer right = filled(0);
  const Kernel& kernel = shared_kernel("add");
  const auto add = [&](const Buffer& to, const Buffer& from) {
    return kernel_node(kernel, kLaunch, to, from, 1, int{kCount});
  };
  for (const CaptureMode mode :
       {CaptureMode::relaxed, CaptureMode::thread_local_, CaptureMode::global}) {
    Capture capture;
    Capture fork;
    Graph graph;
    CALL(check, Capture::begin(stream, mode, &capture));
    CALL(check, capture.launch(add(memory, memory)));
    CALL(check, capture.split(second, &fork));
    CALL(check, capture.launch(add(left, memory)));
    CALL(check, fork.launch(add(right, memory)));
    CALL(check, capture.join(fork));
    CALL(check, capture.launch(add(left, right)));
    CALL(check, capture.end(&graph));
    EQUAL(check, graph.nodes().size(), 4U);
    EQUAL(check, graph.edges().size(), 4U);
    Exec exec;
    CALL(check, Exec::instantiate(graph, &exec));
    CALL(check, exec.launch(stream));
    DRIVER(check, stream.wait());
  }
  expect_all(check, memory.address(), 4);
  expect_all(check, left.address(), 6);
}

}  // namespace

void structure() {
  edges();
  child_update();
  memory_of(MemoryKind::device, "device");
  memory_of(MemoryKind::host, "host");
  memory_of(MemoryKind::host_numa, "host_numa");
  memory_of(MemoryKind::managed, "managed");
  upload_and_adopt();
  split_and_join();
}

}  // namespace gputest
