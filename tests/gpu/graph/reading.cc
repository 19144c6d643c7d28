// SPDX-License-Identifier: Apache-2.0

// Reading a graph back from the driver: nodes, edges, parameters that another graph is built from,
// and the picture.
#include <algorithm>

#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

constexpr LaunchConfig kLaunch{kCount / 64, 64};

bool same(std::vector<CUgraphNode> one, std::vector<CUgraphNode> other) {
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  return one == other;
}

void nodes_and_edges() {
  Check check("nodes, edges, predecessors and successors");
  const Graph graph = Graph::create();
  EXPECT(check, graph.nodes().empty() && graph.edges().empty());
  const CUgraphNode first = graph.join();
  const CUgraphNode second = graph.join({first});
  const CUgraphNode third = graph.join({first, second});
  EXPECT(check, same(graph.nodes(), {first, second, third}));
  EXPECT(check, same(graph.predecessors(third), {first, second}));
  EXPECT(check, same(graph.successors(first), {second, third}));
  EXPECT(check, graph.predecessors(first).empty() && graph.successors(third).empty());
  const std::vector<Edge> edges = graph.edges();
  EQUAL(check, edges.size(), 3U);
  for (const Edge& edge : edges) {
    EXPECT(check, edge.type == 0 && edge.from_port == 0 && edge.to_port == 0);
    EXPECT(check, edge.to == third || (edge.from == first && edge.to == second));
  }
}

// A memset, a kernel, a copy and a callback; a second graph is built from what is read of it.
void second_graph() {
  Check check("a graph that is built from parameters that were read back");
  auto out = std::make_shared<std::vector<int>>(kCount, -1);
  std::atomic<int> calls{0};
  Exec exec;
  Stream stream;
  {
    const Graph graph = Graph::create();
    const Buffer from = filled(-1);
    const Buffer to = filled(-1);
    MemsetNode zero;
    zero.destination.buffer = from;
    zero.width = kBytes;
    const CUgraphNode filled_node = graph.add(zero);
    const CUgraphNode added =
        graph.add({filled_node}, load("add"), kLaunch, to, from, 9, int{kCount});
    MemcpyNode home;
    home.destination.host = out->data();
    home.destination.owner = out;
    home.source.buffer = to;
    home.width = kBytes;
    const CUgraphNode copied = graph.add({added}, home);
    const CUgraphNode called = graph.add({copied}, [&calls] { ++calls; });

    const Graph second = Graph::create();
    MemsetNode memset;
    KernelNode kernel;
    MemcpyNode memcpy;
    HostNode host;
    CALL(check, get_memset(graph, filled_node, &memset));
    CALL(check, get_kernel(graph, added, &kernel));
    CALL(check, get_memcpy(graph, copied, &memcpy));
    CALL(check, get_host(graph, called, &host));
    EQUAL(check, kernel.grid[0], kLaunch.grid[0]);
    EQUAL(check, kernel.block[0], kLaunch.block[0]);
    EXPECT(check, kernel.arguments != nullptr);
    EXPECT(check, get_kernel(graph, called, &kernel) == CUDA_ERROR_INVALID_VALUE);
    CUgraphNode last = nullptr;
    CALL(check, add_memset(second, {}, memset, &last));
    CALL(check, add_kernel(second, {last}, kernel, &last));
    CALL(check, add_memcpy(second, {last}, memcpy, &last));
    CALL(check, add_host(second, {last}, host, &last));
    exec = Exec::instantiate(second);
  }
  settle();
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, *out == std::vector<int>(kCount, 9));
  EQUAL(check, calls.load(), 1);
}

void picture() {
  Check check("a picture in DOT");
  const Graph graph = Graph::create();
  const Buffer memory = filled(0);
  const CUgraphNode node = graph.add(load("add"), kLaunch, memory, memory, 1, int{kCount});
  const Graph inner = Graph::create();
  inner.add([] {});
  graph.embed({node}, inner);
  const std::string text = graph.dot();
  for (const char* words : {"kernel", "4x1x1 blocks of 64x1x1", "owners: code, arguments",
                            "child of n1", "owners: callback", "n0 -> n1;"}) {
    if (text.find(words) == std::string::npos) check.fail(std::string("it lacks ") + words);
  }
  if (driver_version() >= 12030) EXPECT(check, text.find("\\nadd\\n") != std::string::npos);
}

}  // namespace

void reading() {
  nodes_and_edges();
  second_graph();
  picture();
}

}  // namespace gputest
