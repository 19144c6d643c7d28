// SPDX-License-Identifier: Apache-2.0

// Each call of the driver and each allocation fails once, in each operation of the library:
// afterwards no new node, owner or leak remains, and all is as before.
#include <functional>

#include "tests/graph/fixture.h"
#include "tests/graph/memory_faults.h"
#include "tests/support/case_names.h"

namespace anycuda::graph {
namespace {

// What an operation works on, made anew for each fault.
struct Bench {
  Graph graph;
  Graph other;
  CUgraphNode node = nullptr;      // a host node, with an owner
  CUgraphNode child = nullptr;     // a copy of `other`
  CUgraphNode launched = nullptr;  // a kernel
  Exec exec;
  Graph made;  // what the operation makes: destroyed when no fault is due any more
  Exec made_exec;
  Buffer buffer;
  Event event;
  Kernel kernel;
  KernelNode buffers_node;
  Kernel taker;  // of one parameter of 4 bytes
  std::weak_ptr<int> former;
  Graph third;
  CUstream stream = nullptr;
};

struct Operation {
  const char* name;
  std::function<CUresult(Bench*, const OpaqueHandle&)> run;
};
void PrintTo(const Operation& c, std::ostream* out) { *out << c.name; }

HostNode host(const OpaqueHandle& owner) {
  HostNode made;
  made.function = do_nothing;
  made.data_owner = owner;
  return made;
}

const Operation kOperations[] = {
    {"add_host",
     [](Bench* bench, const OpaqueHandle& owner) {
       CUgraphNode made = nullptr;
       return add_host(bench->graph, Dependencies(&bench->node, 1), host(owner), &made);
     }},
    {"add_host with a copy",
     [](Bench* bench, const OpaqueHandle& owner) {
       HostNode node = host(nullptr);
       node.function_owner = owner;
       node.data = "data";
       node.data_size = 4;
       node.copy_data = true;
       return add_host(bench->graph, {}, node, nullptr);
     }},
    {"add_kernel",
     [](Bench* bench, const OpaqueHandle& owner) {
       KernelNode node;
       node.function = reinterpret_cast<CUfunction>(0x100);
       node.code_owner = owner;
       node.argument_owner = owner;
       return add_kernel(bench->graph, {}, node, nullptr);
     }},
    {"add_memcpy",
     [](Bench* bench, const OpaqueHandle& owner) {
       MemcpyNode node;
       node.destination.buffer = Buffer::wrap(0x1000, 8, owner);
       node.source.address = 0x2000;
       return add_memcpy(bench->graph, {}, node, nullptr);
     }},
    {"add_memset",
     [](Bench* bench, const OpaqueHandle& owner) {
       MemsetNode node;
       node.destination.buffer = Buffer::wrap(0x1000, 8, owner);
       return add_memset(bench->graph, {}, node, nullptr);
     }},
    {"add_event_record",
     [](Bench* bench, const OpaqueHandle& owner) {
       EventNode node;
       node.event = Event::wrap(reinterpret_cast<CUevent>(0x100), owner);
       return add_event_record(bench->graph, {}, node, nullptr);
     }},
    {"add_event_wait",
     [](Bench* bench, const OpaqueHandle& owner) {
       EventNode node;
       node.event = Event::wrap(reinterpret_cast<CUevent>(0x100), owner);
       return add_event_wait(bench->graph, {}, node, nullptr);
     }},
    {"graph_set_owner",
     [](Bench* bench, const OpaqueHandle& owner) {
       return graph_set_owner(bench->graph, bench->node, OwnerRole::more, owner);
     }},
    {"set_host",
     [](Bench* bench, const OpaqueHandle& owner) {
       return set_host(bench->graph, bench->node, host(owner));
     }},
    {"clone", [](Bench* bench, const OpaqueHandle&) { return bench->graph.clone(&bench->made); }},
    {"add_child",
     [](Bench* bench, const OpaqueHandle&) {
       return add_child(bench->graph, {}, bench->other, nullptr);
     }},
    {"add_conditional",
     [](Bench* bench, const OpaqueHandle&) {
       ConditionalNode node;
       const CUresult result = create_conditional(bench->graph, 1, true, &node.handle);
       if (result != CUDA_SUCCESS) return result;
       std::vector<GraphView> bodies;
       return add_conditional(bench->graph, {}, node, nullptr, &bodies);
     }},
    {"instantiate",
     [](Bench* bench, const OpaqueHandle&) {
       return Exec::instantiate(bench->graph, &bench->made_exec);
     }},
    {"Exec::set_host",
     [](Bench* bench, const OpaqueHandle& owner) {
       return bench->exec.set_host(bench->node, host(owner));
     }},
    {"Exec::set_host after launches",
     [](Bench* bench, const OpaqueHandle& owner) {
       const Buffer& other = bench->buffers_node.argument_buffers.front();
       CUresult result = bench->exec.set_host(bench->node, host(other.allocation()));
       if (result == CUDA_SUCCESS) result = bench->exec.launch(nullptr);
       if (result == CUDA_SUCCESS) result = bench->exec.set_host(bench->node, host(nullptr));
       if (result == CUDA_SUCCESS) result = bench->exec.launch(nullptr);
       return result == CUDA_SUCCESS ? bench->exec.set_host(bench->node, host(owner)) : result;
     }},
    {"add_kernel with buffers of arguments",
     [](Bench* bench, const OpaqueHandle& owner) {
       KernelNode& node = bench->buffers_node;
       node.argument_owner = owner;
       const CUresult result = add_kernel(bench->graph, {}, node, nullptr);
       node.argument_owner = nullptr;
       return result;
     }},
    {"add_kernel with values",
     [](Bench* bench, const OpaqueHandle& owner) {
       try {
         return add_kernel(bench->graph, {},
                           kernel_node(bench->taker, {1, 32}, with_owner(1, owner)), nullptr);
       } catch (const std::bad_alloc&) {  // of kernel_node()
         return CUDA_ERROR_OUT_OF_MEMORY;
       }
     }},
    {"add_kernel with launch attributes",
     [](Bench* bench, const OpaqueHandle& owner) {
       KernelNode node;
       node.function = reinterpret_cast<CUfunction>(0x100);
       node.argument_owner = owner;
       node.attributes.cooperative = true;
       node.attributes.cluster = {1, 1, 2};
       node.attributes.programmatic = true;
       node.grid = {1, 1, 2};
       const CUgraphNode after[] = {bench->node, bench->launched};
       return add_kernel(bench->graph, after, node, nullptr);
     }},
    {"set_kernel with launch attributes",
     [](Bench* bench, const OpaqueHandle& owner) {
       KernelNode node;
       node.function = reinterpret_cast<CUfunction>(0x100);
       node.argument_owner = owner;
       node.attributes.cooperative = true;
       node.attributes.priority = -1;
       return set_kernel(bench->graph, bench->launched, node);
     }},
    {"Capture::launch",
     [](Bench* bench, const OpaqueHandle& owner) {
       KernelNode node;
       node.function = reinterpret_cast<CUfunction>(0x100);
       node.argument_owner = owner;
       Capture capture;
       CUresult result = Capture::begin(bench->stream, CaptureMode::relaxed, &capture);
       if (result == CUDA_SUCCESS) result = capture.launch(node);
       return result == CUDA_SUCCESS ? capture.end(&bench->made) : result;
     }},
    {"add_dependencies",
     [](Bench* bench, const OpaqueHandle&) {
       const Edge edges[] = {{bench->node, bench->child}, {bench->child, bench->launched}};
       return add_dependencies(bench->graph, edges);
     }},
    {"graph_dot",
     [](Bench* bench, const OpaqueHandle&) {
       std::string text;
       return graph_dot(bench->graph, &text);
     }},
    {"graph_predecessors",
     [](Bench* bench, const OpaqueHandle&) {
       std::vector<CUgraphNode> nodes;
       return graph_predecessors(bench->graph, bench->node, &nodes);
     }},
    {"get_host",
     [](Bench* bench, const OpaqueHandle&) {
       HostNode node;
       return get_host(bench->graph, bench->node, &node);
     }},
    {"Exec::update",
     [](Bench* bench, const OpaqueHandle&) { return bench->exec.update(bench->graph); }},
    {"Exec::set_child",
     [](Bench* bench, const OpaqueHandle&) {
       return bench->exec.set_child(bench->child, bench->other);
     }},
    {"set_child",
     [](Bench* bench, const OpaqueHandle&) {
       return set_child(bench->graph, bench->child, bench->third);
     }},
    {"add_with_owners",
     [](Bench* bench, const OpaqueHandle& owner) {
       return add_with_owners(
           bench->graph, {owner},
           [](CUgraph graph, CUgraphNode* out) {
             return status(api::cuGraphAddEmptyNode(out, graph, nullptr, 0));
           },
           nullptr);
     }},
    {"set_with_owners",
     [](Bench* bench, const OpaqueHandle& owner) {
       const api::CUDA_HOST_NODE_PARAMS_st parameters{do_nothing, nullptr};
       return set_with_owners(bench->graph, bench->node, {bench->former.lock(), owner},
                              [&](CUgraphNode node) {
                                return status(api::cuGraphHostNodeSetParams(node, &parameters));
                              });
     }},
    {"capture into a graph",
     [](Bench* bench, const OpaqueHandle&) {
       Capture capture;
       const CUresult result =
           Capture::begin_to_graph(bench->stream, bench->other, {}, CaptureMode::relaxed, &capture);
       return result == CUDA_SUCCESS ? capture.end() : result;
     }},
    {"capture",
     [](Bench* bench, const OpaqueHandle& owner) {
       Capture capture;
       CUresult result = Capture::begin(bench->stream, CaptureMode::relaxed, &capture);
       if (result == CUDA_SUCCESS) result = capture.call(host(owner));
       if (result == CUDA_SUCCESS) result = capture.keep_with_last(OwnerRole::extra, owner);
       if (result == CUDA_SUCCESS) result = capture.keep(owner);
       return result == CUDA_SUCCESS ? capture.end(&bench->made) : result;
     }},
    {"operands",
     [](Bench* bench, const OpaqueHandle&) {
       CUresult result = Buffer::allocate(16, &bench->buffer);
       if (result == CUDA_SUCCESS) result = Event::create(0, &bench->event);
       if (result == CUDA_SUCCESS) result = Kernel::load("image", "name", &bench->kernel);
       return result;
     }},
};

class Faults : public OnFakeDriver, public testing::WithParamInterface<Operation> {
 protected:
  // Runs the operation, with the n-th driver call or allocation failing, on a new graph. False if
  // it made fewer than n.
  static bool run(bool memory, std::size_t nth) {
    SCOPED_TRACE(std::string(memory ? "allocation " : "driver call ") + std::to_string(nth));
    static auto* const stream = static_cast<CUstream>(driver().new_stream());
    auto owner = std::make_shared<int>(1);
    const std::weak_ptr<int> watch = owner;
    bool failed = false;
    {
      Bench bench;
      bench.stream = stream;
      auto former = std::make_shared<int>(1);
      bench.former = former;
      bench.graph = graph();
      bench.other = graph();
      bench.third = graph();
      node(bench.third, std::make_shared<int>(1));
      EXPECT_EQ(add_host(bench.graph, {}, host(former), &bench.node), kOk);
      EXPECT_EQ(add_host(bench.other, {}, host(former), nullptr), kOk);
      EXPECT_EQ(add_child(bench.graph, {}, bench.other, &bench.child), kOk);
      KernelNode launched;
      launched.function = reinterpret_cast<CUfunction>(0x100);
      EXPECT_EQ(add_kernel(bench.graph, {}, launched, &bench.launched), kOk);
      EXPECT_EQ(Exec::instantiate(bench.graph, &bench.exec), kOk);
      bench.buffers_node.function = reinterpret_cast<CUfunction>(0x100);
      bench.buffers_node.argument_buffers = {Buffer::wrap(0x1000, 4, std::make_shared<int>(1))};
      EXPECT_EQ(Kernel::load("image", "takes_4", &bench.taker), kOk);
      former.reset();
      settle();
      const fake::Live before = driver().live();
      const std::size_t edges = bench.graph.edges().size();

      driver().fail_call(memory ? 0 : nth, CUDA_ERROR_UNKNOWN);
      fail_allocation(memory ? nth : 0);
      const CUresult result = GetParam().run(&bench, owner);
      failed = memory ? allocation_failed() : driver().failed();
      fail_allocation(0);
      const std::string where = driver().failed_in();
      driver().fail_call(0, 0);
      settle();
      EXPECT_FALSE(bench.former.expired());
      if (result != CUDA_SUCCESS) {
        EXPECT_TRUE(failed) << last_error();
        EXPECT_EQ(result, memory ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_UNKNOWN) << last_error();
        const fake::Live after = driver().live();
        EXPECT_EQ(after.nodes, before.nodes) << where;
        EXPECT_EQ(after.graphs, before.graphs) << where;
        EXPECT_EQ(after.execs, before.execs) << where;
        EXPECT_EQ(after.user_objects, before.user_objects) << where;
        EXPECT_EQ(owner.use_count(), 1) << where;
        EXPECT_EQ(bench.graph.edges().size(), edges) << where;
        KernelNode launched_now;
        EXPECT_EQ(get_kernel(bench.graph, bench.launched, &launched_now), kOk);
        EXPECT_FALSE(launched_now.attributes.cooperative) << where;
      }
    }
    owner.reset();
    settle();
    EXPECT_TRUE(watch.expired());
    nothing_lives();
    return failed;
  }
};

TEST_P(Faults, OfTheDriver) {
  std::size_t nth = 1;
  while (!HasFailure() && run(false, nth)) ++nth;
  EXPECT_GT(nth, 1U);
}

TEST_P(Faults, OfMemory) {
  std::size_t nth = 1;
  while (!HasFailure() && run(true, nth)) ++nth;
}

INSTANTIATE_TEST_SUITE_P(In, Faults, testing::ValuesIn(kOperations), test::kPrintedName);

}  // namespace
}  // namespace anycuda::graph
