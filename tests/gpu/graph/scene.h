// SPDX-License-Identifier: Apache-2.0

// The objects of an operation of faults.cc, and what it may leave behind.
#pragma once

#include "graph/kinds.h"

namespace gputest {

// Made anew for each call that fails.
struct Scene {
  explicit Scene(Check& check);

  // What was there before.
  Life before;       // of `node`
  Life others;       // of the node in `other`
  Life childs;       // of the node in the child graph
  Graph graph;       // `node`, a kernel; `host`; `child_node`; an allocation
  Graph other;       // one kernel with other owners
  Graph same_shape;  // what `exec` can be updated from
  Exec exec;         // of `updated`
  Graph updated;
  CUgraphNode node = nullptr;
  CUgraphNode host = nullptr;
  CUgraphNode child_node = nullptr;
  CUgraphNode allocation = nullptr;
  CUgraphNode in_exec = nullptr;       // a kernel
  CUgraphNode host_in_exec = nullptr;  // a callback
  CUgraphNode child_in_exec = nullptr;
  MemAllocNode block;
  std::uint64_t handle = 0;
  Stream stream;
  Stream second;
  Event event;
  Capture capture;

  // The arguments of the operation; the owner is this scene's until the operation ends.
  Life life;
  OpaqueHandle owner;
  Add add{scratch(0), scratch(1), 1};
  KernelNode kernel;
  MemcpyNode memcpy;
  MemsetNode memset;
  HostNode closure;
  HostNode copied;
  EventNode at;
  ConditionalNode conditional;
  void forget_parameters();  // nothing here holds the owner any more

  // What it gives.
  CUgraphNode out = nullptr;
  Graph out_graph;
  GraphView out_view;
  Exec out_exec;
  Capture out_capture;
  std::vector<GraphView> out_views;
  MemAllocNode out_block;
  std::uint64_t out_handle = 0;
  Buffer out_buffer;
  Kernel out_kernel;
  Event out_event;
  bool gave_something() const;
};

}  // namespace gputest
