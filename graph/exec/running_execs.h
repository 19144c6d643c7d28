// SPDX-License-Identifier: Apache-2.0

// Executable graphs with host nodes are destroyed when their last launch has ended.
//
// A driver frees an executable graph that is destroyed while a launch of it runs when that launch
// has completed (CUDA Driver API, cuGraphExecDestroy). Driver 580.159.04 then uses memory that it
// has freed, where the graph has host nodes: its own thread crashes, hangs or ends the process
// (measured with driver calls alone: docs/graph.md). So such an executable graph waits here. It
// cannot be waited for in destroy(): a host node may need a lock that the caller holds.
//
// Driver 580.159.04 also damages memory if one thread destroys an executable graph while another
// thread uses the graph from which it was instantiated, a graph in a node of it, or a clone
// (measured with driver calls alone: docs/graph.md). So an executable graph that waits is destroyed
// on the thread that called destroy(), or on any thread once its graphs are destroyed.
#pragma once

#include <memory>
#include <vector>

#include "graph/exec/launch_end.h"
#include "graph/later.h"

namespace anycuda::graph {

class ExecOwners;
struct GraphState;

struct RunningExec : Later {
  using Graph = std::shared_ptr<GraphState>;

  CUgraphExec exec = nullptr;
  // From which it was instantiated and updated.
  std::vector<Graph> graphs;
  std::shared_ptr<ExecOwners> owners;
  LaunchEnd end;

  // Throws std::bad_alloc.
  void add_graph(const Graph& graph);
  // Destroys it if the launch has ended. If the driver does not tell, since the launch's context is
  // destroyed, the executable graph went with the context, and is left alone.
  bool done(bool others_run) noexcept override;
};

// Whether the graph, or a graph in a child node of it, has host nodes. True if the driver does
// not tell. The bodies of conditional nodes have none (CUDA Driver API, cuGraphAddNode). Throws
// std::bad_alloc.
bool has_host_nodes(CUgraph graph);

}  // namespace anycuda::graph
