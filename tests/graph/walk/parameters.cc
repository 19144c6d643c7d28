// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/walk/parameters.h"

namespace walk {

CUresult Parameters::add(const GraphView& graph, const Dependencies& after,
                         CUgraphNode* out) const {
  switch (kind) {
    case Kind::kernel:
      return add_kernel(graph, after, kernel, out);
    case Kind::memcpy:
      return add_memcpy(graph, after, memcpy, out);
    case Kind::memset:
      return add_memset(graph, after, memset, out);
    case Kind::host:
      return add_host(graph, after, host, out);
    case Kind::event_record:
      return add_event_record(graph, after, event, out);
    case Kind::event_wait:
      return add_event_wait(graph, after, event, out);
    default:
      return add_empty(graph, after, out);
  }
}

CUresult Parameters::set(const GraphView& graph, CUgraphNode node) const {
  switch (kind) {
    case Kind::kernel:
      return set_kernel(graph, node, kernel);
    case Kind::memcpy:
      return set_memcpy(graph, node, memcpy);
    case Kind::memset:
      return set_memset(graph, node, memset);
    case Kind::host:
      return set_host(graph, node, host);
    case Kind::event_record:
      return set_event_record(graph, node, event);
    default:
      return set_event_wait(graph, node, event);
  }
}

CUresult Parameters::set(Exec* exec, CUgraphNode node) const {
  switch (kind) {
    case Kind::kernel: {
      KernelNode other = kernel;
      other.attributes = {};  // those of the node stay
      return exec->set_kernel(node, other);
    }
    case Kind::memcpy:
      return exec->set_memcpy(node, memcpy);
    case Kind::memset:
      return exec->set_memset(node, memset);
    case Kind::host:
      return exec->set_host(node, host);
    case Kind::event_record:
      return exec->set_event_record(node, event);
    default:
      return exec->set_event_wait(node, event);
  }
}

// Each operand is given typed or raw.
void Walker::fill(Kind kind, Parameters* out) {
  constexpr std::size_t kWidth = 64;
  const auto given = [&](unsigned role) {
    out->owners[role] = token();
    return owner(out->owners[role]);
  };
  const auto operand = [&](unsigned role, const Buffer& memory, MemoryOperand* to) {
    if (chance(2)) {
      to->buffer = Buffer::wrap(memory.address(), memory.size(), given(role));
    } else {
      to->address = memory.address();
      if (!chance(3)) to->owner = given(role);
    }
  };
  out->kind = kind;
  switch (kind) {
    case Kind::kernel:
      out->to = memory_[0].address();
      out->from = memory_[1].address();
      if (chance(3)) {
        out->kernel = kernel_node(Kernel::wrap(kernel_.function(), given(0)), {1, 1},
                                  with_owner(out->to, chance(2) ? given(1) : nullptr), out->from,
                                  out->value, out->count);
        break;
      }
      if (chance(3)) out->kernel.attributes.priority = -static_cast<int>(any(2));
      out->kernel.arguments = out->arguments;
      if (chance(2)) {
        out->kernel.kernel = Kernel::wrap(kernel_.function(), given(0));
      } else {
        out->kernel.function = kernel_.function();
        out->kernel.code_owner = given(0);
      }
      if (chance(2)) out->kernel.argument_owner = all_of({given(1)});
      break;
    case Kind::memcpy:
      operand(0, memory_[0], &out->memcpy.destination);
      operand(1, memory_[1], &out->memcpy.source);
      out->memcpy.width = kWidth;
      break;
    case Kind::memset:
      operand(0, memory_[0], &out->memset.destination);
      out->memset.width = kWidth;
      break;
    case Kind::host:
      if (chance(2)) {
        out->host.call = [kept = given(0)] { use(kept.get()); };
        break;
      }
      out->host.function = [](void* data) { use(data); };
      if (chance(2)) out->host.function_owner = given(0);
      out->host.data_owner = given(1);
      out->host.data = out->host.data_owner.get();
      break;
    case Kind::event_record:
    case Kind::event_wait:
      if (chance(2)) {
        out->event.event = Event::wrap(event_.event(), given(0));
      } else {
        out->event.raw = event_.event();
        out->event.owner = given(0);
      }
      break;
    default:
      break;
  }
}

}  // namespace walk
