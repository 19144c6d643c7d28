// SPDX-License-Identifier: Apache-2.0

// New parameters, in the definition and in an executable graph, also while a launch runs.
#include "graph/kinds.h"
#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

void exec_parameters() {
  Check check("executable: set_kernel while a launch runs");
  Life old;
  Life newer;
  Waiting waiting(check, &old);
  Add add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 200, &newer);
  waiting.launch();
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  parameters = KernelNode();
  CALL(check, waiting.graph.destroy());
  settle();
  EXPECT(check, old.alive() && newer.alive());
  EXPECT(check, waiting.running());
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 101));  // the launch that ran used the old ones
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 201));
  EXPECT(check, old.alive());  // the executable keeps what it may still use
  CALL(check, waiting.exec.destroy());
  EXPECT(check, eventually([&] { return old.freed() == 1 && newer.freed() == 1; }));
}

void definition_parameters() {
  Check check("definition: set_kernel while a launch runs");
  Life old;
  Life newer;
  Waiting waiting(check, &old);
  Add add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 200, &newer);
  waiting.launch();
  CALL(check, set_kernel(waiting.graph, waiting.node, parameters));
  parameters = KernelNode();
  settle();
  EXPECT(check, old.alive() && newer.alive());
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 101));
  CALL(check, waiting.exec.destroy());
  EXPECT(check, eventually([&] { return old.freed() == 1; }));
  EXPECT(check, newer.alive());
  CALL(check, Exec::instantiate(waiting.graph, &waiting.exec));
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 201));
  CALL(check, waiting.exec.destroy());
  CALL(check, waiting.graph.destroy());
  EXPECT(check, eventually([&] { return newer.freed() == 1; }));
}

void whole_update() {
  Check check("executable: update() by another graph while a launch runs");
  Life old;
  Life set;
  Life newest;
  Waiting waiting(check, &old);
  Add add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 150, &set);
  Graph other;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&other));
  CALL(check, add_kernel(other, {}, waiting.spin.node(), &node));
  Add newest_add(0, 0, 0);
  CALL(check, add_kernel(other, {node}, waiting.parameters(newest_add, 300, &newest), &node));
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  parameters = KernelNode();
  CALL(check, waiting.graph.destroy());
  waiting.launch();
  CALL(check, waiting.exec.update(other));
  CALL(check, other.destroy());
  settle();
  EXPECT(check, waiting.running());
  EXPECT(check, set.alive());  // the launch works with it
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 151));
  EXPECT(check, eventually([&] { return old.freed() == 1 && set.freed() == 1; }));
  EXPECT(check, newest.alive());
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 301));
  CALL(check, waiting.exec.destroy());
  EXPECT(check, eventually([&] { return newest.freed() == 1; }));
}

void refused_update() {
  Check check("executable: an update that the driver refuses changes nothing");
  Life old;
  Life set;
  Life other_life;
  Waiting waiting(check, &old);
  Add add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 150, &set);
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  parameters = KernelNode();
  Graph other;  // of another shape
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&other));
  CALL(check, kinds()[0].add(other, other_life.owner(), &node));
  CUgraphNode in_the_way = nullptr;
  int result = 0;
  EXPECT(check, waiting.exec.update(other, &in_the_way, &result) != CUDA_SUCCESS);
  EXPECT(check, result != 0);
  CALL(check, other.destroy());
  EXPECT(check, eventually([&] { return other_life.freed() == 1; }));
  CALL(check, waiting.graph.destroy());
  settle();
  EXPECT(check, old.alive() && set.alive());
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 151));
  CALL(check, waiting.exec.destroy());
  EXPECT(check, eventually([&] { return old.freed() == 1 && set.freed() == 1; }));
}

void refused_parameters() {
  Check check("executable: a failed update of a node adds no owner");
  Life old;
  Life life;
  Waiting waiting(check, &old);
  Add add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 1, &life);
  parameters.block[0] = 1U << 20;  // no GPU has such blocks
  EXPECT(check, waiting.exec.set_kernel(waiting.node, parameters) != CUDA_SUCCESS);
  EXPECT(check, set_kernel(waiting.graph, waiting.node, parameters) != CUDA_SUCCESS);
  // Nor does one that names another kind of node.
  MemsetNode memset;
  memset.destination.buffer = Buffer::wrap(scratch(0), kBytes, parameters.argument_owner);
  memset.width = kBytes;
  EXPECT(check, waiting.exec.set_memset(waiting.node, memset) != CUDA_SUCCESS);
  memset = MemsetNode();
  parameters = KernelNode();
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
  EXPECT(check, old.alive());
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 101));
}

}  // namespace

void updates() {
  exec_parameters();
  definition_parameters();
  whole_update();
  refused_update();
  refused_parameters();
}

}  // namespace gputest
