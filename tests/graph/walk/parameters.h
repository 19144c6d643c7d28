// SPDX-License-Identifier: Apache-2.0

// The parameters of each kind of node that has parameters, with owners.
#pragma once

#include "tests/graph/walk/walker.h"

namespace walk {

struct Parameters {
  Parameters() = default;
  Parameters(const Parameters&) = delete;  // `arguments` points into it
  Parameters& operator=(const Parameters&) = delete;

  Kind kind = Kind::empty;
  std::array<Token, kOwnerRoles> owners;  // in the owners that the library's helpers use
  KernelNode kernel;
  MemcpyNode memcpy;
  MemsetNode memset;
  HostNode host;
  EventNode event;

  CUresult add(const GraphView& graph, const Dependencies& after, CUgraphNode* out) const;
  CUresult set(const GraphView& graph, CUgraphNode node) const;
  CUresult set(Exec* exec, CUgraphNode node) const;

  CUdeviceptr to = 0, from = 0;
  int value = 1, count = 1;
  void* arguments[4] = {&to, &from, &value, &count};
};

}  // namespace walk
