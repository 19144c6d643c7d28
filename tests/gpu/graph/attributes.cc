// SPDX-License-Identifier: Apache-2.0

// Launch attributes of nodes and of launches on a stream: what the GPU does with them.
#include "anycuda/graph/stream_launch.h"
#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

bool has_clusters() { return device_arch() >= "sm_90" || device_arch().size() > 5; }

LaunchConfig with_cluster(unsigned grid, unsigned cluster) {
  LaunchConfig made{grid, 32};
  made.attributes.cluster = cluster;
  return made;
}

int only(CUdeviceptr from) { return read(from, 1).front(); }

// What a launch of the node as it is now gives.
int result_of(Check& check, const Graph& graph, const Buffer& out) {
  const Stream stream;
  write(out.address(), {-1});
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  return only(out.address());
}

void clusters() {
  Check check("clusters: in nodes, in new parameters of nodes, on a stream");
  if (!has_clusters()) {
    check.detail("this GPU has no clusters");
    return;
  }
  const Kernel& kernel = shared_kernel("cluster_size");
  const Buffer out = filled(0);
  const Graph graph = Graph::create();
  const CUgraphNode node = graph.add(kernel, with_cluster(8, 4), out);
  EQUAL(check, result_of(check, graph, out), 4);
  KernelNode like;
  CALL(check, get_kernel(graph, node, &like));
  EQUAL(check, like.attributes.cluster[0], 4U);
  // The cluster fits the new grid, not the former one, and the other way round.
  CALL(check, set_kernel(graph, node, kernel_node(kernel, {1, 32}, out)));
  EQUAL(check, result_of(check, graph, out), 1);
  CALL(check, set_kernel(graph, node, kernel_node(kernel, with_cluster(2, 2), out)));
  EQUAL(check, result_of(check, graph, out), 2);
  CALL(check, set_kernel(graph, node, kernel_node(kernel, with_cluster(8, 8), out)));
  EQUAL(check, result_of(check, graph, out), 8);
  CALL(check, set_kernel(graph, node, kernel_node(kernel, with_cluster(8, 4), out)));
  EQUAL(check, result_of(check, graph, out), 4);
  // More than the driver allows: the node stays as it was.
  EQUAL(check, set_kernel(graph, node, kernel_node(kernel, with_cluster(1024, 512), out)), 912);
  EQUAL(check, result_of(check, graph, out), 4);
  const Stream stream;
  launch(stream, kernel, with_cluster(4, 2), out);
  DRIVER(check, stream.wait());
  EQUAL(check, only(out.address()), 2);
  launch(stream, kernel, {4, 32}, out);
  DRIVER(check, stream.wait());
  EQUAL(check, only(out.address()), 1);
}

// The driver's value where no cluster is set: for the library's authors.
void clusters_in_execs() {
  Check check("an executable graph keeps its clusters");
  if (!has_clusters()) return;
  const Kernel& kernel = shared_kernel("cluster_size");
  const Buffer out = filled(0);
  const Graph graph = Graph::create();
  const CUgraphNode node = graph.add(kernel, with_cluster(4, 4), out);
  const CUgraphNode plain = graph.add({node}, kernel, {4, 32}, scratch(0));
  Exec exec = Exec::instantiate(graph);
  const Stream stream;
  CALL(check, exec.set_kernel(node, kernel_node(kernel, {8, 32}, out)));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EQUAL(check, only(out.address()), 4);
  CALL(check, exec.set_kernel(node, kernel_node(kernel, with_cluster(8, 4), out)));
  EQUAL(check, exec.set_kernel(plain, kernel_node(kernel, with_cluster(4, 2), out)),
        CUDA_ERROR_NOT_SUPPORTED);
  CUkernelNodeAttrValue value{};
  DRIVER(check,
         cuGraphKernelNodeGetAttribute(plain, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
  check.detail("without a cluster the driver reports " + show(value.clusterDim.x) + "x" +
               show(value.clusterDim.y) + "x" + show(value.clusterDim.z));
}

void cooperative() {
  Check check("cooperative launches: in a node and on a stream");
  const Kernel& kernel = shared_kernel("meet");
  const Buffer arrived = filled(0);
  const Buffer out = filled(0);
  LaunchConfig config{16, 32};
  config.attributes.cooperative = true;
  const Graph graph = Graph::create();
  const CUgraphNode node = graph.add(kernel, config, arrived, out);
  EQUAL(check, result_of(check, graph, out), 16);
  KernelNode like;
  CALL(check, get_kernel(graph, node, &like));
  EXPECT(check, like.attributes.cooperative);
  write(arrived.address(), {0});
  const Stream stream;
  launch(stream, kernel, config, arrived, out);
  DRIVER(check, stream.wait());
  EQUAL(check, only(out.address()), 16);
  // More blocks than can run at a time. Without the attribute, they would wait for ever.
  config.grid = 1 << 20;
  EQUAL(check, launch_kernel(stream, kernel_node(kernel, config, arrived, out)),
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

void priorities() {
  Check check("priorities of nodes");
  int least = 0;
  int greatest = 0;
  DRIVER(check, cuCtxGetStreamPriorityRange(&least, &greatest));
  const Buffer to = filled(0);
  LaunchConfig config{kCount / 64, 64};
  config.attributes.priority = greatest;
  const Graph graph = Graph::create();
  const CUgraphNode node = graph.add(shared_kernel("add"), config, to, filled(2), 3, int{kCount});
  KernelNode like;
  CALL(check, get_kernel(graph, node, &like));
  EXPECT(check, like.attributes.priority == greatest || greatest == 0);
  Exec exec;
  CALL(check,
       Exec::instantiate(graph, &exec, 8ULL));  // CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
  const Stream stream;
  CALL(check, exec.launch(stream));
  launch(stream, shared_kernel("add"), config, to, to, 1, int{kCount});
  DRIVER(check, stream.wait());
  expect_all(check, to.address(), 6);
  CALL(check,
       set_kernel(graph, node, kernel_node(shared_kernel("add"), {4, 64}, to, to, 3, int{kCount})));
  CALL(check, get_kernel(graph, node, &like));
  EXPECT(check, !like.attributes.priority);
}

// Two kernels, the second of which begins before the first has ended, or not.
struct Pair {
  const Kernel& first = shared_kernel("lets_go");
  const Kernel& second = shared_kernel("follows");
  Buffer began = filled(0);
  Buffer met = filled(0);
  Buffer seen = filled(0);

  KernelNode one(unsigned milliseconds) const {
    return kernel_node(first, {1, 1}, began, met, milliseconds);
  }
  KernelNode two(bool early) const {
    LaunchConfig config{1, 1};
    config.attributes.programmatic = early;
    return kernel_node(second, config, began, met, seen);
  }
  void expect(Check& check, bool early) const {
    EQUAL(check, only(met.address()), early ? 1 : 0);
    EQUAL(check, only(seen.address()), early ? 2 : 1);
  }
};
constexpr unsigned kLong = 5000;  // milliseconds
constexpr unsigned kShort = 100;

void launch_and_expect(Check& check, const Graph& graph, const Pair& pair, bool early) {
  const Stream stream;
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  pair.expect(check, early);
}

}  // namespace

// Not under compute-sanitizer, which runs one kernel at a time.
void programmatic() {
  if (!has_clusters()) {
    Check("programmatic dependent launch").detail("this GPU does not have it");
    return;
  }
  {
    Check check("programmatic dependent launch: in a graph");
    const Pair pair;
    const Graph graph = Graph::create();
    const CUgraphNode first = graph.add(pair.one(kLong));
    const CUgraphNode second = graph.add({first}, pair.two(true));
    KernelNode like;
    CALL(check, get_kernel(graph, second, &like));
    EXPECT(check, like.attributes.programmatic);
    launch_and_expect(check, graph, pair, true);
  }
  {
    Check check("programmatic dependent launch: an ordinary edge does not begin early");
    const Pair pair;
    const Graph graph = Graph::create();
    graph.add({graph.add(pair.one(kShort))}, pair.two(false));
    launch_and_expect(check, graph, pair, false);
  }
  {
    Check check("programmatic dependent launch: an edge that is added later, and a clone");
    const Pair pair;
    const Graph graph = Graph::create();
    const CUgraphNode first = graph.add(pair.one(kLong));
    const CUgraphNode second = graph.add(pair.two(false));
    graph.add_edges({programmatic_edge(first, second)});
    launch_and_expect(check, graph.clone(), pair, true);
    graph.remove_edges(graph.edges());
    EXPECT(check, graph.edges().empty());
    graph.add_edges({launch_order_edge(first, second)});
    EQUAL(check, graph.edges().front().from_port, 2);
  }
  {
    Check check("programmatic dependent launch: on a stream");
    const Pair pair;
    const Stream stream;
    CALL(check, launch_kernel(stream, pair.one(kLong)));
    CALL(check, launch_kernel(stream, pair.two(true)));
    DRIVER(check, stream.wait());
    pair.expect(check, true);
  }
  {
    Check check("programmatic dependent launch: captured, with the owners of both kernels");
    const Stream stream;
    Graph graph;
    auto pair = std::make_unique<Pair>();
    std::weak_ptr<const void> memory = pair->seen.allocation();
    Capture capture;
    CALL(check, Capture::begin(stream, CaptureMode::relaxed, &capture));
    CALL(check, capture.launch(pair->one(kLong)));
    CALL(check, capture.launch(pair->two(true)));
    CALL(check, capture.end(&graph));
    EQUAL(check, graph.nodes().size(), 2U);
    EQUAL(check, graph.edges().front().type, 1);
    launch_and_expect(check, graph, *pair, true);
    pair = nullptr;
    settle();
    EXPECT(check, !memory.expired());
    CALL(check, graph.destroy());
    EXPECT(check, eventually([&] { return memory.expired(); }));
  }
}

void attributes() {
  clusters();
  clusters_in_execs();
  cooperative();
  priorities();
}

}  // namespace gputest
