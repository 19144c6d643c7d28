// SPDX-License-Identifier: Apache-2.0

// Every way in which a node can own something.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/fixture.h"

namespace gputest {

struct Kind {
  std::string name;
  // Where CUDA lets such a node be (CUDA Driver API, cuGraphClone, cuGraphAddChildGraphNode,
  // cuGraphAddNode: conditional nodes).
  bool in_clone_and_child = true;
  bool in_body = true;
  // cuGraphDestroyNode (driver 580) refuses nodes that allocate or free.
  bool removable = true;
  // Adds a node that owns `owner` to a graph, and nothing else that owns anything.
  std::function<CUresult(const GraphView& graph, const OpaqueHandle& owner, CUgraphNode* out)> add;
};

const std::vector<Kind>& kinds();

// A conditional node, and its bodies.
struct Conditional {
  CUgraphNode node = nullptr;
  std::uint64_t handle = 0;
  std::vector<GraphView> bodies;
};
CUresult add_conditional(const GraphView& graph, ConditionalKind kind, unsigned bodies,
                         unsigned at_launch, Conditional* out);

}  // namespace gputest
