// SPDX-License-Identifier: Apache-2.0

// Nodes of other graphs: every function refuses them before the driver is called.
#include <functional>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

// Each function that takes a node or dependencies. `name` is the driver's function that would get
// it.
struct Taker {
  const char* name;
  std::function<CUresult(const GraphView& graph, CUgraphNode node)> call;
};

CUevent event() { return reinterpret_cast<CUevent>(0x100); }

KernelNode kernel() {
  KernelNode node;
  node.function = reinterpret_cast<CUfunction>(0x100);
  return node;
}
MemcpyNode copy() {
  MemcpyNode node;
  node.destination.address = 0x1000;
  node.source.address = 0x2000;
  node.width = 8;
  return node;
}
MemsetNode fill() {
  MemsetNode node;
  node.destination.address = 0x1000;
  node.width = 8;
  return node;
}
HostNode call() {
  HostNode node;
  node.function = do_nothing;
  return node;
}
EventNode recorded() {
  EventNode node;
  node.raw = event();
  return node;
}

const Taker kTakers[] = {
    {"cuUserObjectCreate",
     [](const GraphView& graph, CUgraphNode node) {
       return graph_set_owner(graph, node, OwnerRole::extra, std::make_shared<int>(1));
     }},
    {"cuUserObjectCreate",
     [](const GraphView& graph, CUgraphNode node) {
       return graph_set_owner(graph, node, OwnerRole::extra, nullptr);
     }},
    {"cuGraphHostNodeSetParams",
     [](const GraphView& graph, CUgraphNode node) {
       return set_with_owners(graph, node, {}, [](CUgraphNode) {
         ADD_FAILURE() << "the caller's function got the node";
         return kOk;
       });
     }},
    {"cuGraphKernelNodeSetParams",
     [](const GraphView& graph, CUgraphNode node) { return set_kernel(graph, node, kernel()); }},
    {"cuGraphMemcpyNodeSetParams",
     [](const GraphView& graph, CUgraphNode node) { return set_memcpy(graph, node, copy()); }},
    {"cuGraphMemsetNodeSetParams",
     [](const GraphView& graph, CUgraphNode node) { return set_memset(graph, node, fill()); }},
    {"cuGraphHostNodeSetParams",
     [](const GraphView& graph, CUgraphNode node) { return set_host(graph, node, call()); }},
    {"cuGraphEventRecordNodeSetEvent",
     [](const GraphView& graph, CUgraphNode node) {
       return set_event_record(graph, node, recorded());
     }},
    {"cuGraphEventWaitNodeSetEvent",
     [](const GraphView& graph, CUgraphNode node) {
       return set_event_wait(graph, node, recorded());
     }},
    {"cuGraphDestroyNode",
     [](const GraphView& graph, CUgraphNode node) { return remove_node(graph, node); }},
    {"cuGraphChildGraphNodeGetGraph",
     [](const GraphView& graph, CUgraphNode node) {
       GraphView child;
       return child_graph(graph, node, &child);
     }},
    {"cuGraphNodeGetType",
     [](const GraphView& graph, CUgraphNode node) {
       std::vector<GraphView> bodies;
       return conditional_bodies(graph, node, &bodies);
     }},
    {"cuGraphAddEmptyNode",
     [](const GraphView& graph, CUgraphNode node) { return add_empty(graph, {node}, nullptr); }},
    {"cuGraphAddKernelNode",
     [](const GraphView& graph, CUgraphNode node) {
       return add_kernel(graph, {node}, kernel(), nullptr);
     }},
    {"cuGraphAddMemcpyNode",
     [](const GraphView& graph, CUgraphNode node) {
       return add_memcpy(graph, {node}, copy(), nullptr);
     }},
    {"cuGraphAddMemsetNode",
     [](const GraphView& graph, CUgraphNode node) {
       return add_memset(graph, {node}, fill(), nullptr);
     }},
    {"cuGraphAddHostNode",
     [](const GraphView& graph, CUgraphNode node) {
       return add_host(graph, {node}, call(), nullptr);
     }},
    {"cuGraphAddEventRecordNode",
     [](const GraphView& graph, CUgraphNode node) {
       return add_event_record(graph, {node}, recorded(), nullptr);
     }},
    {"cuGraphAddEventWaitNode",
     [](const GraphView& graph, CUgraphNode node) {
       return add_event_wait(graph, {node}, recorded(), nullptr);
     }},
    {"cuGraphAddMemAllocNode",
     [](const GraphView& graph, CUgraphNode node) {
       MemAllocNode memory;
       memory.bytes = 8;
       return add_mem_alloc(graph, {node}, &memory, nullptr);
     }},
    {"cuGraphAddMemFreeNode",
     [](const GraphView& graph, CUgraphNode node) {
       return add_mem_free(graph, {node}, 0x1000, nullptr);
     }},
    {"cuGraphAddChildGraphNode",
     [](const GraphView& graph, CUgraphNode node) {
       Graph child;
       EXPECT_EQ(Graph::create(&child), kOk);
       return add_child(graph, {node}, child, nullptr);
     }},
    {"cuGraphAddNode",
     [](const GraphView& graph, CUgraphNode node) {
       ConditionalNode conditional;
       EXPECT_EQ(create_conditional(graph, 0, false, &conditional.handle), kOk);
       return add_conditional(graph, {node}, conditional, nullptr, nullptr);
     }},
    {"cuStreamBeginCaptureToGraph",
     [](const GraphView& graph, CUgraphNode node) {
       Capture capture;
       return Capture::begin_to_graph(static_cast<CUstream>(driver().new_stream()), graph, {node},
                                      CaptureMode::relaxed, &capture);
     }},
};

class Membership : public OnFakeDriver {
 protected:
  static void all_refuse(const GraphView& graph, CUgraphNode node, const char* words) {
    for (const Taker& taker : kTakers) {
      const std::size_t calls = driver().calls(taker.name);
      EXPECT_EQ(taker.call(graph, node), CUDA_ERROR_INVALID_VALUE) << taker.name;
      EXPECT_THAT(last_error(), HasSubstr(words)) << taker.name;
      EXPECT_EQ(driver().calls(taker.name), calls) << taker.name << " got the node";
    }
  }
  static constexpr char kForeign[] = "is not a node of this graph: it was removed, or";
};

TEST_F(Membership, ANodeOfAnotherGraphIsRefused) {
  Graph one = graph();
  Graph other = graph();
  Watched owner;
  const CUgraphNode foreign = node(other, owner.take());
  node(one, std::make_shared<int>(1));
  const std::size_t before = driver().live().nodes;
  all_refuse(one, foreign, kForeign);
  Graph clone;
  ASSERT_EQ(one.clone(&clone), kOk);
  EXPECT_EQ(clone.destroy(), kOk);
  EXPECT_EQ(driver().live().nodes, before);
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_TRUE(owner.alive());
}

TEST_F(Membership, ANodeOfAChildGraphIsAnotherGraphs) {
  Graph one = graph();
  Graph child = graph();
  Watched owner;
  node(child, owner.take());
  GraphView embedded;
  ASSERT_EQ(add_child(one, {}, child, nullptr, &embedded), kOk);
  CUgraphNode inner = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(api::cuGraphGetNodes(embedded.get(), &inner, &count), 0U);
  all_refuse(one, inner, kForeign);
  EXPECT_EQ(graph_set_owner(embedded, inner, OwnerRole::more, std::make_shared<int>(1)), kOk);
}

// The view of a graph in another graph's node stayed over a dead graph.
TEST_F(Membership, AChildNodeOfAnotherGraphIsNotRemoved) {
  Graph one = graph();
  Graph other = graph();
  CUgraphNode child = nullptr;
  GraphView embedded;
  ASSERT_EQ(add_child(other, {}, graph(), &child, &embedded), kOk);
  EXPECT_EQ(remove_node(one, child), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(embedded.valid());
  EXPECT_EQ(remove_node(other, child), kOk);
  EXPECT_FALSE(embedded.valid());
}

TEST_F(Membership, ARemovedNodeIsRefused) {
  Graph one = graph();
  const CUgraphNode removed = node(one, std::make_shared<int>(1));
  node(one, std::make_shared<int>(1));
  ASSERT_EQ(remove_node(one, removed), kOk);
  all_refuse(one, removed, kForeign);
}

TEST_F(Membership, ANullNodeIsRefused) {
  Graph one = graph();
  all_refuse(one, nullptr, "is null");
  EXPECT_EQ(add_empty(one, Dependencies(nullptr, 2), nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(last_error(), "2 dependencies are given, but their list is null");
}

// A node that a callback added before it failed is gone, although the library has seen it.
TEST_F(Membership, ANodeThatWasTakenOutAgainIsRefused) {
  Graph one = graph();
  CUgraphNode gone = nullptr;
  EXPECT_EQ(add_with_owners(
                one, {std::make_shared<int>(1)},
                [&](CUgraph, CUgraphNode* out) {
                  EXPECT_EQ(add_empty(one, {}, out), kOk);
                  gone = *out;
                  return status(719);
                },
                nullptr),
            status(719));
  all_refuse(one, gone, kForeign);
}

// Its calls of this library use up the memory that was reserved for its node, which lies in another
// region of the table.
TEST_F(Membership, ACallbackThatAddsOtherNodesKeepsItsOwner) {
  const auto region_of = [](CUgraphNode node) {
    return reinterpret_cast<std::uintptr_t>(node) >> 16;
  };
  Graph one = graph();
  const OpaqueHandle owner = std::make_shared<int>(1);
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_with_owners(
                one, {owner},
                [&](CUgraph raw, CUgraphNode* out) {
                  CUgraphNode first = nullptr;
                  EXPECT_EQ(add_empty(one, {}, &first), kOk);
                  do {
                    EXPECT_EQ(api::cuGraphAddEmptyNode(out, raw, nullptr, 0), 0U);
                  } while (region_of(*out) == region_of(first));
                  return kOk;
                },
                &made),
            kOk);
  EXPECT_EQ(graph_get_owner(one, made, static_cast<OwnerRole>(0)), owner);
}

TEST_F(Membership, NodesThatRawCallsAddedAreFound) {
  constexpr std::size_t kNodes = 100;
  Graph one = graph();
  std::vector<CUgraphNode> nodes(kNodes);
  for (CUgraphNode& made : nodes) {
    ASSERT_EQ(api::cuGraphAddEmptyNode(&made, one.get(), nullptr, 0), 0U);
  }
  const std::size_t before = driver().calls("cuGraphGetNodes");
  for (const CUgraphNode made : nodes) {
    EXPECT_EQ(graph_set_owner(one, made, OwnerRole::extra, std::make_shared<int>(1)), kOk);
  }
  EXPECT_EQ(add_empty(one, nodes, nullptr), kOk) << last_error();
  EXPECT_EQ(driver().calls("cuGraphGetNodes"), before + 2) << "the number, and the list, once";
  EXPECT_EQ(remove_node(one, nodes[0]), kOk);
  Graph clone;
  ASSERT_EQ(one.clone(&clone), kOk);
  EXPECT_EQ(remove_node(clone, twin(nodes[1], clone)), kOk) << last_error();
}

// Those that the library has added are known without the driver's list.
TEST_F(Membership, NodesThatWereAddedHereAreKnown) {
  auto* const stream = static_cast<CUstream>(driver().new_stream());
  Graph one = graph();
  CUgraphNode last = nullptr;
  ASSERT_EQ(add_empty(one, {}, &last), kOk);
  for (int at = 0; at < 20; ++at) ASSERT_EQ(add_host(one, {last}, call(), &last), kOk);
  EXPECT_EQ(set_host(one, last, call()), kOk);
  Capture capture;
  ASSERT_EQ(Capture::begin_to_graph(stream, one, {last}, CaptureMode::relaxed, &capture), kOk);
  for (int at = 0; at < 20; ++at) {
    ASSERT_EQ(api::cuLaunchHostFunc(stream, do_nothing, nullptr), 0U);
    ASSERT_EQ(capture.keep_with_last(OwnerRole::extra, std::make_shared<int>(1)), kOk);
  }
  EXPECT_EQ(capture.end(), kOk);
  EXPECT_EQ(driver().calls("cuGraphGetNodes"), 0U);
}

TEST_F(Membership, FailedListing_ErrorIsTheDrivers) {
  Graph one = graph();
  Graph other = graph();
  const CUgraphNode foreign = node(other, nullptr);
  driver().fail_function("cuGraphGetNodes", 1, 719);
  EXPECT_EQ(remove_node(one, foreign), status(719));
  EXPECT_THAT(last_error(), HasSubstr("cuGraphGetNodes"));
  driver().fail_function("cuGraphGetNodes", 2, 719);
  CUgraphNode raw = nullptr;
  ASSERT_EQ(api::cuGraphAddEmptyNode(&raw, one.get(), nullptr, 0), 0U);
  EXPECT_EQ(remove_node(one, raw), status(719));
  EXPECT_EQ(remove_node(one, raw), kOk);
}

}  // namespace
}  // namespace anycuda::graph
