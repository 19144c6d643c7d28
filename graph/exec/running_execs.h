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
// thread uses a graph of the same origin (measured with driver calls alone: docs/gpu.md). So the
// executable graph is destroyed by the thread that called destroy(), as it would be without this
// library; after that thread has ended, by drain() on any thread, which the program calls where it
// suits (later.h).
#pragma once

#include <memory>

#include "graph/exec/launch_end.h"
#include "graph/later.h"

namespace anycuda::graph {

class ExecOwners;

struct RunningExec : Later {
  CUgraphExec exec = nullptr;
  std::shared_ptr<ExecOwners> owners;
  LaunchEnd end;

  // Destroys it if the launch has ended. If the driver does not tell, since the launch's context is
  // destroyed, the executable graph went with the context, and is left alone.
  bool done() noexcept override;
};

// Whether the graph, or a graph in a child node of it, has host nodes. True if the driver does
// not tell. The bodies of conditional nodes have none (CUDA Driver API, cuGraphAddNode). Throws
// std::bad_alloc.
bool has_host_nodes(CUgraph graph);

}  // namespace anycuda::graph
