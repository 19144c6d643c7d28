// SPDX-License-Identifier: Apache-2.0
#include "graph/identity.h"

#include "graph/driver_support.h"

namespace anycuda::graph {
namespace {

// Whether the driver has both functions (CUDA 13.1 or later). They are not in the rows of
// driver.cc: a driver without them is not an error, and need() stays fast on drivers that lack only
// these.
bool has_ids() noexcept { return driver_version() >= 13010; }

}  // namespace

std::uint64_t id_of_graph(CUgraph graph) noexcept {
  unsigned id = 0;
  if (!has_ids() || api::cuGraphGetId(graph, &id) != api::CUDA_SUCCESS) return 0;
  return std::uint64_t{id} + 1;  // the first may be 0
}

std::uint64_t id_of_node(CUgraphNode node) noexcept {
  unsigned long long id = 0;
  if (!has_ids() || api::cuGraphNodeGetToolsId(node, &id) != api::CUDA_SUCCESS) return 0;
  return id + 1;
}

GraphState::Pointer known_child(GraphState* parent, CUgraphNode node, CUgraph address) noexcept {
  const auto found = parent->embedded.find(node);
  if (found == parent->embedded.end()) return nullptr;
  GraphState::Pointer known = found->second.front();
  const std::uint64_t id = id_of_graph(address);
  if (known->graph.load() != address || known->id != id) {
    parent->forget_embedded(node);
    return nullptr;
  }
  if (id == 0 && parent->handed_out.load()) known->table.doubt_all();
  return known;
}

bool bodies_are_there(GraphState* parent, CUgraphNode node) noexcept {
  const auto found = parent->embedded.find(node);
  if (found == parent->embedded.end()) return false;
  unsigned type = 0;
  const bool same = api::cuGraphNodeGetType(node, &type) == api::CUDA_SUCCESS &&
                    type == api::CU_GRAPH_NODE_TYPE_CONDITIONAL &&
                    found->second.front()->id == id_of_node(node);
  if (!same) parent->forget_embedded(node);
  return same;
}

}  // namespace anycuda::graph
