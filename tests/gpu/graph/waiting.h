// SPDX-License-Identifier: Apache-2.0

// A launch that runs until the topic ends it.
#pragma once

#include "graph/fixture.h"

namespace gputest {

// A kernel that waits, and after it one that writes `value` into `out` through a new buffer.
struct Waiting {
  explicit Waiting(Check& check, Life* life) : check_(check) {
    CALL(check, Graph::create(&graph));
    CALL(check, add_kernel(graph, {}, spin.node(), &first));
    Add add(0, 0, 0);
    CALL(check, add_kernel(graph, {first}, parameters(add, 100, life), &node));
    CALL(check, Exec::instantiate(graph, &exec));
  }
  // in: a new buffer full of `value`, held only by the node; `life` counts its release.
  KernelNode parameters(Add& add, int value, Life* life) {
    Buffer in = filled(value);
    add = Add(out.address(), in.address(), 1);
    KernelNode node = add.node();
    node.argument_owner = life->owner(in.allocation());
    return node;
  }
  void launch() {
    spin.again();
    CALL(check_, exec.launch(stream));
    EXPECT(check_, spin.wait_until_running());
  }
  void finish() {
    spin.release();
    DRIVER(check_, stream.wait());
  }
  bool running() { return cuStreamQuery(stream) == CUDA_ERROR_NOT_READY; }

  Check& check_;
  Stream stream;
  Spin spin;
  Buffer out = filled(0);
  Graph graph;
  Exec exec;
  CUgraphNode first = nullptr;
  CUgraphNode node = nullptr;
};

}  // namespace gputest
