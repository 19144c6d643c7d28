// SPDX-License-Identifier: Apache-2.0

// The driver's own calls, which the library does not see.
#include "api/cuda_api.h"
#include "tests/graph/walk/walker.h"

namespace walk {
namespace {

namespace api = anycuda::api;

constexpr std::size_t kMostNodes = 12;  // of one graph
constexpr std::size_t kMostInAll = 40;

void nothing(void*) {}

CUresult status(unsigned result) { return static_cast<CUresult>(result); }

}  // namespace

bool Walker::raw_add() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.size() >= kMostNodes) return false;
  CUgraphNode node = nullptr;
  const std::vector<CUgraphNode> after = before(*at.model);
  if (at.body || chance(2)) {
    must(status(api::cuGraphAddEmptyNode(&node, at.model->handle, after.data(), after.size())),
         "cuGraphAddEmptyNode");
    at.model->add(node, Kind::empty);
  } else {
    const api::CUDA_HOST_NODE_PARAMS_st call{nothing, nullptr};
    must(
        status(api::cuGraphAddHostNode(&node, at.model->handle, after.data(), after.size(), &call)),
        "cuGraphAddHostNode");
    at.model->add(node, Kind::host);
  }
  return true;
}

bool Walker::raw_destroy_node() {
  const Place at = place();
  if (at.root == nullptr || at.model->nodes.empty()) return false;
  const ModelNode* const node = pick(at.model->nodes).get();
  // Views of the graphs in it would not be updated.
  if (!node->inner.empty()) return false;
  if (api::cuGraphDestroyNode(node->handle) != 0) return false;
  at.model->remove(node, true);
  return true;
}

bool Walker::raw_clone() {
  Held* const source = held();
  if (source == nullptr || full()) return false;
  CUgraph copy = nullptr;
  if (api::cuGraphClone(&copy, source->model->handle) != 0) return false;
  auto model = copy_of(*source->model, copy);
  model->forget();
  Graph graph;
  if (chance(2)) {
    must(Graph::adopt(copy, &graph), "Graph::adopt");
    hold(std::move(graph), std::move(model));
    return true;
  }
  Held& made = hold(std::move(graph), std::move(model));
  made.raw = copy;
  must(GraphView::borrow(copy, &made.view), "GraphView::borrow");
  return true;
}

// A child node is destroyed, and another one takes its place: often at the same address.
bool Walker::raw_child() {
  const Place at = place();
  if (at.root == nullptr || at.body || keeps_nodes(at)) return false;
  const ModelNode* const node = node_of(at, Kind::child);
  const Held* const other = held();
  if (node == nullptr || other == at.root) return false;
  if (at.root->model->size() + other->model->size() > kMostInAll) return false;
  if (other->model->depth() >= 3 || !other->model->copied()) return false;
  must(status(api::cuGraphDestroyNode(node->handle)), "cuGraphDestroyNode");
  // The nodes of the next child may have the addresses of these: then an owner that is not freed
  // yet may become theirs.
  Tokens former = node->inner.front()->used();
  append(&former, node->inner.front()->unused());
  at.model->remove(node, true);
  CUgraphNode made = nullptr;
  must(status(api::cuGraphAddChildGraphNode(&made, at.model->handle, nullptr, 0,
                                            other->model->handle)),
       "cuGraphAddChildGraphNode");
  CUgraph inner = nullptr;
  must(status(api::cuGraphChildGraphNodeGetGraph(made, &inner)), "cuGraphChildGraphNodeGetGraph");
  ModelNode& added = at.model->add(made, Kind::child);
  added.inner.push_back(copy_of(*other->model, inner));
  added.inner.back()->child = true;
  added.inner.back()->forget();
  append(&added.inner.back()->former, former);
  // Drivers before CUDA 13.1 do not tell it from the former child: an owner that is given must be
  // one that can be held.
  const GraphView view = view_of(at.view, added, 0);
  for (const auto& one : added.inner.front()->nodes) {
    for (unsigned role = 0; role < kOwnerRoles; ++role) {
      const OpaqueHandle held = graph_get_owner(view, one->handle, static_cast<OwnerRole>(role));
    }
  }
  return true;
}

bool Walker::raw_update() {
  Launchable* const one = launchable();
  const Held* const from = one == nullptr ? nullptr : updates(*one);
  if (from == nullptr) return false;
  one->handed = true;
  CUgraphNode wrong = nullptr;
  unsigned why = 0;
  if (api::cuGraphExecUpdate(one->exec.get(), from->model->handle, &wrong, &why) != 0) return false;
  // What was set node by node stays with the Exec.
  Tokens spare = one->spare;
  for (const Launchable::Node& node : one->nodes) append(&spare, node.set);
  append(&spare, one->replaced);
  append(&spare, one->by_function);
  take_base(one, *from->model);
  append(&one->spare, spare);
  one->keyed = false;
  one->raw_updated = true;
  return true;
}

bool Walker::raw_launch() {
  const Held* const from = held();
  if (from == nullptr || launches_.size() > 8) return false;
  CUgraphExec exec = nullptr;
  if (api::cuGraphInstantiateWithFlags(&exec, from->model->handle, 0) != 0) return false;
  const auto stream = static_cast<unsigned>(any(3));
  must(status(api::cuGraphLaunch(exec, streams_[stream])), "cuGraphLaunch");
  launches_.push_back({0, stream, from->model->used(), from->model->unused()});
  // Driver 580 cannot destroy such an executable graph while a launch runs (docs/graph.md).
  if (from->model->has(Kind::host)) {
    launches_.back().raw = exec;
  } else {
    must(status(api::cuGraphExecDestroy(exec)), "cuGraphExecDestroy");
  }
  return true;
}

}  // namespace walk
