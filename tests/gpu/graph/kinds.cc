// SPDX-License-Identifier: Apache-2.0
#include "graph/kinds.h"

namespace gputest {

namespace {

// Statically typed operands around what lives as long as the process.
Kernel code(const OpaqueHandle& owner) {
  return Kernel::wrap(shared_kernel("add").function(), owner);
}
Buffer memory(int number, const OpaqueHandle& owner) {
  return Buffer::wrap(scratch(number), kBytes, owner);
}
void nothing(void*) {}

CUresult kernel(const GraphView& graph, const Kernel& kernel, const OpaqueHandle& arguments,
                CUgraphNode* out) {
  Add add(scratch(0), scratch(1), 1);
  KernelNode node = add.node(kernel);
  node.argument_owner = arguments;
  return add_kernel(graph, {}, node, out);
}

MemcpyNode copy(const Buffer& to, const Buffer& from) {
  MemcpyNode node;
  node.destination.buffer = to;
  node.source.buffer = from;
  node.width = kBytes;
  return node;
}

CUresult conditional(const GraphView& graph, ConditionalKind kind, unsigned count,
                     const OpaqueHandle& owner, CUgraphNode* out) {
  Conditional made;
  CUresult status = add_conditional(graph, kind, count, 0, &made);
  for (const GraphView& body : made.bodies) {
    if (status == CUDA_SUCCESS) {
      CUgraphNode inner = nullptr;
      status = kernel(body, code(owner), nullptr, &inner);
    }
  }
  if (status == CUDA_SUCCESS) *out = made.node;
  return status;
}

CUresult in_role_of(const GraphView& graph, OwnerRole role, const OpaqueHandle& owner,
                    CUgraphNode* out) {
  const CUresult status = add_empty(graph, {}, out);
  return status != CUDA_SUCCESS ? status : graph_set_owner(graph, *out, role, owner);
}

std::vector<Kind> all() {
  using View = const GraphView&;
  using Owner = const OpaqueHandle&;
  using Out = CUgraphNode*;
  std::vector<Kind> list;
  const auto kind = [&list](const char* name, bool in_child, bool in_body, auto add) {
    list.push_back({name, in_child, in_body, std::string(name) != "memory free", add});
  };
  kind("kernel code", true, true,
       [](View graph, Owner owner, Out out) { return kernel(graph, code(owner), nullptr, out); });
  kind("kernel arguments", true, true, [](View graph, Owner owner, Out out) {
    return kernel(graph, shared_kernel("add"), owner, out);
  });
  kind("memcpy destination", true, true, [](View graph, Owner owner, Out out) {
    return add_memcpy(graph, {}, copy(memory(0, owner), memory(1, nullptr)), out);
  });
  kind("memcpy source", true, true, [](View graph, Owner owner, Out out) {
    return add_memcpy(graph, {}, copy(memory(0, nullptr), memory(1, owner)), out);
  });
  kind("memset destination", true, true, [](View graph, Owner owner, Out out) {
    MemsetNode node;
    node.destination.buffer = memory(0, owner);
    node.width = kBytes;
    return add_memset(graph, {}, node, out);
  });
  kind("host closure", true, false, [](View graph, Owner owner, Out out) {
    HostNode node;
    node.call = [owner] {};
    return add_host(graph, {}, node, out);
  });
  kind("host function", true, false, [](View graph, Owner owner, Out out) {
    HostNode node;
    node.function = nothing;
    node.function_owner = owner;
    return add_host(graph, {}, node, out);
  });
  kind("host data", true, false, [](View graph, Owner owner, Out out) {
    HostNode node;
    node.function = nothing;
    node.data = owner.get();
    node.data_owner = owner;
    return add_host(graph, {}, node, out);
  });
  kind("event record", true, false, [](View graph, Owner owner, Out out) {
    EventNode node;
    node.event = Event::wrap(shared_event(), owner);
    return add_event_record(graph, {}, node, out);
  });
  kind("event wait", true, false, [](View graph, Owner owner, Out out) {
    EventNode node;
    node.event = Event::wrap(shared_event(), owner);
    return add_event_wait(graph, {}, node, out);
  });
  kind("memory free", false, false, [](View graph, Owner owner, Out out) {
    MemAllocNode block;
    block.bytes = kBytes;
    CUgraphNode first = nullptr;
    CUresult status = add_mem_alloc(graph, {}, &block, &first);
    if (status == CUDA_SUCCESS) status = add_mem_free(graph, {first}, block.address, out);
    return status == CUDA_SUCCESS ? graph_set_owner(graph, *out, OwnerRole::memory, owner) : status;
  });
  kind("extra role", true, true, [](View graph, Owner owner, Out out) {
    return in_role_of(graph, OwnerRole::extra, owner, out);
  });
  kind("more role", true, true, [](View graph, Owner owner, Out out) {
    return in_role_of(graph, OwnerRole::more, owner, out);
  });
  kind("child graph", true, true, [](View graph, Owner owner, Out out) {
    Graph child;
    CUgraphNode inner = nullptr;
    CUresult status = Graph::create(&child);
    if (status == CUDA_SUCCESS) status = kernel(child, code(owner), nullptr, &inner);
    return status == CUDA_SUCCESS ? add_child(graph, {}, child, out) : status;
  });
  kind("if body", false, true, [](View graph, Owner owner, Out out) {
    return conditional(graph, ConditionalKind::if_else, 1, owner, out);
  });
  kind("if-else bodies", false, true, [](View graph, Owner owner, Out out) {
    return conditional(graph, ConditionalKind::if_else, 2, owner, out);
  });
  kind("while body", false, true, [](View graph, Owner owner, Out out) {
    return conditional(graph, ConditionalKind::while_loop, 1, owner, out);
  });
  kind("switch bodies", false, true, [](View graph, Owner owner, Out out) {
    return conditional(graph, ConditionalKind::switch_case, 3, owner, out);
  });
  return list;
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const auto* list = new std::vector<Kind>(all());
  return *list;
}

CUresult add_conditional(const GraphView& graph, ConditionalKind kind, unsigned bodies,
                         unsigned at_launch, Conditional* out) {
  Conditional made;
  CUresult status = create_conditional(graph, at_launch, true, &made.handle);
  if (status != CUDA_SUCCESS) return status;
  ConditionalNode node;
  node.handle = made.handle;
  node.kind = kind;
  node.bodies = bodies;
  status = anycuda::graph::add_conditional(graph, {}, node, &made.node, &made.bodies);
  if (status == CUDA_SUCCESS) *out = made;
  return status;
}

}  // namespace gputest
