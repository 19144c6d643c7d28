// SPDX-License-Identifier: Apache-2.0

// Invalid calls: they change nothing, and release the given owners.
#include <algorithm>

#include "api/cuda_api.h"
#include "tests/graph/walk/parameters.h"

namespace walk {
namespace {

namespace api = anycuda::api;

std::size_t node_count(CUgraph graph) {
  std::size_t count = 0;
  if (api::cuGraphGetNodes(graph, nullptr, &count) != 0) throw Failure("cuGraphGetNodes failed");
  return count;
}

}  // namespace

bool Walker::closed_handles() {
  Graph graph;
  CUgraphNode node = nullptr;
  must(Graph::create(&graph), "Graph::create");
  must(add_empty(graph, {}, &node), "add_empty");
  const GraphView view = graph.view();
  must(graph.destroy(), "Graph::destroy");
  const Kind kind = settable_kind();
  Parameters parameters;
  fill(kind, &parameters);
  CUgraphNode none = nullptr;
  GraphView inner;
  std::vector<GraphView> bodies;
  Exec exec;
  Graph copy;
  must_refuse(parameters.add(view, {}, &none), "add to a graph that is gone");
  must_refuse(parameters.set(view, node), "set in a graph that is gone");
  must_refuse(parameters.set(&exec, node), "Exec::set without an executable graph");
  must_refuse(graph_set_owner(view, node, OwnerRole::extra, owner(token())),
              "graph_set_owner in a graph that is gone");
  must_refuse(remove_node(view, node), "remove_node in a graph that is gone");
  must_refuse(child_graph(view, node, &inner), "child_graph in a graph that is gone");
  must_refuse(conditional_bodies(view, node, &bodies), "conditional_bodies in one that is gone");
  must_refuse(graph.clone(&copy), "Graph::clone of an empty Graph");
  must_refuse(Exec::instantiate(view, &exec), "Exec::instantiate of a graph that is gone");
  must_refuse(exec.launch(streams_[0]), "Exec::launch of an empty Exec");
  if (Held* const other = held(); other != nullptr) {
    must_refuse(add_child(other->view, {}, view, &none), "add_child of a graph that is gone");
    must_refuse(exec.update(other->view), "Exec::update of an empty Exec");
    if (Launchable* const one = launchable(); one != nullptr) {
      must_refuse(one->exec.update(view), "Exec::update from a graph that is gone");
    }
  }
  expect(none == nullptr && exec.get() == nullptr && !inner.valid(),
         "a call that was refused gave something");
  expect(graph_get_owner(view, node, OwnerRole::extra) == nullptr,
         "a graph that is gone has owners");
  Capture capture;
  must_refuse(capture.end(), "Capture::end without a capture");
  must_refuse(capture.keep(owner(token())), "Capture::keep without a capture");
  return true;
}

bool Walker::wrong_operands() {
  const Place at = place();
  if (at.root == nullptr) return false;
  CUgraphNode none = nullptr;
  Buffer closed = memory_[0];
  closed.close();
  MemsetNode memset;
  memset.width = 64;
  memset.destination.buffer = closed;
  must_refuse(add_memset(at.view, {}, memset, &none), "add_memset of a closed Buffer");
  memset.destination.address = memory_[0].address();
  memset.destination.buffer = Buffer::wrap(memory_[0].address(), 64, owner(token()));
  must_refuse(add_memset(at.view, {}, memset, &none), "add_memset of two destinations");
  memset.destination.address = 0;
  memset.width = 65;
  must_refuse(add_memset(at.view, {}, memset, &none), "add_memset beyond the Buffer");
  MemcpyNode memcpy;
  memcpy.destination.buffer = Buffer::wrap(memory_[0].address(), 64, owner(token()));
  memcpy.width = 64;
  must_refuse(add_memcpy(at.view, {}, memcpy, &none), "add_memcpy without a source");
  KernelNode kernel;
  kernel.code_owner = owner(token());
  must_refuse(add_kernel(at.view, {}, kernel, &none), "add_kernel without a kernel");
  HostNode host;
  must_refuse(add_host(at.view, {}, host, &none), "add_host without a function");
  const Token kept = token();
  host.call = [held = owner(kept)] { use(held.get()); };
  host.data_owner = owner(token());
  must_refuse(add_host(at.view, {}, host, &none), "add_host of a callable with data");
  must_refuse(graph_set_owner(at.view, nullptr, OwnerRole::extra, owner(token())),
              "graph_set_owner of no node");
  must_refuse(remove_node(at.view, nullptr), "remove_node of no node");
  expect(none == nullptr, "a call that was refused gave a node");
  expect(node_count(at.model->handle) == at.model->nodes.size(),
         "a call that was refused changed the number of nodes");
  return true;
}

bool Walker::failing_functions() {
  const Place at = place();
  if (at.root == nullptr) return false;
  CUgraphNode none = nullptr;
  const auto one = [&]() -> Owners { return {owner(token()), nullptr, nullptr, nullptr}; };
  // A node that was made before the failure is taken out again.
  const bool makes = chance(2) && !keeps_nodes(at);
  const auto add = [makes](CUgraph graph, CUgraphNode* out) {
    if (makes) api::cuGraphAddEmptyNode(out, graph, nullptr, 0);
    return CUDA_ERROR_UNKNOWN;
  };
  const auto throws = [makes](CUgraph graph, CUgraphNode* out) -> CUresult {
    if (makes) api::cuGraphAddEmptyNode(out, graph, nullptr, 0);
    throw std::runtime_error("thrown on purpose");
  };
  must_refuse(add_with_owners(at.view, one(), add, &none), "add_with_owners that fails");
  must_refuse(add_with_owners(at.view, one(), throws, &none), "add_with_owners that throws");
  if (!at.model->nodes.empty()) {
    const auto set = [](CUgraphNode) { return CUDA_ERROR_UNKNOWN; };
    const CUgraphNode node = pick(at.model->nodes)->handle;
    must_refuse(set_with_owners(at.view, node, one(), set), "set_with_owners that fails");
  }
  if (Launchable* const exec = launchable(); exec != nullptr) {
    const auto set = [](CUgraphExec) { return CUDA_ERROR_UNKNOWN; };
    exec->handed = true;
    must_refuse(exec->exec.set_with_owners(one(), set), "Exec::set_with_owners that fails");
  }
  expect(none == nullptr, "a function that failed gave a node");
  expect(node_count(at.model->handle) == at.model->nodes.size(),
         "a function that failed left a node");
  return true;
}

// Nodes of another graph, and nodes that are gone.
bool Walker::foreign_nodes() {
  const Place at = place();
  const Place other = place();
  if (at.root == nullptr || at.root == other.root || keeps_nodes(at)) return false;
  if (other.model->nodes.empty() || keeps_nodes(other)) return false;
  const ModelNode& node = *pick(other.model->nodes);
  // The library cannot tell it from a node that a raw call has destroyed.
  const auto& lost = at.model->lost;
  if (std::find(lost.begin(), lost.end(), node.handle) != lost.end()) return false;
  CUgraphNode none = nullptr;
  GraphView inner;
  must_refuse(graph_set_owner(at.view, node.handle, OwnerRole::extra, owner(token())),
              "graph_set_owner of another graph's node");
  must_refuse(add_empty(at.view, {node.handle}, &none), "add_empty after another graph's node");
  if (node.kind == Kind::child) {
    must_refuse(child_graph(at.view, node.handle, &inner), "child_graph of another graph's node");
  }
  for (const Kind kind : {Kind::kernel, Kind::memset, Kind::host}) {
    if (node.kind != kind) continue;
    Parameters parameters;
    fill(kind, &parameters);
    must_refuse(parameters.set(at.view, node.handle), "set of another graph's node");
  }
  must_refuse(remove_node(at.view, node.handle), "remove_node of another graph's node");
  CUgraphNode gone = nullptr;
  must(add_empty(at.view, {}, &gone), "add_empty");
  must(remove_node(at.view, gone), "remove_node");
  must_refuse(remove_node(at.view, gone), "remove_node of a node that is gone");
  must_refuse(graph_set_owner(at.view, gone, OwnerRole::extra, owner(token())),
              "graph_set_owner of a node that is gone");
  return true;
}

bool Walker::adopt_twice() {
  const Held* const one = held();
  if (one == nullptr || one->raw != nullptr) return false;
  Graph other;
  const CUresult result = Graph::adopt(one->model->handle, &other);
  if (result == CUDA_SUCCESS) other.release();
  must_refuse(result, "Graph::adopt of a graph that another Graph owns");
  return true;
}

}  // namespace walk
