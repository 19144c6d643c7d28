// SPDX-License-Identifier: Apache-2.0

// Adding nodes by functions that return the node and throw Error (exception.h):
//
//   Graph graph = Graph::create();
//   CUgraphNode scaled = graph.add(scale, {blocks, 256}, buffer, 2.0f, count);
//   graph.add({scaled}, [report = std::move(report)] { report->done(); });
//   Exec exec = Exec::instantiate(graph);
//
// Each function calls the function of graph.h that its comment names, whose parameters, owners and
// errors are the same. Nothing is added if it throws. `after` may be left out where a node depends
// on no other node.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "anycuda/graph/dependencies.h"
#include "anycuda/graph/exception.h"
#include "anycuda/graph/nodes.h"

namespace anycuda::graph {

class GraphView;

// The base of Graph and GraphView. `Self` is the derived class.
template <typename Self>
class AddsNodes {
 public:
  // add_kernel with kernel_node(kernel, {grid, block}, arguments...).
  template <typename... Values>
  CUgraphNode add(const Dependencies& after, const Kernel& kernel, const LaunchConfig& launch,
                  const Values&... arguments) const {
    return add(after, kernel_node(kernel, launch, arguments...));
  }
  template <typename... Values>
  CUgraphNode add(const Kernel& kernel, const LaunchConfig& launch,
                  const Values&... arguments) const {
    return add(Dependencies(), kernel_node(kernel, launch, arguments...));
  }
  // add_host with host_node(call): the node owns the callable, which may be move-only.
  template <typename Call, typename = std::enable_if_t<std::is_invocable_v<std::decay_t<Call>&>>>
  CUgraphNode add(const Dependencies& after, Call&& call) const {
    return add(after, host_node(std::forward<Call>(call)));
  }
  template <typename Call, typename = std::enable_if_t<std::is_invocable_v<std::decay_t<Call>&>>>
  CUgraphNode add(Call&& call) const {
    return add(Dependencies(), host_node(std::forward<Call>(call)));
  }
  // add_kernel, add_memcpy, add_memset, add_host.
  CUgraphNode add(const Dependencies& after, const KernelNode& node) const {
    return made([&](CUgraphNode* out) { return add_kernel(self(), after, node, out); });
  }
  CUgraphNode add(const Dependencies& after, const MemcpyNode& node) const {
    return made([&](CUgraphNode* out) { return add_memcpy(self(), after, node, out); });
  }
  CUgraphNode add(const Dependencies& after, const MemsetNode& node) const {
    return made([&](CUgraphNode* out) { return add_memset(self(), after, node, out); });
  }
  CUgraphNode add(const Dependencies& after, const HostNode& node) const {
    return made([&](CUgraphNode* out) { return add_host(self(), after, node, out); });
  }
  CUgraphNode add(const KernelNode& node) const { return add(Dependencies(), node); }
  CUgraphNode add(const MemcpyNode& node) const { return add(Dependencies(), node); }
  CUgraphNode add(const MemsetNode& node) const { return add(Dependencies(), node); }
  CUgraphNode add(const HostNode& node) const { return add(Dependencies(), node); }

  // add_empty: a node that does nothing, on which other nodes can depend.
  CUgraphNode join(const Dependencies& after = {}) const {
    return made([&](CUgraphNode* out) { return add_empty(self(), after, out); });
  }
  // add_event_record, add_event_wait.
  CUgraphNode record(const Dependencies& after, const Event& event) const {
    EventNode node;
    node.event = event;
    return made([&](CUgraphNode* out) { return add_event_record(self(), after, node, out); });
  }
  CUgraphNode wait(const Dependencies& after, const Event& event) const {
    EventNode node;
    node.event = event;
    return made([&](CUgraphNode* out) { return add_event_wait(self(), after, node, out); });
  }
  // add_child; child_graph() gives the view of the copy.
  CUgraphNode embed(const Dependencies& after, const GraphView& child) const {
    return made([&](CUgraphNode* out) { return add_child(self(), after, child, out); });
  }
  // add_mem_alloc, add_mem_free.
  CUgraphNode allocate(const Dependencies& after, MemAllocNode* node) const {
    return made([&](CUgraphNode* out) { return add_mem_alloc(self(), after, node, out); });
  }
  CUgraphNode free(const Dependencies& after, CUdeviceptr address) const {
    return made([&](CUgraphNode* out) { return add_mem_free(self(), after, address, out); });
  }
  // add_conditional.
  CUgraphNode branch(const Dependencies& after, const ConditionalNode& node,
                     std::vector<GraphView>* bodies) const {
    return made(
        [&](CUgraphNode* out) { return add_conditional(self(), after, node, out, bodies); });
  }

 protected:
  AddsNodes() = default;
  ~AddsNodes() = default;
  AddsNodes(const AddsNodes&) = default;
  AddsNodes& operator=(const AddsNodes&) = default;

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
  template <typename Add>
  static CUgraphNode made(const Add& add_node) {
    CUgraphNode node = nullptr;
    throw_if_failed(add_node(&node));
    return node;
  }
};

}  // namespace anycuda::graph
