// SPDX-License-Identifier: Apache-2.0

// Graphs: made, copied, embedded, destroyed.
#include <chrono>
#include <thread>

#include "api/cuda_api.h"
#include "tests/graph/walk/walker.h"

namespace walk {
namespace {

constexpr std::size_t kMostNodes = 40;
constexpr std::size_t kDeepest = 3;

// What the body of a conditional node may have (CUDA Driver API, cuGraphAddNode).
bool fits_in_body(const ModelGraph& graph) {
  for (const Kind kind :
       {Kind::host, Kind::event_record, Kind::event_wait, Kind::mem_alloc, Kind::mem_free}) {
    if (graph.has(kind)) return false;
  }
  return true;
}

}  // namespace

bool Walker::create() {
  if (full()) return false;
  Graph graph;
  must(Graph::create(&graph), "Graph::create");
  auto model = std::make_unique<ModelGraph>();
  model->handle = graph.get();
  hold(std::move(graph), std::move(model));
  return true;
}

bool Walker::clone() {
  Held* const source = held();
  if (source == nullptr || full() || source->raw != nullptr) return false;
  Graph copy;
  const CUresult result = source->graph.clone(&copy);
  if (result != CUDA_SUCCESS) {
    may_refuse_copy(result, "Graph::clone", *source->model);
    expect(copy.get() == nullptr, "Graph::clone failed and gave a graph");
    return false;
  }
  auto model = copy_of(*source->model, copy.get());
  hold(std::move(copy), std::move(model));
  return true;
}

bool Walker::destroy() {
  Held* const one = held();
  if (one == nullptr) return false;
  const GraphView view = one->view;
  if (one->raw != nullptr) {
    must(static_cast<CUresult>(anycuda::api::cuGraphDestroy(one->raw)), "cuGraphDestroy");
  } else if (chance(2)) {
    must(one->graph.destroy(), "Graph::destroy");
    expect(!view.valid(), "a view is valid after its graph was destroyed");
  } else {
    one->graph = Graph();
  }
  drop(one);
  return true;
}

bool Walker::move() {
  Held* const one = held();
  if (one == nullptr || one->raw != nullptr) return false;
  Graph other(std::move(one->graph));
  expect(one->graph.get() == nullptr, "a Graph that was moved from has a graph");
  one->graph = std::move(other);
  expect(one->graph.get() == one->model->handle, "a Graph lost its graph by a move");
  expect(one->graph.view() == one->view, "a Graph lost its view by a move");
  return true;
}

bool Walker::add_child_graph() {
  const Place outer = place();
  const Place inner = place();
  if (outer.root == nullptr || outer.root == inner.root) return false;
  if (outer.root->model->size() + inner.model->size() > kMostNodes) return false;
  if (inner.model->depth() >= kDeepest || outer.root->model->depth() >= kDeepest) return false;
  if (outer.body && !fits_in_body(*inner.model)) return false;
  CUgraphNode node = nullptr;
  GraphView embedded;
  const CUresult result = add_child(outer.view, before(*outer.model), inner.view, &node, &embedded);
  if (result != CUDA_SUCCESS) {
    // CUDA Driver API, cuGraphAddChildGraphNode: nor into a graph that allocates or frees.
    if (result == CUDA_ERROR_NOT_SUPPORTED && keeps_nodes(outer)) return false;
    may_refuse_copy(result, outer.body ? "add_child in a body" : "add_child", *inner.model);
    return false;
  }
  ModelNode& added = outer.model->add(node, Kind::child);
  added.inner.push_back(copy_of(*inner.model, embedded.get()));
  added.inner.back()->child = true;
  return true;
}

bool Walker::add_conditional_node() {
  const Place at = place();
  if (at.root == nullptr || at.child) return false;
  if (at.root->model->size() > kMostNodes || at.root->model->depth() >= kDeepest) return false;
  ConditionalNode node;
  node.kind = static_cast<ConditionalKind>(any(3));
  node.bodies = node.kind == ConditionalKind::while_loop ? 1 : 1 + static_cast<unsigned>(any(2));
  // A loop that begins would not end: no kernel of a body says that it does.
  const unsigned value = node.kind == ConditionalKind::while_loop ? 0 : chance(2);
  must(create_conditional(at.view, value, true, &node.handle), "create_conditional");
  at.model->handle_made = true;
  CUgraphNode made = nullptr;
  std::vector<GraphView> bodies;
  must(add_conditional(at.view, before(*at.model), node, &made, &bodies), "add_conditional");
  expect(bodies.size() == node.bodies, "add_conditional gives another number of bodies");
  ModelNode& added = at.model->add(made, Kind::conditional);
  added.bodies_known = true;
  for (const GraphView& body : bodies) {
    added.inner.push_back(std::make_unique<ModelGraph>());
    added.inner.back()->handle = body.get();
    added.inner.back()->body = true;
  }
  return true;
}

bool Walker::release_and_adopt() {
  Held* const one = held();
  if (one == nullptr) return false;
  if (one->raw == nullptr) {
    const GraphView view = one->view;
    const CUgraph graph = one->graph.release();
    expect(graph == one->model->handle && !view.valid(), "Graph::release keeps the graph");
    one->model->forget();
    one->raw = graph;
    must(GraphView::borrow(graph, &one->view), "GraphView::borrow");
    if (chance(2)) return true;
  }
  must(Graph::adopt(one->raw, &one->graph), "Graph::adopt");
  one->raw = nullptr;
  one->view = one->graph.view();
  one->model->forget();  // what was added through the borrowed view
  return true;
}

// The views of a graph in a node: the same each time.
bool Walker::child_view() {
  const Place at = place();
  if (at.root == nullptr) return false;
  for (const auto& node : at.model->nodes) {
    if (node->inner.empty() || (node->kind == Kind::conditional && !node->bodies_known)) continue;
    const GraphView first = view_of(at.view, *node, 0);
    expect(first == view_of(at.view, *node, 0), "two views of the graph in a node differ");
    return true;
  }
  return false;
}

// The graph in a child node goes, and a copy of another one takes its place.
bool Walker::replace_child() {
  const Place outer = place();
  const Place inner = place();
  ModelNode* const node = outer.root == nullptr ? nullptr : node_of(outer, Kind::child);
  if (node == nullptr || outer.root == inner.root) return false;
  if (outer.root->model->size() + inner.model->size() > kMostNodes) return false;
  if (inner.model->depth() >= kDeepest || outer.root->model->depth() > kDeepest) return false;
  if (outer.body && !fits_in_body(*inner.model)) return false;
  const GraphView former = view_of(outer.view, *node, 0);
  GraphView embedded;
  const CUresult result = set_child(outer.view, node->handle, inner.view, &embedded);
  if (result != CUDA_SUCCESS) {
    // Measured with driver 580: it changes no child node beside memory nodes.
    if (result != CUDA_ERROR_NOT_SUPPORTED || !keeps_nodes(outer)) {
      may_refuse_copy(result, outer.body ? "set_child in a body" : "set_child", *inner.model);
    }
    expect(former.valid(), "a view is not valid after set_child failed");
    return false;
  }
  expect(!former.valid(), "a view is valid after its graph was replaced");
  node->inner.clear();
  node->inner.push_back(copy_of(*inner.model, embedded.get()));
  node->inner.back()->child = true;
  expect(embedded == view_of(outer.view, *node, 0), "set_child gives another view");
  return true;
}

bool Walker::drains() {
  drain();
  return true;
}

// Many owners retire at once, and the deleter of each calls drain().
bool Walker::draining_deleters() {
  constexpr std::size_t kMany = 20;
  Graph graph;
  must(Graph::create(&graph), "Graph::create");
  Traits drains;
  drains.drains = true;
  for (std::size_t at = 0; at < kMany; ++at) {
    HostNode node;
    node.function = [](void*) {};
    node.data_owner = owner_of(token(), drains);
    must(add_host(graph, {}, node, nullptr), "add_host");
  }
  must(graph.destroy(), "Graph::destroy");
  // The driver retires them on its own thread, and another thread may drain them.
  for (int times = 0; times < 1000 && pending() < kMany; ++times) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  drain();
  return true;
}

}  // namespace walk
