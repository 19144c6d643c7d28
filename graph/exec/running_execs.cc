// SPDX-License-Identifier: Apache-2.0
#include "graph/exec/running_execs.h"

#include <vector>

#include "graph/failures/releases.h"
#include "graph/graph_state.h"
#include "graph/scopes.h"

namespace anycuda::graph {

bool RunningExec::done() noexcept {
  const LaunchEnd::State state = end.state();
  if (state == LaunchEnd::State::running) return false;
  const InContext current(end.context);
  if (state == LaunchEnd::State::ended) {
    check_release("cuGraphExecDestroy", api::cuGraphExecDestroy(exec));
  }
  return true;
}

bool has_host_nodes(CUgraph graph) {
  std::vector<CUgraphNode> nodes;
  if (nodes_of(graph, &nodes) != CUDA_SUCCESS) return true;
  for (CUgraphNode node : nodes) {
    unsigned type = 0;
    if (api::cuGraphNodeGetType(node, &type) != api::CUDA_SUCCESS) return true;
    if (type == api::CU_GRAPH_NODE_TYPE_HOST) return true;
    if (type != api::CU_GRAPH_NODE_TYPE_GRAPH) continue;
    CUgraph inner = nullptr;
    if (api::cuGraphChildGraphNodeGetGraph(node, &inner) != api::CUDA_SUCCESS) return true;
    if (has_host_nodes(inner)) return true;
  }
  return false;
}

}  // namespace anycuda::graph
