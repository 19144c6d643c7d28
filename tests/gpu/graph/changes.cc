// SPDX-License-Identifier: Apache-2.0

// Each kind of node gets new parameters, with new owners. A graph releases the former owners. An
// executable graph keeps the owners that came with its graph, and releases those that an update
// replaced once no launch can use them (exec.h).
#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

struct Change {
  const char* name;
  const char* kind;  // of kinds(): the node as it was
  std::function<CUresult(const GraphView&, CUgraphNode, const OpaqueHandle&)> definition;
  std::function<CUresult(Exec&, CUgraphNode, const OpaqueHandle&)> executable;
};

void nothing(void*) {}

template <typename Parameters, typename Fill, typename InGraph, typename InExec>
Change change(const char* name, const char* kind, Fill fill, InGraph in_graph, InExec in_exec) {
  return {name, kind,
          [=](const GraphView& graph, CUgraphNode node, const OpaqueHandle& owner) {
            Add add(scratch(4), scratch(5), 2);
            Parameters parameters;
            fill(add, owner, &parameters);
            return in_graph(graph, node, parameters);
          },
          [=](Exec& exec, CUgraphNode node, const OpaqueHandle& owner) {
            Add add(scratch(4), scratch(5), 2);
            Parameters parameters;
            fill(add, owner, &parameters);
            return (exec.*in_exec)(node, parameters);
          }};
}

std::vector<Change> changes_of_all() {
  const auto events = [](Add&, const OpaqueHandle& owner, EventNode* node) {
    node->event = Event::wrap(shared_event(), owner);
  };
  return {
      change<KernelNode>(
          "kernel", "kernel arguments",
          [](Add& add, const OpaqueHandle& owner, KernelNode* node) {
            *node = add.node();
            node->argument_owner = owner;
          },
          set_kernel, &Exec::set_kernel),
      change<MemcpyNode>(
          "memcpy", "memcpy source",
          [](Add&, const OpaqueHandle& owner, MemcpyNode* node) {
            node->destination.buffer = Buffer::wrap(scratch(6), kBytes, nullptr);
            node->source.buffer = Buffer::wrap(scratch(7), kBytes, owner);
            node->width = kBytes;
          },
          set_memcpy, &Exec::set_memcpy),
      change<MemsetNode>(
          "memset", "memset destination",
          [](Add&, const OpaqueHandle& owner, MemsetNode* node) {
            node->destination.buffer = Buffer::wrap(scratch(6), kBytes, owner);
            node->width = kBytes;
            node->value = 1;
          },
          set_memset, &Exec::set_memset),
      change<HostNode>(
          "host closure", "host closure",
          [](Add&, const OpaqueHandle& owner, HostNode* node) { node->call = [owner] {}; },
          set_host, &Exec::set_host),
      change<HostNode>(
          "host data", "host data",
          [](Add&, const OpaqueHandle& owner, HostNode* node) {
            node->function = nothing;
            node->data = owner.get();
            node->data_owner = owner;
          },
          set_host, &Exec::set_host),
      change<EventNode>("event record", "event record", events, set_event_record,
                        &Exec::set_event_record),
      change<EventNode>("event wait", "event wait", events, set_event_wait, &Exec::set_event_wait),
  };
}

const Kind& kind_named(const std::string& name) {
  for (const Kind& kind : kinds()) {
    if (kind.name == name) return kind;
  }
  throw std::runtime_error("no kind " + name);
}

void in_definition(const Change& change) {
  Check check(std::string("definition: new parameters: ") + change.name);
  Life old;
  Life newer;
  Life newest;
  Graph graph;
  Exec exec;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&graph));
  CALL(check, kind_named(change.kind).add(graph, old.owner(), &node));
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, change.definition(graph, node, newer.owner()));
  settle();
  EXPECT(check, old.alive() && newer.alive());  // the executable has the old, the graph the new
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return old.freed() == 1; }));
  EXPECT(check, newer.alive());
  CALL(check, change.definition(graph, node, newest.owner()));
  EXPECT(check, eventually([&] { return newer.freed() == 1; }));
  EXPECT(check, newest.alive());
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return newest.freed() == 1; }));
}

void in_executable(const Change& change) {
  Check check(std::string("executable: new parameters: ") + change.name);
  Life old;
  Life newer[3];
  Life replacing;
  Graph graph;
  Exec exec;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&graph));
  CALL(check, kind_named(change.kind).add(graph, old.owner(), &node));
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, change.executable(exec, node, newer[0].owner()));
  CALL(check, change.executable(exec, node, newer[1].owner()));
  EQUAL(check, newer[0].freed(), 1);  // no launch was made since it was set
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  settle();
  EXPECT(check, old.alive() && newer[1].alive());
  CALL(check, change.executable(exec, node, newer[2].owner()));
  EQUAL(check, newer[1].freed(), 1);  // its only launch has ended
  CALL(check, exec.launch(stream));
  CALL(check, graph.destroy());
  DRIVER(check, stream.wait());
  settle();
  EXPECT(check, old.alive() && newer[2].alive());
  // The whole from another graph: all owners so far are released.
  Graph other;
  CUgraphNode same = nullptr;
  CALL(check, Graph::create(&other));
  CALL(check, kind_named(change.kind).add(other, replacing.owner(), &same));
  CALL(check, exec.update(other));
  CALL(check, other.destroy());
  EXPECT(check, eventually([&] { return old.freed() == 1 && newer[2].freed() == 1; }));
  EXPECT(check, newer[0].freed() == 1 && newer[1].freed() == 1);
  EXPECT(check, replacing.alive());
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return replacing.freed() == 1; }));
}

void child_in_executable() {
  Check check("executable: new graph in a child node");
  Life old;
  Life newer;
  Graph graph;
  Graph other;
  Exec exec;
  CUgraphNode node = nullptr;
  CUgraphNode inner = nullptr;
  CALL(check, Graph::create(&graph));
  CALL(check, kind_named("child graph").add(graph, old.owner(), &node));
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, Graph::create(&other));
  CALL(check, kind_named("kernel code").add(other, newer.owner(), &inner));
  CALL(check, exec.set_child(node, other));
  CALL(check, other.destroy());
  CALL(check, graph.destroy());
  settle();
  check.detail(old.alive() ? "the former child's owner is kept"
                           : "the driver lets the former child's owner go");
  EXPECT(check, newer.alive());
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return old.freed() == 1 && newer.freed() == 1; }));
}

}  // namespace

void changes() {
  for (const Change& change : changes_of_all()) {
    in_definition(change);
    in_executable(change);
  }
  child_in_executable();
}

}  // namespace gputest
