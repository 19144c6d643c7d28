// SPDX-License-Identifier: Apache-2.0

// Every kind of owner in a graph, its clone, a graph that embeds it, the body of a conditional node
// and executables of these, destroyed in every order: alive until the last is gone, then freed
// once.
#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/graph/fixture.h"
#include "tests/support/case_names.h"

namespace anycuda::graph {
namespace {

struct Kind {
  const char* name;
  CUresult (*add)(const GraphView& graph, const OpaqueHandle& owner);
};
void PrintTo(const Kind& c, std::ostream* out) { *out << c.name; }

CUresult add_memory(const GraphView& graph, const OpaqueHandle& to, const OpaqueHandle& from) {
  MemcpyNode node;
  node.destination.buffer = Buffer::wrap(0x1000, 4, to);
  node.source.buffer = Buffer::wrap(0x2000, 4, from);
  node.width = 4;
  return add_memcpy(graph, {}, node, nullptr);
}

EventNode event_of(const OpaqueHandle& owner) {
  EventNode node;
  node.event = Event::wrap(reinterpret_cast<CUevent>(0x100), owner);
  return node;
}

const Kind kKinds[] = {
    {"code",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       KernelNode node;
       node.kernel = Kernel::wrap(reinterpret_cast<CUfunction>(0x100), owner);
       return add_kernel(graph, {}, node, nullptr);
     }},
    {"arguments",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       KernelNode node;
       node.function = reinterpret_cast<CUfunction>(0x100);
       node.argument_owner = all_of({owner, std::make_shared<int>(1)});
       return add_kernel(graph, {}, node, nullptr);
     }},
    {"destination", [](const GraphView& graph,
                       const OpaqueHandle& owner) { return add_memory(graph, owner, nullptr); }},
    {"source", [](const GraphView& graph,
                  const OpaqueHandle& owner) { return add_memory(graph, nullptr, owner); }},
    {"memset",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       MemsetNode node;
       node.destination.buffer = Buffer::wrap(0x1000, 4, owner);
       return add_memset(graph, {}, node, nullptr);
     }},
    {"record",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       return add_event_record(graph, {}, event_of(owner), nullptr);
     }},
    {"wait",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       return add_event_wait(graph, {}, event_of(owner), nullptr);
     }},
    {"callable",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       HostNode node;
       node.call = [owner] {};
       return add_host(graph, {}, node, nullptr);
     }},
    {"data",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       HostNode node;
       node.function = do_nothing;
       node.data_owner = owner;
       return add_host(graph, {}, node, nullptr);
     }},
    {"role",
     [](const GraphView& graph, const OpaqueHandle& owner) {
       CUgraphNode node = nullptr;
       const CUresult result = add_empty(graph, {}, &node);
       return result != CUDA_SUCCESS ? result
                                     : graph_set_owner(graph, node, OwnerRole::more, owner);
     }},
};

// All that holds one owner.
struct Holders {
  static constexpr std::size_t kCount = 6;
  Graph graph, clone, parent, conditional;
  Exec exec, conditional_exec;

  void make(const Kind& kind, const OpaqueHandle& owner) {
    ASSERT_EQ(Graph::create(&graph), kOk);
    ASSERT_EQ(Graph::create(&parent), kOk);
    ASSERT_EQ(Graph::create(&conditional), kOk);
    ASSERT_EQ(kind.add(graph, owner), kOk) << last_error();
    ASSERT_EQ(graph.clone(&clone), kOk) << last_error();
    ASSERT_EQ(add_child(parent, {}, graph, nullptr), kOk) << last_error();
    ASSERT_EQ(Exec::instantiate(parent, &exec), kOk) << last_error();
    ConditionalNode node;
    ASSERT_EQ(create_conditional(conditional, 1, true, &node.handle), kOk);
    std::vector<GraphView> bodies;
    ASSERT_EQ(add_conditional(conditional, {}, node, nullptr, &bodies), kOk);
    ASSERT_EQ(kind.add(bodies[0], owner), kOk);
    ASSERT_EQ(Exec::instantiate(conditional, &conditional_exec), kOk);
  }
  CUresult destroy(std::size_t which) {
    switch (which) {
      case 0:
        return graph.destroy();
      case 1:
        return clone.destroy();
      case 2:
        return parent.destroy();
      case 3:
        return conditional.destroy();
      case 4:
        return exec.destroy();
      default:
        return conditional_exec.destroy();
    }
  }
};

class Orders : public OnFakeDriver, public testing::WithParamInterface<Kind> {
 protected:
  static void run(const std::vector<std::size_t>& order) {
    int freed = 0;
    Holders holders;
    holders.make(GetParam(), OpaqueHandle(&freed, [&](const void*) { ++freed; }));
    for (const std::size_t which : order) {
      settle();
      ASSERT_EQ(freed, 0) << "before " << which << " in " << testing::PrintToString(order);
      ASSERT_EQ(holders.destroy(which), kOk) << last_error();
    }
    settle();
    ASSERT_EQ(freed, 1) << testing::PrintToString(order);
  }
};

TEST_P(Orders, TheLastFreesOnce) {
  std::vector<std::size_t> order(Holders::kCount);
  std::iota(order.begin(), order.end(), 0U);
  do {
    run(order);
  } while (!HasFatalFailure() && std::next_permutation(order.begin(), order.end()));
}

INSTANTIATE_TEST_SUITE_P(Of, Orders, testing::ValuesIn(kKinds), test::kPrintedName);

}  // namespace
}  // namespace anycuda::graph
