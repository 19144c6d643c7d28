// SPDX-License-Identifier: Apache-2.0

// Graphs in nodes: child graphs, and the bodies of conditional nodes.
#include "graph/clone_state.h"
#include "graph/driver_support.h"
#include "graph/graph_state.h"
#include "graph/identity.h"

namespace anycuda::graph {
namespace {

// Not a limit of CUDA: a larger number is taken for a mistake, and would only use up memory.
constexpr unsigned kMostBodies = 65536;

// An entry for the graphs of a node that is not added yet. Inserting it later needs no memory.
GraphState::Embedded::node_type entry_for(std::vector<GraphState::Pointer> graphs) {
  GraphState::Embedded one;
  one.emplace(nullptr, std::move(graphs));
  return one.extract(one.begin());
}

void put_embedded(GraphState* state, CUgraphNode node,
                  GraphState::Embedded::node_type entry) noexcept {
  entry.key() = node;
  state->embedded.insert(std::move(entry));
}

// Whether the graph is in the node, at any depth, as far as this library knows.
bool is_inside(const GraphState& parent, CUgraphNode node, const GraphState* graph) {
  const auto found = parent.embedded.find(node);
  if (found == parent.embedded.end()) return false;
  for (const GraphState::Pointer& inner : found->second) {
    if (inner.get() == graph || inner->graph.load() == graph->graph.load()) return true;
    for (const auto& deeper : inner->embedded) {
      if (is_inside(*inner, deeper.first, graph)) return true;
    }
  }
  return false;
}

CUresult inner_graph(CUgraphNode node, CUgraph* out) noexcept {
  return answered("cuGraphChildGraphNodeGetGraph", api::cuGraphChildGraphNodeGetGraph(node, out));
}

CUresult check(const ConditionalNode& node) noexcept {
  const char* wrong = nullptr;
  bool newer = false;
  switch (node.kind) {
    case ConditionalKind::if_else:
      if (node.bodies != 1 && node.bodies != 2) wrong = "an if has one body, or two with an else";
      newer = node.bodies == 2;
      break;
    case ConditionalKind::while_loop:
      if (node.bodies != 1) wrong = "a while has one body";
      break;
    case ConditionalKind::switch_case:
      if (node.bodies == 0 || node.bodies > kMostBodies) wrong = "a switch has 1 to 65536 bodies";
      newer = true;
      break;
    default:
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "conditional node: %u is not a ConditionalKind; use if_else, while_loop or "
                  "switch_case",
                  static_cast<unsigned>(node.kind));
  }
  if (wrong != nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE, "conditional node: %s, not %u", wrong, node.bodies);
  }
  return need(newer ? "cuGraphAddNode with an else or a switch" : "cuGraphConditionalHandleCreate");
}

unsigned type_of(ConditionalKind kind) noexcept {
  if (kind == ConditionalKind::if_else) return api::CU_GRAPH_COND_TYPE_IF;
  if (kind == ConditionalKind::while_loop) return api::CU_GRAPH_COND_TYPE_WHILE;
  return api::CU_GRAPH_COND_TYPE_SWITCH;
}

}  // namespace

CUresult add_child(const GraphView& graph, const Dependencies& after, const GraphView& child,
                   CUgraphNode* out, GraphView* embedded) {
  return entry([&] {
    GraphState* const source = usable(child, "the child graph");
    if (source == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = prune_destroyed_nodes(source);
    if (result != CUDA_SUCCESS) return result;
    GraphState::Pointer copy = reserve_clone_state(*source, GraphState::Place::in_node);
    auto place = entry_for({copy});
    CUgraphNode node = nullptr;
    result = add_node(graph, after, {}, &node, [&](CUgraph to, CUgraphNode* made) {
      const CUresult added =
          answered("cuGraphAddChildGraphNode",
                   api::cuGraphAddChildGraphNode(made, to, after.nodes(), after.count(),
                                                 source->graph.load()));
      if (added != CUDA_SUCCESS) return added;
      CUgraph inner = nullptr;
      const CUresult asked = inner_graph(*made, &inner);
      if (asked != CUDA_SUCCESS) return take_out(asked, made);
      try {
        populate_clone(copy.get(), *source, inner);
      } catch (...) {
        take_out(asked, made);
        if (*made == nullptr) throw;
        // The driver keeps the node (a capture refuses to destroy it): it stays, and nothing is
        // known about the graphs in the child.
        copy->embedded.clear();
      }
      return asked;
    });
    if (result != CUDA_SUCCESS) return result;
    put_embedded(GraphState::of(graph).get(), node, std::move(place));
    if (out != nullptr) *out = node;
    if (embedded != nullptr) *embedded = GraphState::view(std::move(copy));
    return CUDA_SUCCESS;
  });
}

CUresult set_child(const GraphView& graph, CUgraphNode node, const GraphView& child,
                   GraphView* embedded) {
  return entry([&] {
    GraphState* const source = usable(child, "the child graph");
    GraphState* const state = usable(graph);
    if (source == nullptr || state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = need("cuGraphNodeSetParams");
    if (result == CUDA_SUCCESS) result = check_node(state, node);
    if (result != CUDA_SUCCESS) return result;
    if (is_inside(*state, node, source)) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "the child graph is in this node, and would be destroyed. Clone it first");
    }
    result = prune_destroyed_nodes(source);
    if (result != CUDA_SUCCESS) return result;
    GraphState::Pointer copy = reserve_clone_state(*source, GraphState::Place::in_node);
    auto place = entry_for({copy});
    api::CUgraphNodeParams_st parameters{};
    parameters.type = api::CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = source->graph.load();
    result = answered("cuGraphNodeSetParams", api::cuGraphNodeSetParams(node, &parameters));
    if (result == CUDA_ERROR_NOT_SUPPORTED) {
      return fail(result,
                  "the driver replaces no child of a graph with memory nodes, and embeds no graph "
                  "with memory or conditional nodes (cuGraphNodeSetParams). Make a new graph");
    }
    if (result != CUDA_SUCCESS) return result;
    state->forget_embedded(node);
    CUgraph inner = nullptr;
    // The node has its new child from here on. If the driver does not name it, or memory runs out,
    // nothing is known about the child, as of one that a raw call has added.
    if (api::cuGraphChildGraphNodeGetGraph(node, &inner) != api::CUDA_SUCCESS) {
      if (embedded != nullptr) *embedded = GraphView();
      return result;
    }
    try {
      populate_clone(copy.get(), *source, inner);
    } catch (const std::bad_alloc&) {
      copy->embedded.clear();
    }
    put_embedded(state, node, std::move(place));
    if (embedded != nullptr) *embedded = GraphState::view(std::move(copy));
    return result;
  });
}

CUresult child_graph(const GraphView& graph, CUgraphNode node, GraphView* out) {
  return entry([&] {
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    CUresult result = check_node(state, node);
    if (result != CUDA_SUCCESS) return result;
    CUgraph inner = nullptr;
    result = inner_graph(node, &inner);
    if (result != CUDA_SUCCESS) return result;
    GraphState::Pointer child = known_child(state, node, inner);
    if (child == nullptr) {
      child = std::make_shared<GraphState>(inner, GraphState::Place::in_node);
      auto place = entry_for({child});
      child->id = id_of_graph(inner);
      put_embedded(state, node, std::move(place));
    } else if (child->id == 0 && state->handed_out.load()) {
      result = prune_destroyed_nodes(child.get());
      if (result != CUDA_SUCCESS) return result;
    }
    *out = GraphState::view(std::move(child));
    return CUDA_SUCCESS;
  });
}

CUresult create_conditional(const GraphView& graph, unsigned default_value, bool assign_at_launch,
                            std::uint64_t* handle) {
  return entry([&] {
    const GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (handle == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "handle is null");
    CUresult result = need("cuGraphConditionalHandleCreate");
    if (result != CUDA_SUCCESS) return result;
    unsigned long made = 0;
    const auto flags = static_cast<unsigned>(api::CU_GRAPH_COND_ASSIGN_DEFAULT);
    result = answered(
        "cuGraphConditionalHandleCreate",
        api::cuGraphConditionalHandleCreate(&made, state->graph.load(), context_or_current(nullptr),
                                            default_value, assign_at_launch ? flags : 0));
    if (result == CUDA_SUCCESS) *handle = made;
    return result;
  });
}

CUresult add_conditional(const GraphView& graph, const Dependencies& after,
                         const ConditionalNode& node, CUgraphNode* out,
                         std::vector<GraphView>* bodies) {
  return entry([&] {
    CUresult result = check(node);
    if (result != CUDA_SUCCESS) return result;
    std::vector<GraphState::Pointer> states(node.bodies);
    std::vector<GraphView> views;
    views.reserve(node.bodies);
    for (GraphState::Pointer& state : states) {
      state = std::make_shared<GraphState>(nullptr, GraphState::Place::in_node);
      views.push_back(GraphState::view(state));
    }
    auto place = entry_for(states);
    api::CUgraphNodeParams_st parameters{};
    parameters.type = api::CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional.handle = node.handle;
    parameters.conditional.type = type_of(node.kind);
    parameters.conditional.size = node.bodies;
    parameters.conditional.ctx = context_or_current(node.context);
    CUgraphNode added = nullptr;
    result = add_node(graph, after, {}, &added, [&](CUgraph to, CUgraphNode* made) {
      const CUresult answer =
          answered("cuGraphAddNode",
                   api::cuGraphAddNode(made, to, after.nodes(), after.count(), &parameters));
      if (answer != CUDA_SUCCESS || parameters.conditional.phGraph_out != nullptr) return answer;
      return take_out(
          fail(CUDA_ERROR_UNKNOWN, "cuGraphAddNode returned no graphs for the node's bodies"),
          made);
    });
    if (result != CUDA_SUCCESS) return result;
    states[0]->id = id_of_node(added);
    for (unsigned body = 0; body < node.bodies; ++body) {
      states[body]->graph.store(parameters.conditional.phGraph_out[body]);
    }
    put_embedded(GraphState::of(graph).get(), added, std::move(place));
    if (out != nullptr) *out = added;
    if (bodies != nullptr) *bodies = std::move(views);
    return CUDA_SUCCESS;
  });
}

CUresult conditional_bodies(const GraphView& graph, CUgraphNode node, std::vector<GraphView>* out) {
  return entry([&] {
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    const CUresult result = check_node(state, node);
    if (result != CUDA_SUCCESS) return result;
    if (!bodies_are_there(state, node)) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "the node is not a conditional node that was added through this library");
    }
    std::vector<GraphView> views;
    for (const GraphState::Pointer& body : state->embedded[node]) {
      views.push_back(GraphState::view(body));
    }
    *out = std::move(views);
    return CUDA_SUCCESS;
  });
}

}  // namespace anycuda::graph
