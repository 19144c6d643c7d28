// SPDX-License-Identifier: Apache-2.0

// Operands: typed, raw with an owner, raw without; both for one operand is refused by name.
#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

template <typename Add>
void refused(const char* name, const char* word, Add add) {
  Check check(std::string("both ways for one operand: ") + name);
  Graph graph;
  Life life;
  CALL(check, Graph::create(&graph));
  CUgraphNode node = nullptr;
  EQUAL(check, add(graph, life.owner(), &node), CUDA_ERROR_INVALID_VALUE);
  const std::string why = last_error();
  if (why.find(word) == std::string::npos)
    check.fail("the error does not name it: \"" + why + "\"");
  EXPECT(check, node == nullptr);
  EQUAL(check, node_count(graph), 0U);
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
  check.detail(why);
}

void a_function(void*) {}

void both_ways() {
  using View = const GraphView&;
  using Out = CUgraphNode*;
  refused("kernel", "kernel", [](View graph, const OpaqueHandle& owner, Out out) {
    Add add(scratch(0), scratch(1), 1);
    KernelNode node = add.node();
    node.function = shared_kernel("add").function();
    node.code_owner = owner;
    return add_kernel(graph, {}, node, out);
  });
  const auto copy = [](bool destination) {
    return [destination](View graph, const OpaqueHandle& owner, Out out) {
      MemcpyNode node;
      node.destination.buffer = Buffer::wrap(scratch(0), kBytes, nullptr);
      node.source.buffer = Buffer::wrap(scratch(1), kBytes, nullptr);
      node.width = kBytes;
      MemoryOperand& wrong = destination ? node.destination : node.source;
      wrong.address = scratch(2);
      wrong.owner = owner;
      return add_memcpy(graph, {}, node, out);
    };
  };
  refused("memcpy destination", "destination", copy(true));
  refused("memcpy source", "source", copy(false));
  refused("memset destination", "destination", [](View graph, const OpaqueHandle& owner, Out out) {
    MemsetNode node;
    node.destination.buffer = Buffer::wrap(scratch(0), kBytes, owner);
    node.destination.address = scratch(0);
    node.width = kBytes;
    return add_memset(graph, {}, node, out);
  });
  refused("host function", "function", [](View graph, const OpaqueHandle& owner, Out out) {
    HostNode node;
    node.call = [owner] {};
    node.function = a_function;
    return add_host(graph, {}, node, out);
  });
  refused("host data", "data", [](View graph, const OpaqueHandle& owner, Out out) {
    HostNode node;
    node.function = a_function;
    node.data = owner.get();
    node.data_owner = owner;
    node.copy_data = true;
    node.data_size = 1;
    return add_host(graph, {}, node, out);
  });
  refused("event", "event", [](View graph, const OpaqueHandle& owner, Out out) {
    Event event;
    const CUresult made = Event::create(CU_EVENT_DISABLE_TIMING, &event);
    if (made != CUDA_SUCCESS) return made;
    EventNode node;
    node.event = event;
    node.raw = event.event();
    node.owner = owner;
    return add_event_record(graph, {}, node, out);
  });
}

// What owns itself is given no other owner.
void owner_beside_typed() {
  refused("kernel and its owner", "kernel",
          [](const GraphView& graph, const OpaqueHandle& owner, CUgraphNode* out) {
            Add add(scratch(0), scratch(1), 1);
            KernelNode node = add.node();
            node.code_owner = owner;
            return add_kernel(graph, {}, node, out);
          });
  refused("buffer and an owner", "source",
          [](const GraphView& graph, const OpaqueHandle& owner, CUgraphNode* out) {
            MemcpyNode node;
            node.destination.buffer = Buffer::wrap(scratch(0), kBytes, nullptr);
            node.source.buffer = Buffer::wrap(scratch(1), kBytes, nullptr);
            node.source.owner = owner;
            node.width = kBytes;
            return add_memcpy(graph, {}, node, out);
          });
}

// A copy or a memset that reaches beyond its buffer is not made.
void beyond_the_buffer() {
  Check check("a copy or memset beyond a buffer's end is refused");
  Graph graph;
  CUgraphNode out = nullptr;
  CALL(check, Graph::create(&graph));
  MemsetNode memset;
  memset.destination.buffer = Buffer::wrap(scratch(0), kBytes, nullptr);
  memset.destination.offset = 1;
  memset.width = kBytes;
  EQUAL(check, add_memset(graph, {}, memset, &out), CUDA_ERROR_INVALID_VALUE);
  MemcpyNode copy;
  copy.destination.buffer = Buffer::wrap(scratch(0), kBytes, nullptr);
  copy.source.buffer = Buffer::wrap(scratch(1), kBytes / 2, nullptr);
  copy.width = kBytes;
  EQUAL(check, add_memcpy(graph, {}, copy, &out), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, node_count(graph), 0U);
  check.detail(last_error());
}

// Closing a wrapper frees nothing that a graph uses; the allocation goes with the last.
void buffer_is_its_allocation() {
  Check check("a graph keeps a buffer's allocation, not the wrapper");
  Graph graph;
  CALL(check, Graph::create(&graph));
  Buffer buffer = filled(7);
  const CUdeviceptr address = buffer.address();
  const std::weak_ptr<const void> allocation = buffer.allocation();
  MemsetNode node;
  node.destination.buffer = buffer;
  node.value = 1;
  node.width = kBytes;
  CUgraphNode made = nullptr;
  CALL(check, add_memset(graph, {}, node, &made));
  node = MemsetNode();
  buffer.close();
  EXPECT(check, !buffer);
  settle();
  EXPECT(check, !allocation.expired());
  EXPECT(check, all_are(address, 7));  // still memory
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return allocation.expired(); }));
  CUdeviceptr base = 0;
  std::size_t size = 0;
  EXPECT(check, cuMemGetAddressRange(&base, &size, address) != CUDA_SUCCESS);  // freed, indeed
}

void raw_without_owner() {
  Check check("a raw operand without an owner is the caller's to keep");
  Graph graph;
  CALL(check, Graph::create(&graph));
  MemsetNode node;
  node.destination.address = scratch(3);
  node.value = 0x05050505;
  node.element_bytes = 4;
  node.width = kCount;
  CUgraphNode made = nullptr;
  CALL(check, add_memset(graph, {}, node, &made));
  Exec exec;
  Stream stream;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, all_are(scratch(3), 0x05050505));
}

void nothing_given() {
  Check check("a node without its operand is refused, and leaves nothing");
  Graph graph;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&graph));
  EQUAL(check, add_kernel(graph, {}, KernelNode(), &node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, add_memset(graph, {}, MemsetNode(), &node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, add_memcpy(graph, {}, MemcpyNode(), &node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, add_host(graph, {}, HostNode(), &node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, add_event_record(graph, {}, EventNode(), &node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, add_child(graph, {}, GraphView(), &node), CUDA_ERROR_INVALID_VALUE);
  EQUAL(check, node_count(graph), 0U);
  EXPECT(check, node == nullptr);
}

}  // namespace

void operands() {
  both_ways();
  owner_beside_typed();
  beyond_the_buffer();
  buffer_is_its_allocation();
  raw_without_owner();
  nothing_given();
}

}  // namespace gputest
