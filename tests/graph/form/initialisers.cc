// SPDX-License-Identifier: Apache-2.0

// A user's program, compiled as C++17, 20 and 23 with -Wall -Wextra -Werror: initialising the
// public structs in every way causes no warning.
#include <array>
#include <memory>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "anycuda/graph/capture.h"
#include "anycuda/graph/drain.h"
#include "anycuda/graph/exec.h"
#include "anycuda/graph/graph.h"
#include "anycuda/graph/stream_launch.h"

namespace {

using namespace anycuda::graph;

struct CudaDim3 {  // as NVIDIA's dim3
  unsigned x, y, z;
};

void aggregates(const Buffer& buffer, const Kernel& kernel, const Event& event) {
  const MemoryOperand operand{buffer};
  const KernelNode positional{kernel, nullptr, {}, 4, {8, 8}};
  const MemcpyNode copy{operand, {buffer, 0, nullptr}, 64};
  const MemsetNode fill{operand, 1, 4};
  const HostNode host{[] {}};
  const EventNode record{event};
  const MemAllocNode memory{64};
  const MemAllocNode on_host{64, 0, 0, MemoryKind::host, {0, 1}};
  const InstantiateOptions options{8, nullptr};
  const ConditionalNode conditional{1, ConditionalKind::while_loop};
  const LaunchConfig launch{1, {2, 3}};
  const LaunchAttributes attributes{{2, 1}, true};
  const LaunchConfig clustered{4, 32, 0, attributes};
  const Edge edge{nullptr, nullptr};
  static_cast<void>(std::tie(positional, copy, fill, host, record, memory, conditional, launch,
                             clustered, edge, on_host, options));
#if __cplusplus >= 202002L
  const KernelNode designated{.kernel = kernel, .grid = {4, 2}, .values = Arguments::of(buffer, 1)};
  const KernelNode raw{.function = nullptr, .block = 32};
  const MemcpyNode copied{
      .destination = {.buffer = buffer}, .source = {.host = nullptr, .pitch = 8}, .width = 64};
  const MemsetNode filled{.destination = {.address = 1, .owner = {}}, .width = 8};
  const HostNode called{.call = [] {}};
  const HostNode function{.function = [](void*) {}, .copy_data = true};
  const EventNode waited{.event = event};
  const EventNode plain{.raw = nullptr};
  const MemAllocNode allocated{.bytes = 64, .access = {1}};
  const InstantiateOptions uploaded{.upload_stream = nullptr};
  const ConditionalNode branch{.kind = ConditionalKind::if_else};
  const LaunchConfig config{.grid = 8, .block = {32, 2}};
  const LaunchConfig first{.grid = 8, .block = 32, .attributes = {.cluster = 2, .priority = -1}};
  const LaunchConfig early{8, 32, 0, {.programmatic = true}};
  static_cast<void>(std::tie(designated, raw, copied, filled, called, function, waited, plain,
                             allocated, branch, config, first, early, uploaded));
#endif
}

void grids(KernelNode* node, int count, std::size_t large) {
  node->grid = (count + 255) / 256;
  node->grid = {count, large};
  node->block = {32, 2, 1};
  node->block = CudaDim3{1, 2, 3};
  node->grid[0] = node->block[1];
  for (unsigned& side : node->grid) ++side;
  const unsigned(&sides)[3] = node->grid;
  const LaunchConfig launch{{count, large}, 256, 64};
  static_cast<void>(std::tie(sides, launch));
}

std::size_t dependencies(CUgraphNode node) {
  const CUgraphNode array[2] = {node, node};
  const std::array<CUgraphNode, 2> standard{node, node};
  std::vector<CUgraphNode> vector{node};
  std::size_t count = Dependencies(array).count() + Dependencies(standard).count() +
                      Dependencies(vector).count() + Dependencies{node}.count() +
                      Dependencies({node, node}).count() + Dependencies(array, 1).count();
#if __cplusplus >= 202002L
  count += Dependencies(std::span<const CUgraphNode>(array)).count() +
           Dependencies(std::span<CUgraphNode>(vector)).count();
#endif
  return count;
}

}  // namespace

// Compiled, not run: its handles are null.
void calls(const Graph& graph, const Kernel& kernel, const Buffer& buffer, CUgraphNode* node) {
  const CUgraphNode first = graph.add(kernel, {1, 32}, buffer, 3, 1.0F);
  const std::array<CUgraphNode, 2> both{first, graph.add({first}, kernel, {{2, 2}, 32}, buffer)};
  graph.add(both, [data = std::make_unique<int>(1)] { ++*data; });
  graph.add({}, MemsetNode{buffer.address() != 0 ? MemoryOperand{buffer} : MemoryOperand{}});
  const GraphView& view = graph;
  view.add({first}, kernel_node(kernel, {1, 32}));
  graph.add({first}, kernel, {1, 32, 0, LaunchAttributes{2}}, buffer, 3);
  graph.add_edges({{first, both[0]}, programmatic_edge(first, both[1])});
  graph.remove_edges(both.empty() ? std::vector<Edge>() : graph.edges());
  const OpaqueHandle owner = on_release([kept = std::make_unique<int>(1)] { return CUDA_SUCCESS; });
  const Exec exec = Exec::instantiate(graph, {8, nullptr});
  launch(nullptr, kernel, {1, 32}, buffer, 3, 1.0F);
  if (add_empty(graph, {}, node) != CUDA_SUCCESS) return;
  if (add_empty(graph, both, node) != CUDA_SUCCESS) return;
  KernelNode changed;
  grids(&changed, 1, 1);
  aggregates(buffer, kernel, Event());
}

int main() { return dependencies(nullptr) >= 9 ? 0 : 1; }
