// SPDX-License-Identifier: Apache-2.0

// The library's answers on any driver: one line each, "call: status sentence".
#include <cstdio>

#include "anycuda/graph/capture.h"
#include "anycuda/graph/drain.h"
#include "anycuda/graph/exec.h"
#include "anycuda/graph/graph.h"

using namespace anycuda::graph;

namespace {

void say(const char* call, CUresult status) {
  std::printf("%s: %u %s\n", call, static_cast<unsigned>(status),
              status == CUDA_SUCCESS ? "" : last_error());
}

// On the graph, or on one whose handle is never read, since no driver is installed.
void ask_about(const GraphView& view, CUgraphNode node, const OpaqueHandle& owner) {
  CUgraphNode made = nullptr;
  say("add_empty", add_empty(view, {}, &made));
  if (made != nullptr) node = made;
  say("graph_set_owner", graph_set_owner(view, node, OwnerRole::extra, owner));
  say("graph_set_owner of nothing", graph_set_owner(view, node, OwnerRole::extra, nullptr));
  say("graph_set_owner of null", graph_set_owner(view, nullptr, OwnerRole::extra, owner));
  HostNode host;
  host.function = [](void*) {};
  say("add_host", add_host(view, {}, host, nullptr));
  host.data_owner = owner;
  say("add_host with an owner", add_host(view, {}, host, nullptr));
  MemAllocNode memory;
  memory.bytes = 16;
  say("add_mem_alloc", add_mem_alloc(view, {}, &memory, nullptr));
  std::uint64_t handle = 0;
  say("create_conditional", create_conditional(view, 1, true, &handle));
  Exec exec;
  say("instantiate", Exec::instantiate(view, &exec));
  say("set_with_owners", exec.set_with_owners({owner}, [](CUgraphExec) { return CUDA_SUCCESS; }));
}

}  // namespace

// `statuses handles`: with invalid handles, on a machine without a driver.
int main(int argc, char**) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const OpaqueHandle owner = std::make_shared<int>(1);
  Graph graph;
  say("create", Graph::create(&graph));
  GraphView view;
  static_cast<void>(GraphView::borrow(reinterpret_cast<CUgraph>(0x1000), &view));
  auto* const node = reinterpret_cast<CUgraphNode>(0x2000);
  if (graph.get() != nullptr) ask_about(graph, node, owner);
  if (argc > 1) ask_about(view, node, owner);
  // Refused by the driver's version, before the driver sees the handle.
  ConditionalNode conditional;
  conditional.kind = ConditionalKind::switch_case;
  if (argc == 1) {
    say("add_conditional", add_conditional(view, {}, conditional, nullptr, nullptr));
  }
  Capture capture;
  say("capture", Capture::begin(nullptr, CaptureMode::relaxed, &capture));
  Buffer buffer;
  say("Buffer::allocate", Buffer::allocate(16, &buffer));
  Event event;
  say("Event::create", Event::create(0, &event));
  Kernel kernel;
  say("Kernel::load", Kernel::load("image", "name", &kernel));
  static_cast<void>(graph.destroy());
  std::printf("drain: %zu\n", drain());
  std::printf("owners: %ld\n", owner.use_count());
  return 0;
}
