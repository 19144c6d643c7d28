// SPDX-License-Identifier: Apache-2.0

// Each driver call of each operation fails once, and so does each allocation: the operation returns
// an error and leaves everything as it was, no node, no owner, nothing held; or it succeeds without
// it.
#include <algorithm>
#include <new>

#include "graph/gate.h"
#include "graph/scene.h"
#include "graph/topics.h"

namespace gputest {

namespace {

struct Operation {
  const char* name;
  CUresult (*run)(Scene& scene);
  void (*before)(Check& check, Scene& scene) = nullptr;
  // The owner may be kept although there was an error: a node that was captured cannot be removed.
  bool may_keep = false;
};

void with_conditional(Check& check, Scene& scene) {
  CALL(check, create_conditional(scene.graph, 0, true, &scene.handle));
  scene.conditional.handle = scene.handle;
}
void with_conditional_node(Check& check, Scene& scene) {
  with_conditional(check, scene);
  std::vector<GraphView> bodies;
  CALL(check, add_conditional(scene.graph, {}, scene.conditional, &scene.allocation, &bodies));
}
void with_allocation(Check& check, Scene& scene) {
  CALL(check, add_mem_alloc(scene.graph, {}, &scene.block, &scene.allocation));
}
void with_capture(Check& check, Scene& scene) {
  CALL(check, Capture::begin(scene.stream, CaptureMode::relaxed, &scene.capture));
  HostNode first;
  first.call = [] {};
  CALL(check, scene.capture.call(first));
}
void with_joined_stream(Check& check, Scene& scene) {
  with_capture(check, scene);
  DRIVER(check, cuEventRecord(scene.event.event(), scene.stream));
  DRIVER(check, cuStreamWaitEvent(scene.second, scene.event.event(), 0));
}

KernelNode with_values(const Scene& scene) {
  return kernel_node(shared_kernel("add"), {kCount / 64, 64}, with_owner(scratch(0), scene.owner),
                     scratch(1), 1, int{kCount});
}

KernelNode with_attributes(const Scene& scene) {
  KernelNode node = with_values(scene);
  node.attributes.cooperative = true;
  node.attributes.priority = -1;
  node.attributes.programmatic = driver_version() >= 12030;
  return node;
}

const Operation kOperations[] = {
    {"Graph::create", [](Scene& s) { return Graph::create(&s.out_graph); }},
    {"Graph::clone", [](Scene& s) { return s.graph.clone(&s.out_graph); }},
    {"GraphView::borrow", [](Scene& s) { return GraphView::borrow(s.other.get(), &s.out_view); }},
    {"add_empty", [](Scene& s) { return add_empty(s.graph, {s.node}, &s.out); }},
    {"add_kernel", [](Scene& s) { return add_kernel(s.graph, {s.node}, s.kernel, &s.out); }},
    {"add_memcpy", [](Scene& s) { return add_memcpy(s.graph, {s.node}, s.memcpy, &s.out); }},
    {"add_memset", [](Scene& s) { return add_memset(s.graph, {s.node}, s.memset, &s.out); }},
    {"add_host, closure", [](Scene& s) { return add_host(s.graph, {}, s.closure, &s.out); }},
    {"add_host, copied data", [](Scene& s) { return add_host(s.graph, {}, s.copied, &s.out); }},
    {"add_event_record", [](Scene& s) { return add_event_record(s.graph, {}, s.at, &s.out); }},
    {"add_event_wait", [](Scene& s) { return add_event_wait(s.graph, {}, s.at, &s.out); }},
    {"add_mem_alloc", [](Scene& s) { return add_mem_alloc(s.graph, {}, &s.out_block, &s.out); }},
    {"add_mem_free",
     [](Scene& s) { return add_mem_free(s.graph, {s.allocation}, s.block.address, &s.out); },
     with_allocation},
    {"add_child", [](Scene& s) { return add_child(s.graph, {}, s.other, &s.out, &s.out_view); }},
    {"create_conditional",
     [](Scene& s) { return create_conditional(s.graph, 1, true, &s.out_handle); }},
    {"add_conditional",
     [](Scene& s) { return add_conditional(s.graph, {}, s.conditional, &s.out, &s.out_views); },
     with_conditional},
    {"conditional_bodies",
     [](Scene& s) { return conditional_bodies(s.graph, s.allocation, &s.out_views); },
     with_conditional_node},
    {"child_graph", [](Scene& s) { return child_graph(s.graph, s.child_node, &s.out_view); }},
    {"graph_set_owner, a node with owners",
     [](Scene& s) { return graph_set_owner(s.graph, s.node, OwnerRole::extra, s.owner); }},
    {"graph_set_owner, a node without",
     [](Scene& s) { return graph_set_owner(s.graph, s.host, OwnerRole::extra, s.owner); }},
    {"add_kernel with values",
     [](Scene& s) { return add_kernel(s.graph, {s.node}, with_values(s), &s.out); }},
    {"set_kernel with values",
     [](Scene& s) { return set_kernel(s.graph, s.node, with_values(s)); }},
    {"Exec::set_kernel with values",
     [](Scene& s) { return s.exec.set_kernel(s.in_exec, with_values(s)); }},
    {"set_kernel", [](Scene& s) { return set_kernel(s.graph, s.node, s.kernel); }},
    {"set_host", [](Scene& s) { return set_host(s.graph, s.host, s.closure); }},
    {"add_kernel with launch attributes",
     [](Scene& s) { return add_kernel(s.graph, {s.node}, with_attributes(s), &s.out); }},
    {"set_kernel with launch attributes",
     [](Scene& s) { return set_kernel(s.graph, s.node, with_attributes(s)); }},
    {"add_dependencies",
     [](Scene& s) {
       return add_dependencies(s.graph, {{s.host, s.child_node}});
     }},
    {"set_child", [](Scene& s) { return set_child(s.graph, s.child_node, s.other, &s.out_view); }},
    {"remove_node", [](Scene& s) { return remove_node(s.graph, s.node); }},
    {"remove_node, a child", [](Scene& s) { return remove_node(s.graph, s.child_node); }},
    {"Exec::instantiate", [](Scene& s) { return Exec::instantiate(s.graph, &s.out_exec); }},
    {"Exec::set_kernel", [](Scene& s) { return s.exec.set_kernel(s.in_exec, s.kernel); }},
    {"Exec::set_host", [](Scene& s) { return s.exec.set_host(s.host_in_exec, s.closure); }},
    {"Exec::set_child", [](Scene& s) { return s.exec.set_child(s.child_in_exec, s.other); }},
    {"Exec::update", [](Scene& s) { return s.exec.update(s.same_shape); }},
    {"Exec::launch", [](Scene& s) { return s.exec.launch(s.stream); }},
    {"Capture::begin",
     [](Scene& s) { return Capture::begin(s.stream, CaptureMode::relaxed, &s.out_capture); }},
    {"Capture::begin_to_graph",
     [](Scene& s) {
       return Capture::begin_to_graph(s.stream, s.other, {}, CaptureMode::relaxed, &s.out_capture);
     }},
    {"Capture::call", [](Scene& s) { return s.capture.call(s.closure); }, with_capture, true},
    {"Capture::keep", [](Scene& s) { return s.capture.keep(s.owner); }, with_capture, true},
    {"Capture::keep_with_last",
     [](Scene& s) { return s.capture.keep_with_last(OwnerRole::extra, s.owner); }, with_capture,
     true},
    {"Capture::fork", [](Scene& s) { return s.capture.fork(s.second, &s.out_capture); },
     with_joined_stream},
    {"Capture::split", [](Scene& s) { return s.capture.split(s.second, &s.out_capture); },
     with_capture},
    {"Capture::launch", [](Scene& s) { return s.capture.launch(s.kernel); }, with_capture, true},
    {"Capture::end", [](Scene& s) { return s.capture.end(&s.out_graph); }, with_capture},
    {"Buffer::allocate", [](Scene& s) { return Buffer::allocate(kBytes, &s.out_buffer); }},
    {"Kernel::load", [](Scene& s) { return Kernel::load(kernels().data(), "add", &s.out_kernel); }},
    {"Kernel::sibling",
     [](Scene& s) { return shared_kernel("add").sibling("spin", &s.out_kernel); }},
    {"Event::create", [](Scene& s) { return Event::create(0, &s.out_event); }},
};

// Tests' own code allocates, too, in the middle of an operation: an error of the caller's.
CUresult attempt(const Operation& operation, Scene& scene) {
  try {
    return operation.run(scene);
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

// A capture goes on; whether one that was to be ended does, is the driver's matter.
void still_capturing(Check& check, const Operation& operation, Scene& scene) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (std::string(operation.name) != "Capture::end") {
    DRIVER(check, cuStreamIsCapturing(scene.stream, &status));
    EQUAL(check, status == CU_STREAM_CAPTURE_STATUS_ACTIVE, scene.capture.stream() != nullptr);
  }
  scene.capture = Capture();
  DRIVER(check, cuStreamIsCapturing(scene.stream, &status));
  EQUAL(check, status, CU_STREAM_CAPTURE_STATUS_NONE);
}

// All that was there works as before, and nothing came of the operation.
void as_before(Check& check, const Operation& operation, Scene& scene, std::size_t nodes) {
  EXPECT(check, !scene.gave_something());
  EXPECT(check, last_error()[0] != '\0');
  EQUAL(check, node_count(scene.graph), nodes);
  scene.forget_parameters();
  if (!operation.may_keep) EXPECT(check, eventually([&] { return scene.life.freed() == 1; }));
  settle();
  EXPECT(check, scene.before.alive() && scene.others.alive() && scene.childs.alive());
  EXPECT(check, graph_get_owner(scene.graph, scene.node, OwnerRole::arguments) != nullptr);
  still_capturing(check, operation, scene);
  if (scene.handle != 0 && scene.allocation == nullptr) {
    // A graph with an unused handle cannot be instantiated: run again, without the fault.
    CALL(check, operation.run(scene));
  }
  Exec probe;
  CALL(check, Exec::instantiate(scene.graph, &probe));
  CALL(check, scene.exec.launch(scene.stream));
  DRIVER(check, scene.stream.wait());
}

void count(std::vector<std::string>* names, const char* name) {
  if (std::find(names->begin(), names->end(), name) == names->end()) names->emplace_back(name);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text.empty() ? "none" : text;
}

// False when the operation made fewer calls, and so went well.
bool one_fault(Check& check, const Operation& operation, int n, std::vector<std::string>* failing,
               std::vector<std::string>* tolerated) {
  Life lives[4];
  bool failed = false;
  {
    Scene scene(check);
    if (operation.before != nullptr) operation.before(check, scene);
    if (!check) return false;
    settle();  // what waits for its release is not this operation's
    lives[0] = scene.before;
    lives[1] = scene.others;
    lives[2] = scene.childs;
    lives[3] = scene.life;
    const std::size_t nodes = node_count(scene.graph);
    fail_at(n);
    const CUresult status = attempt(operation, scene);
    const Passed passed = fail_no_more();
    failed = passed.failed != nullptr;
    check.during(failed ? std::string("failing: call ") + show(n) + ", " + passed.failed
                        : "nothing fails");
    if (failed && status != CUDA_SUCCESS) {
      count(failing, passed.failed);
      as_before(check, operation, scene, nodes);
    } else {
      if (failed) count(tolerated, passed.failed);
      EQUAL(check, status, CUDA_SUCCESS);
    }
    scene.out_capture = Capture();
    scene.capture = Capture();
    DRIVER(check, scene.stream.wait());
  }
  for (const Life& life : lives) EXPECT(check, eventually([&] { return life.freed() == 1; }));
  return failed;
}

void every_fault(const Operation& operation) {
  Check check(std::string("faults: ") + operation.name);
  std::vector<std::string> failing;
  std::vector<std::string> tolerated;
  int n = 1;
  while (n < 1000 && one_fault(check, operation, n, &failing, &tolerated) && check) ++n;
  check.detail(show(n - 1) + " faults: " + joined(failing));
  if (!tolerated.empty()) check.detail("done without: " + joined(tolerated));
}

}  // namespace

void faults() {
  shared_kernel("add");
  shared_kernel("spin");
  for (const Operation& operation : kOperations) every_fault(operation);
}

}  // namespace gputest
