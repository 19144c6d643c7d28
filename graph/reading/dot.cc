// SPDX-License-Identifier: Apache-2.0

// A picture of a graph in DOT.
#include <map>
#include <string>

#include "graph/identity.h"
#include "graph/kernel/attributes.h"
#include "graph/reading/edges.h"
#include "graph/reading/read_graph.h"

namespace anycuda::graph {
namespace {

const char* kind_of(unsigned type) {
  switch (type) {
    case api::CU_GRAPH_NODE_TYPE_KERNEL:
      return "kernel";
    case api::CU_GRAPH_NODE_TYPE_MEMCPY:
      return "memcpy";
    case api::CU_GRAPH_NODE_TYPE_MEMSET:
      return "memset";
    case api::CU_GRAPH_NODE_TYPE_HOST:
      return "host";
    case api::CU_GRAPH_NODE_TYPE_GRAPH:
      return "child";
    case api::CU_GRAPH_NODE_TYPE_EMPTY:
      return "empty";
    case api::CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return "event wait";
    case api::CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return "event record";
    case api::CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return "memory allocation";
    case api::CU_GRAPH_NODE_TYPE_MEM_FREE:
      return "memory free";
    case api::CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return "conditional";
    default:
      return "another kind";
  }
}

// The name of a role depends on the node's kind (OwnerRole).
const char* role_of(unsigned type, unsigned role) {
  if (role == 2) return "extra";
  if (role == 3) return "more";
  switch (type) {
    case api::CU_GRAPH_NODE_TYPE_KERNEL:
      return role == 0 ? "code" : "arguments";
    case api::CU_GRAPH_NODE_TYPE_MEMCPY:
    case api::CU_GRAPH_NODE_TYPE_MEMSET:
      return role == 0 ? "destination" : "source";
    case api::CU_GRAPH_NODE_TYPE_HOST:
      return role == 0 ? "callback" : "data";
    case api::CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case api::CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return role == 0 ? "event" : "role 1";
    default:
      return role == 0 ? "role 0" : "role 1";
  }
}

std::string sides(unsigned x, unsigned y, unsigned z) {
  return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
}

std::string describe_attributes(CUgraphNode node) {
  const LaunchAttributes is = attributes_of(node);
  const Dim3& cluster = is.cluster;
  std::string text;
  if (cluster[0] * cluster[1] * cluster[2] != 1) {
    text += "\\nclusters of " + sides(cluster[0], cluster[1], cluster[2]) + " blocks";
  }
  if (is.cooperative) text += "\\ncooperative";
  if (is.priority) text += "\\npriority " + std::to_string(*is.priority);
  return text;
}

// The kernel's name, grid, block and launch attributes, as far as the driver tells them.
std::string describe_kernel(CUgraphNode node) {
  api::CUDA_KERNEL_NODE_PARAMS_st is{};
  if (api::cuGraphKernelNodeGetParams(node, &is) != api::CUDA_SUCCESS) return "";
  std::string text;
  const char* name = nullptr;
  if (driver_version() >= 12030 && api::cuFuncGetName(&name, is.func) == api::CUDA_SUCCESS &&
      name != nullptr) {
    text = std::string("\\n") + name;
  }
  return text + "\\n" + sides(is.gridDimX, is.gridDimY, is.gridDimZ) + " blocks of " +
         sides(is.blockDimX, is.blockDimY, is.blockDimZ) + describe_attributes(node);
}

class Picture {
 public:
  CUresult draw(GraphState* state) {
    std::vector<CUgraphNode> nodes;
    CUresult result = nodes_of(state->graph.load(), &nodes);
    for (std::size_t at = 0; result == CUDA_SUCCESS && at < nodes.size(); ++at) {
      result = draw_node(state, nodes[at]);
    }
    std::vector<Edge> edges;
    if (result == CUDA_SUCCESS) result = edges_of(state->graph.load(), &edges);
    for (const Edge& edge : edges) {
      line(name_of_node(edge.from) + " -> " + name_of_node(edge.to) +
           (edge.type == 0 ? ";" : " [style=dashed];"));
    }
    return result;
  }

  std::string text() const { return "digraph {\n" + text_ + "}\n"; }

 private:
  void line(const std::string& text) { text_.append(2 * depth_, ' ').append(text).append("\n"); }

  std::string name_of_node(CUgraphNode node) {
    return "n" + std::to_string(numbers_.emplace(node, numbers_.size()).first->second);
  }

  CUresult draw_node(GraphState* state, CUgraphNode node) {
    unsigned type = 0;
    const CUresult result = answered("cuGraphNodeGetType", api::cuGraphNodeGetType(node, &type));
    if (result != CUDA_SUCCESS) return result;
    std::string label = kind_of(type);
    if (type == api::CU_GRAPH_NODE_TYPE_KERNEL) label += describe_kernel(node);
    std::string owners;
    if (const Attachment* const attachment = state->table.find(node)) {
      const Owners all = attachment->owners();
      for (unsigned role = 0; role < kOwnerRoles; ++role) {
        if (all[role] == nullptr) continue;
        owners += (owners.empty() ? "" : ", ") + std::string(role_of(type, role));
      }
    }
    if (!owners.empty()) label += "\\nowners: " + owners;
    line(name_of_node(node) + " [shape=box, label=\"" + label + "\"];");
    if (type == api::CU_GRAPH_NODE_TYPE_GRAPH) return draw_child(state, node);
    if (type == api::CU_GRAPH_NODE_TYPE_CONDITIONAL && bodies_are_there(state, node)) {
      const std::vector<GraphState::Pointer> bodies = state->embedded[node];
      for (std::size_t body = 0; body < bodies.size(); ++body) {
        const CUresult drawn = draw_inner(bodies[body].get(), node, "body " + std::to_string(body));
        if (drawn != CUDA_SUCCESS) return drawn;
      }
    }
    return CUDA_SUCCESS;
  }

  CUresult draw_child(GraphState* state, CUgraphNode node) {
    CUgraph inner = nullptr;
    const CUresult result =
        answered("cuGraphChildGraphNodeGetGraph", api::cuGraphChildGraphNodeGetGraph(node, &inner));
    if (result != CUDA_SUCCESS) return result;
    const auto known = state->embedded.find(node);
    if (known != state->embedded.end() && known->second.size() == 1 &&
        known->second.front()->graph.load() == inner) {
      return draw_inner(known->second.front().get(), node, "child");
    }
    GraphState unknown(inner, GraphState::Place::in_node);
    return draw_inner(&unknown, node, "child");
  }

  CUresult draw_inner(GraphState* inner, CUgraphNode node, const std::string& label) {
    line("subgraph cluster_" + std::to_string(++clusters_) + " {");
    ++depth_;
    line("label=\"" + label + " of " + name_of_node(node) + "\";");
    const CUresult result = draw(inner);
    --depth_;
    line("}");
    return result;
  }

  std::string text_;
  std::map<CUgraphNode, std::size_t> numbers_;
  std::size_t clusters_ = 0;
  std::size_t depth_ = 1;
};

}  // namespace

CUresult graph_dot(const GraphView& graph, std::string* out) {
  return read_graph(graph, out, [](GraphState* state, std::string* text) {
    Picture picture;
    const CUresult result = picture.draw(state);
    *text = picture.text();
    return result;
  });
}

}  // namespace anycuda::graph
