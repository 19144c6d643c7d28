// SPDX-License-Identifier: Apache-2.0

// Nodes: added, changed, removed; edges.
#include <algorithm>

#include "api/cuda_api.h"
#include "tests/graph/walk/parameters.h"

namespace walk {
namespace {

constexpr std::size_t kMostNodes = 12;  // of one graph
constexpr Kind kSettable[] = {Kind::kernel, Kind::memcpy,       Kind::memset,
                              Kind::host,   Kind::event_record, Kind::event_wait};

}  // namespace

Kind Walker::kind_for(const Place& at) {
  return at.body ? static_cast<Kind>(any(4)) : static_cast<Kind>(any(7));
}

Kind Walker::settable_kind() { return kSettable[any(std::size(kSettable))]; }

bool Walker::add() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.size() >= kMostNodes) return false;
  Parameters parameters;
  fill(kind_for(at), &parameters);
  CUgraphNode node = nullptr;
  must(parameters.add(at.view, before(*at.model), &node), "add");
  at.model->add(node, parameters.kind).owners = parameters.owners;
  return true;
}

bool Walker::add_by_function() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.size() >= kMostNodes) return false;
  const std::array<Token, kOwnerRoles> tokens{token(), nullptr, token(), nullptr};
  CUgraphNode node = nullptr;
  const auto add = [](CUgraph graph, CUgraphNode* out) {
    return static_cast<CUresult>(anycuda::api::cuGraphAddEmptyNode(out, graph, nullptr, 0));
  };
  must(add_with_owners(at.view, {owner(tokens[0]), nullptr, owner(tokens[2]), nullptr}, add, &node),
       "add_with_owners");
  at.model->add(node, Kind::empty).owners = tokens;
  return true;
}

// Memory that one launch allocates and frees.
bool Walker::add_memory() {
  Held* const one = held();
  if (one == nullptr || one->model->nodes.size() >= kMostNodes) return false;
  if (one->model->has(Kind::conditional)) return false;
  MemAllocNode block;
  block.bytes = 1024;
  CUgraphNode first = nullptr;
  CUgraphNode second = nullptr;
  must(add_mem_alloc(one->view, {}, &block, &first), "add_mem_alloc");
  one->model->add(first, Kind::mem_alloc);
  must(add_mem_free(one->view, {first}, block.address, &second), "add_mem_free");
  one->model->add(second, Kind::mem_free);
  const Token kept = token();
  must(graph_set_owner(one->view, second, OwnerRole::memory, owner(kept)), "graph_set_owner");
  one->model->nodes.back()->owners[0] = kept;
  return true;
}

bool Walker::set() {
  const Place at = place();
  if (at.root == nullptr) return false;
  const Kind kind = settable_kind();
  ModelNode* const node = node_of(at, kind);
  if (node == nullptr) return false;
  Parameters parameters;
  fill(kind, &parameters);
  must(parameters.set(at.view, node->handle), "set");
  at.model->replace(node, parameters.owners, 2);
  return true;
}

bool Walker::set_by_function() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.empty()) return false;
  ModelNode* const node = pick(at.model->nodes).get();
  const std::array<Token, kOwnerRoles> tokens{nullptr, token(), nullptr, token()};
  const auto set = [](CUgraphNode) { return CUDA_SUCCESS; };
  must(set_with_owners(at.view, node->handle,
                       {nullptr, owner(tokens[1]), nullptr, owner(tokens[3])}, set),
       "set_with_owners");
  // The driver was not called: its callback still uses the former parameters, whose owners are
  // released here. So set new parameters, too.
  if (node->kind == Kind::host) {
    Parameters parameters;
    fill(Kind::host, &parameters);
    must(parameters.set(at.view, node->handle), "set_host");
    at.model->replace(node, tokens, kOwnerRoles);
    at.model->replace(node, parameters.owners, 2);
    return true;
  }
  at.model->replace(node, tokens, kOwnerRoles);
  return true;
}

bool Walker::set_owner() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.empty()) return false;
  ModelNode* const node = pick(at.model->nodes).get();
  // The first owners of a host node have what its callback uses.
  const unsigned role =
      static_cast<unsigned>(node->kind == Kind::host ? 2 + any(2) : any(kOwnerRoles));
  const Token kept = token();
  must(graph_set_owner(at.view, node->handle, static_cast<OwnerRole>(role), owner(kept)),
       "graph_set_owner");
  at.model->set_owner(node, role, kept);
  expect(graph_get_owner(at.view, node->handle, static_cast<OwnerRole>(role)) != nullptr,
         "graph_get_owner does not give what graph_set_owner was given");
  return true;
}

bool Walker::remove() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.empty()) return false;
  const ModelNode* const node = pick(at.model->nodes).get();
  const CUresult result = remove_node(at.view, node->handle);
  if (result != CUDA_SUCCESS) {
    expect(keeps_nodes(at), std::string("remove_node: ") + last_error());
    return false;
  }
  at.model->remove(node, false);
  return true;
}

// An edge from an earlier node to a later one: no cycle comes of it. Then, mostly, without it
// again.
bool Walker::change_edges() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.size() < 2) return false;
  const std::size_t to = 1 + any(at.model->nodes.size() - 1);
  const Edge edge{at.model->nodes[any(to)]->handle, at.model->nodes[to]->handle};
  if (add_dependencies(at.view, {edge}) != CUDA_SUCCESS) {
    const std::vector<CUgraphNode> nodes = at.view.predecessors(edge.to);
    expect(std::find(nodes.begin(), nodes.end(), edge.from) != nodes.end(),
           std::string("add_dependencies of a new edge: ") + last_error());
    return false;
  }
  if (chance(4)) return true;
  const CUresult removed = remove_dependencies(at.view, {edge});
  // CUDA Driver API, cuGraphRemoveDependencies.
  expect(removed == CUDA_SUCCESS || keeps_nodes(at),
         std::string("remove_dependencies: ") + last_error());
  return true;
}

}  // namespace walk
