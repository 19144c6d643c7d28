// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/walk/model.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "api/cuda_api.h"

namespace walk {
namespace {

unsigned long next_serial() {
  static std::atomic<unsigned long> last{0};
  return ++last;
}

}  // namespace

void append(Tokens* to, const Tokens& more) { to->insert(to->end(), more.begin(), more.end()); }

void append(Tokens* to, const std::array<Token, kOwnerRoles>& more) {
  for (const Token& token : more) {
    if (token != nullptr) to->push_back(token);
  }
}

ModelNode& ModelGraph::add(CUgraphNode node, Kind kind) {
  auto made = std::make_unique<ModelNode>();
  made->handle = node;
  made->kind = kind;
  made->serial = next_serial();
  nodes.push_back(std::move(made));
  return *nodes.back();
}

ModelNode* ModelGraph::find(unsigned long serial) const {
  for (const auto& node : nodes) {
    if (node->serial == serial) return node.get();
  }
  return nullptr;
}

void ModelGraph::remove(const ModelNode* node, bool unseen) {
  append(&former, node->unknown);
  if (unseen || child) append(&former, node->owners);
  if (unseen) lost.push_back(node->handle);
  nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                           [node](const auto& one) { return one.get() == node; }));
}

void ModelGraph::replace(ModelNode* node, const std::array<Token, kOwnerRoles>& owners,
                         unsigned count) {
  append(&former, node->unknown);
  node->unknown.clear();
  for (unsigned role = 0; role < count; ++role) set_owner(node, role, owners[role]);
}

void ModelGraph::set_owner(ModelNode* node, unsigned role, const Token& owner) {
  if (child && node->owners[role] != nullptr) former.push_back(node->owners[role]);
  node->owners[role] = owner;
}

void ModelGraph::forget() {
  for (const auto& node : nodes) {
    append(&node->unknown, node->owners);
    node->owners = {};
    node->bodies_known = false;
    for (const auto& graph : node->inner) graph->forget();
  }
}

bool ModelGraph::has(Kind kind) const {
  return std::any_of(nodes.begin(), nodes.end(), [kind](const auto& node) {
    return node->kind == kind ||
           std::any_of(node->inner.begin(), node->inner.end(),
                       [kind](const auto& graph) { return graph->has(kind); });
  });
}

// CUDA Driver API, CUDA_CHILD_GRAPH_NODE_PARAMS: no memory nodes and no conditional nodes. It is
// silent on handles whose node was destroyed, and on bodies as the graph to be copied.
bool ModelGraph::copied() const {
  if (body || handle_made) return false;
  return std::all_of(nodes.begin(), nodes.end(), [](const auto& node) {
    return node->kind != Kind::conditional && node->kind != Kind::mem_alloc &&
           node->kind != Kind::mem_free &&
           std::all_of(node->inner.begin(), node->inner.end(),
                       [](const auto& graph) { return graph->copied(); });
  });
}

std::size_t ModelGraph::size() const {
  std::size_t count = nodes.size();
  for (const auto& node : nodes) {
    for (const auto& graph : node->inner) count += graph->size();
  }
  return count;
}

std::size_t ModelGraph::depth() const {
  std::size_t deepest = 0;
  for (const auto& node : nodes) {
    for (const auto& graph : node->inner) deepest = std::max(deepest, graph->depth());
  }
  return deepest + 1;
}

Tokens ModelGraph::used() const {
  Tokens all = whole;
  for (const auto& node : nodes) {
    append(&all, node->owners);
    append(&all, node->unknown);
    for (const auto& graph : node->inner) append(&all, graph->used());
  }
  return all;
}

Tokens ModelGraph::unused() const {
  Tokens all = former;
  for (const auto& node : nodes) {
    for (const auto& graph : node->inner) append(&all, graph->unused());
  }
  return all;
}

std::unique_ptr<ModelGraph> copy_of(const ModelGraph& graph, CUgraph copy) {
  auto made = std::make_unique<ModelGraph>();
  made->handle = copy;
  made->whole = graph.whole;
  made->former = graph.former;
  made->handle_made = graph.handle_made;
  for (const auto& node : graph.nodes) {
    CUgraphNode twin = nullptr;
    if (anycuda::api::cuGraphNodeFindInClone(&twin, node->handle, copy) != 0) {
      throw std::runtime_error("cuGraphNodeFindInClone does not find a node of a copy");
    }
    ModelNode& added = made->add(twin, node->kind);
    added.owners = node->owners;
    added.unknown = node->unknown;
    if (node->kind != Kind::child) continue;
    CUgraph inner = nullptr;
    if (anycuda::api::cuGraphChildGraphNodeGetGraph(twin, &inner) != 0) {
      throw std::runtime_error("cuGraphChildGraphNodeGetGraph does not find a copied child");
    }
    added.inner.push_back(copy_of(*node->inner.front(), inner));
    added.inner.back()->child = true;
  }
  return made;
}

}  // namespace walk
