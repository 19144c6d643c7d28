// SPDX-License-Identifier: Apache-2.0

// Parameters that the driver does not check when a node is made; and owners that nodes keep for raw
// operands.
#include <limits>
#include <stdexcept>

#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

constexpr std::size_t kAllBits = std::numeric_limits<std::size_t>::max();

// `add` is refused with a sentence that has `words`, and leaves nothing.
template <typename Node, typename Add>
void refused(const char* words, const Node& node, Add add) {
  Check check(std::string("refused: ") + words);
  Graph graph;
  CUgraphNode made = nullptr;
  CALL(check, Graph::create(&graph));
  EQUAL(check, add(graph, {}, node, &made), CUDA_ERROR_INVALID_VALUE);
  const std::string why = last_error();
  if (why.find(words) == std::string::npos) check.fail("the sentence is \"" + why + "\"");
  EXPECT(check, made == nullptr);
  EQUAL(check, node_count(graph), 0U);
}

void memsets() {
  MemsetNode node;
  node.destination.address = scratch(0);
  node.width = 4;
  node.value = 0x100;
  refused("wider than an element of 1 byte", node, add_memset);
  node.element_bytes = 2;
  node.value = 0x10000;
  refused("wider than an element of 2 bytes", node, add_memset);
  node.value = 1;
  node.destination.offset = 1;
  refused("not a multiple of the element's 2 bytes", node, add_memset);
  node.destination.offset = 0;
  node.rows = 2;
  node.destination.pitch = 6;
  refused("a pitch of 6 bytes is less than the 8 bytes of a row", node, add_memset);
  node = MemsetNode();
  node.destination.address = scratch(0);
  node.width = kAllBits;
  refused("more than any memory has", node, add_memset);
}

void copies() {
  MemcpyNode node;
  node.destination.address = scratch(0);
  node.source.address = scratch(1);
  node.width = kAllBits;
  refused("more than any memory has", node, add_memcpy);
  node.width = 8;
  node.rows = 2;
  node.source.pitch = 4;
  refused("a pitch of 4 bytes is less than the 8 bytes of a row", node, add_memcpy);
}

void kernels_to_launch() {
  Add add(scratch(0), scratch(1), 1);
  KernelNode node = add.node();
  node.grid[1] = 0;
  refused("every side must be at least 1", node, add_kernel);
  node.grid[1] = 1;
  node.block[0] = 0;
  refused("every side must be at least 1", node, add_kernel);
  node = add.node();
  node.argument_buffers = {Buffer()};
  refused("is empty or closed", node, add_kernel);
  if (driver_version() < 12040) return;
  node = add.node();
  node.arguments = nullptr;
  refused("the kernel takes one or more", node, add_kernel);
}

void what_a_raw_kernel_keeps() {
  Check check("a raw function's node keeps the module of Kernel::load, and buffers of arguments");
  Buffer out = filled(0);
  std::weak_ptr<const void> module;
  std::weak_ptr<const void> memory;
  Graph graph;
  Exec exec;
  Stream stream;
  CALL(check, Graph::create(&graph));
  {
    const Kernel kernel = load("add");
    const Buffer in = filled(4);
    module = kernel.module();
    memory = in.allocation();
    Add add(out.address(), in.address(), 1);
    KernelNode node = add.node();
    node.kernel = Kernel();
    node.function = kernel.function();
    node.argument_buffers = {in, out};
    CALL(check, add_kernel(graph, {}, node, nullptr));
  }
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, graph.destroy());
  settle();
  EXPECT(check, !module.expired() && !memory.expired());
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EXPECT(check, all_are(out.address(), 5));
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return module.expired() && memory.expired(); }));
}

void lost_text() {
  Check check("the text of a callback's exception is kept");
  HostNode node;
  node.call = [] { throw std::runtime_error("what went wrong"); };
  Graph graph;
  Exec exec;
  Stream stream;
  CALL(check, Graph::create(&graph));
  CALL(check, add_host(graph, {}, node, nullptr));
  CALL(check, Exec::instantiate(graph, &exec));
  const std::size_t before = lost_exceptions();
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  EQUAL(check, lost_exceptions(), before + 1);
  EQUAL(check, std::string(lost_exception(before)), "what went wrong");
}

}  // namespace

void parameters() {
  memsets();
  copies();
  kernels_to_launch();
  what_a_raw_kernel_keeps();
  lost_text();
}

}  // namespace gputest
