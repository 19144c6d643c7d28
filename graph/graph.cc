// SPDX-License-Identifier: Apache-2.0
#include "anycuda/graph/graph.h"

#include "graph/clone_state.h"
#include "graph/driver_support.h"
#include "graph/graph_state.h"

namespace anycuda::graph {

CUresult GraphView::borrow(CUgraph graph, GraphView* out) {
  return entry([&] {
    if (graph == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "the graph is null");
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    auto state = std::make_shared<GraphState>(graph);
    state->handed_out = true;
    *out = GraphState::view(std::move(state));
    return CUDA_SUCCESS;
  });
}

bool GraphView::valid() const { return state_ != nullptr && state_->graph.load() != nullptr; }
CUgraph GraphView::get() const {
  if (state_ == nullptr) return nullptr;
  state_->handed_out.store(true, std::memory_order_relaxed);
  return state_->graph.load();
}

Graph::~Graph() { give_up(); }

// Destroys the graph. If the driver refuses, no Graph owns the graph any more.
void Graph::give_up() noexcept {
  static_cast<void>(destroy());
  const GraphState::Pointer& state = GraphState::of(view_);
  if (state != nullptr) state->disown();
}

Graph::Graph(Graph&& other) noexcept : view_(std::move(other.view_)) { other.view_ = GraphView(); }

Graph& Graph::operator=(Graph&& other) noexcept {
  if (this != &other) {
    give_up();
    view_ = std::move(other.view_);
    other.view_ = GraphView();
  }
  return *this;
}

CUresult Graph::create(Graph* out) {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    auto state = std::make_shared<GraphState>(nullptr);
    CUgraph graph = nullptr;
    const CUresult result = answered("cuGraphCreate", api::cuGraphCreate(&graph, 0));
    if (result != CUDA_SUCCESS) return result;
    state->graph.store(graph);
    *out = GraphState::own(std::move(state));
    return CUDA_SUCCESS;
  });
}

CUresult Graph::adopt(CUgraph graph, Graph* out) {
  if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
  if (graph != nullptr && GraphState::is_owned(graph)) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "a Graph owns this graph already, and both would destroy it. Move that Graph, or "
                "call its release() first");
  }
  GraphView view;
  const CUresult result = GraphView::borrow(graph, &view);
  if (result == CUDA_SUCCESS) *out = GraphState::own(GraphState::of(view));
  return result;
}

CUgraph Graph::release() {
  const CUgraph graph = get();
  if (graph != nullptr) GraphState::of(view_)->invalidate();
  view_ = GraphView();
  return graph;
}

CUresult Graph::destroy() {
  return entry([&] {
    const CUgraph graph = get();
    if (graph == nullptr) {
      view_ = GraphView();
      return CUDA_SUCCESS;
    }
    // Before the call: after it, another thread's graph may have the address.
    GraphState& state = *GraphState::of(view_);
    state.disown();
    const CUresult result = answered("cuGraphDestroy", api::cuGraphDestroy(graph));
    if (result != CUDA_SUCCESS) {
      state.become_owned();
      return result;
    }
    state.invalidate();
    view_ = GraphView();
    return CUDA_SUCCESS;
  });
}

CUresult Graph::clone(Graph* out) const {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    GraphState* const source = usable(view_);
    if (source == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = prune_destroyed_nodes(source);
    if (result != CUDA_SUCCESS) return result;
    GraphState::Pointer copy = reserve_clone_state(*source, GraphState::Place::top);
    CUgraph graph = nullptr;
    result = answered("cuGraphClone", api::cuGraphClone(&graph, source->graph.load()));
    if (result != CUDA_SUCCESS) return result;
    try {
      populate_clone(copy.get(), *source, graph);
    } catch (...) {
      api::cuGraphDestroy(graph);
      throw;
    }
    *out = GraphState::own(std::move(copy));
    return CUDA_SUCCESS;
  });
}

}  // namespace anycuda::graph
