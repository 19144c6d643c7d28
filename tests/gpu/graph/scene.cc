// SPDX-License-Identifier: Apache-2.0
#include "graph/scene.h"

namespace gputest {

namespace {

void nothing(void*) {}

CUresult two_nodes(Graph* graph, CUgraphNode* kernel, CUgraphNode* host) {
  Add add(scratch(2), scratch(3), 1);
  HostNode callback;
  callback.call = [] {};
  CUresult status = Graph::create(graph);
  if (status == CUDA_SUCCESS) status = add_kernel(*graph, {}, add.node(), kernel);
  return status == CUDA_SUCCESS ? add_host(*graph, {*kernel}, callback, host) : status;
}

}  // namespace

Scene::Scene(Check& check) {
  CALL(check, Graph::create(&graph));
  CALL(check, kinds()[1].add(graph, before.owner(), &node));
  HostNode callback;
  callback.function = nothing;
  CALL(check, add_host(graph, {}, callback, &host));
  block.bytes = kBytes;
  Graph child;
  CUgraphNode inner = nullptr;
  CALL(check, Graph::create(&child));
  CALL(check, kinds()[0].add(child, childs.owner(), &inner));
  CALL(check, add_child(graph, {}, child, &child_node));
  CALL(check, Graph::create(&other));
  CALL(check, kinds()[1].add(other, others.owner(), &inner));
  CALL(check, two_nodes(&updated, &in_exec, &host_in_exec));
  CALL(check, add_child(updated, {}, child, &child_in_exec));
  CALL(check, Exec::instantiate(updated, &exec));
  CUgraphNode unused[2] = {};
  CALL(check, two_nodes(&same_shape, &unused[0], &unused[1]));
  CALL(check, add_child(same_shape, {}, child, &unused[0]));
  CALL(check, Event::create(CU_EVENT_DISABLE_TIMING, &event));

  owner = life.owner();
  kernel = add.node();
  kernel.argument_owner = owner;
  memcpy.destination.buffer = Buffer::wrap(scratch(0), kBytes, owner);
  memcpy.source.buffer = Buffer::wrap(scratch(1), kBytes, owner);
  memcpy.width = kBytes;
  memset.destination.buffer = Buffer::wrap(scratch(0), kBytes, owner);
  memset.width = kBytes;
  closure.call = [kept = owner] {};
  copied.function = nothing;
  copied.data = "data";
  copied.copy_data = true;
  copied.data_size = 5;
  copied.function_owner = owner;
  at.event = Event::wrap(event.event(), owner);
  out_block.bytes = kBytes;
  conditional.kind = ConditionalKind::switch_case;
  conditional.bodies = 3;
}

void Scene::forget_parameters() {
  kernel = KernelNode();
  memcpy = MemcpyNode();
  memset = MemsetNode();
  closure = HostNode();
  copied = HostNode();
  at = EventNode();
  owner.reset();
}

bool Scene::gave_something() const {
  return out != nullptr || out_graph.get() != nullptr || out_view.get() != nullptr ||
         out_exec.get() != nullptr || out_capture.stream() != nullptr || !out_views.empty() ||
         out_block.address != 0 || out_handle != 0 || out_buffer || out_kernel || out_event;
}

}  // namespace gputest
