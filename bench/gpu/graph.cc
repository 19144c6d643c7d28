// SPDX-License-Identifier: Apache-2.0

// What owners cost: nodes added by raw driver calls and by anycuda::graph, without and with an
// owner, in graphs of 1,000, 10,000 and 100,000 nodes. Needs a driver, and for kernel nodes a GPU.
//
//   graph_cost [repetitions]     # 5 of 100,000 nodes, and as many nodes in smaller graphs
//
// Each figure is that of the fastest repetition: whatever else the machine does only adds. The heap
// keeps its pages between repetitions: how much of it malloc() would return to the kernel depends
// on what was freed last, and the next repetition would pay for that.
//
// "+object" is the driver's own part of an owner: a CUDA user object made and moved into the graph.
// Bytes: `heap` is all of the process (mallinfo2), `ours` is what C++ asked for with operator new,
// which the driver does not use.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <thread>
#include <vector>

#include "anycuda/graph/drain.h"
#include "anycuda/graph/graph.h"
#include "api/cuda_api.h"

namespace {
std::atomic<long> ours{0};
}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  ours += static_cast<long>(malloc_usable_size(memory) + sizeof(std::size_t));
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr)
    ours -= static_cast<long>(malloc_usable_size(memory) + sizeof(std::size_t));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

namespace api = anycuda::api;
using namespace anycuda::graph;
using Clock = std::chrono::steady_clock;

constexpr char kImage[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry nothing(.param .u64 address) { ret; }\n";

void check(unsigned status, const char* what) {
  if (status == 0) return;
  std::printf("%s: error %u (%s)\n", what, status, last_error());
  std::exit(1);
}

void do_nothing(void*) {}

struct Cost {
  double ns = 0;    // a node
  double heap = 0;  // bytes a node, of the whole process
  double own = 0;   // bytes a node, of operator new
};

// The cost of `work` for each of `count` nodes.
template <typename Work>
Cost measure(int count, const Work& work) {
  const auto heap = static_cast<double>(mallinfo2().uordblks);
  const auto own = static_cast<double>(ours.load());
  const auto begin = Clock::now();
  work();
  const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
  return {taken.count() / count, (static_cast<double>(mallinfo2().uordblks) - heap) / count,
          (static_cast<double>(ours.load()) - own) / count};
}

Cost fastest_of(const std::vector<Cost>& all) {
  return *std::min_element(all.begin(), all.end(),
                           [](const Cost& a, const Cost& b) { return a.ns < b.ns; });
}

void print(const char* kind, const char* how, int count, const Cost& cost, const Cost& raw) {
  std::printf("%-7s %-24s %7d %8.1f ns %6.2fx %+8.1f ns | heap %7.1f B %+7.1f B | ours %6.1f B\n",
              kind, how, count, cost.ns, cost.ns / raw.ns, cost.ns - raw.ns, cost.heap,
              cost.heap - raw.heap, cost.own);
}

// Releases `count` nodes' owners, as the driver's thread reports that they are retired.
Cost drained(int count) {
  Cost cost;
  std::size_t done = 0;
  for (int wait = 0; wait < 5000 && done < static_cast<std::size_t>(count); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const Cost one = measure(count, [&] { done += drain(); });
    cost.ns += one.ns;
    cost.heap += one.heap;
    cost.own += one.own;
  }
  if (done < static_cast<std::size_t>(count)) {
    std::printf("only %zu of %d nodes' owners were released\n", done, count);
    std::exit(1);
  }
  return cost;
}

// The raw call that adds a node of this kind, and this library's.
struct Kind {
  const char* name;
  std::function<unsigned(CUgraph, CUgraphNode*)> raw;
  std::function<CUresult(const GraphView&, const OpaqueHandle&, CUgraphNode*)> with_owner;
  std::function<CUresult(const GraphView&, CUgraphNode*)> without;
};

Cost raw_graph(const Kind& kind, int count, bool with_object) {
  CUgraph graph = nullptr;
  check(api::cuGraphCreate(&graph, 0), "cuGraphCreate");
  const Cost cost = measure(count, [&] {
    for (int at = 0; at < count; ++at) {
      CUgraphNode node = nullptr;
      check(kind.raw(graph, &node), kind.name);
      if (!with_object) continue;
      CUuserObject_st* object = nullptr;
      check(api::cuUserObjectCreate(&object, graph, do_nothing, 1, 1), "cuUserObjectCreate");
      check(api::cuGraphRetainUserObject(graph, object, 1, 1), "cuGraphRetainUserObject");
    }
  });
  check(api::cuGraphDestroy(graph), "cuGraphDestroy");
  return cost;
}

// The four ways take turns, since the machine may become slower or faster.
void rows(const Kind& kind, int count, int repetitions, const OpaqueHandle& owner) {
  std::vector<Cost> raws, objects, withouts, withs, slots, clones, destroys, drains;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    raws.push_back(raw_graph(kind, count, false));
    Graph graph;
    check(Graph::create(&graph), "create");
    withs.push_back(measure(count, [&] {
      for (int at = 0; at < count; ++at) check(kind.with_owner(graph, owner, nullptr), kind.name);
    }));
    destroys.push_back(measure(count, [&] { check(graph.destroy(), "destroy"); }));
    drains.push_back(drained(count));

    objects.push_back(raw_graph(kind, count, true));
    check(Graph::create(&graph), "create");
    withouts.push_back(measure(count, [&] {
      for (int at = 0; at < count; ++at) check(kind.without(graph, nullptr), kind.name);
    }));
    check(graph.destroy(), "destroy");

    // The same owners for existing nodes, and a clone of all.
    check(Graph::create(&graph), "create");
    std::vector<CUgraphNode> nodes(static_cast<std::size_t>(count));
    for (CUgraphNode& node : nodes) check(kind.without(graph, &node), kind.name);
    slots.push_back(measure(count, [&] {
      for (CUgraphNode node : nodes) {
        check(graph_set_owner(graph, node, OwnerRole::extra, owner), "graph_set_owner");
      }
    }));
    Graph copy;
    clones.push_back(measure(count, [&] { check(graph.clone(&copy), "clone"); }));
    check(copy.destroy(), "destroy");
    check(graph.destroy(), "destroy");
    drained(count);
  }
  const Cost raw = fastest_of(raws);
  const Cost object = fastest_of(objects);
  const Cost with = fastest_of(withs);
  print(kind.name, "raw", count, raw, raw);
  print(kind.name, "raw + user object", count, object, raw);
  print(kind.name, "anycuda, no owner", count, fastest_of(withouts), raw);
  print(kind.name, "anycuda, an owner", count, with, raw);
  std::printf("%-7s   beyond the driver's own: %+.1f ns, %+.1f B of heap a node\n", kind.name,
              with.ns - object.ns, with.heap - object.heap);
  print(kind.name, "only graph_set_owner", count, fastest_of(slots), raw);
  print(kind.name, "clone", count, fastest_of(clones), raw);
  print(kind.name, "destroy", count, fastest_of(destroys), raw);
  print(kind.name, "drain", count, fastest_of(drains), raw);
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  check(api::cuInit(0), "cuInit");
  int device = 0;
  CUcontext context = nullptr;
  check(api::cuDeviceGet(&device, 0), "cuDeviceGet");
  check(api::cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(api::cuCtxSetCurrent(context), "cuCtxSetCurrent");
  // By raw calls: of a module that Kernel::load has loaded a raw function's node is one more owner.
  CUmod_st* module = nullptr;
  CUfunction function = nullptr;
  check(api::cuModuleLoadData(&module, kImage), "cuModuleLoadData");
  check(api::cuModuleGetFunction(&function, module, "nothing"), "cuModuleGetFunction");

  const OpaqueHandle owner = std::make_shared<int>(1);
  unsigned long long argument = 0;
  void* arguments[] = {&argument};
  api::CUDA_KERNEL_NODE_PARAMS_st launch{function, 1, 1, 1, 1, 1, 1, 0, arguments, nullptr};
  const api::CUDA_HOST_NODE_PARAMS_st call{do_nothing, nullptr};
  KernelNode bare;
  bare.function = function;
  bare.arguments = arguments;
  HostNode host;
  host.function = do_nothing;
  const Kind kinds[] = {
      {"empty",
       [](CUgraph graph, CUgraphNode* out) {
         return api::cuGraphAddEmptyNode(out, graph, nullptr, 0);
       },
       [](const GraphView& graph, const OpaqueHandle& kept, CUgraphNode* out) {
         const auto add = [](CUgraph to, CUgraphNode* made) {
           return static_cast<CUresult>(api::cuGraphAddEmptyNode(made, to, nullptr, 0));
         };
         return add_with_owners(graph, {kept}, add, out);
       },
       [](const GraphView& graph, CUgraphNode* out) { return add_empty(graph, {}, out); }},
      {"host",
       [&](CUgraph graph, CUgraphNode* out) {
         return api::cuGraphAddHostNode(out, graph, nullptr, 0, &call);
       },
       [&](const GraphView& graph, const OpaqueHandle& kept, CUgraphNode* out) {
         HostNode node = host;
         node.data_owner = kept;
         return add_host(graph, {}, node, out);
       },
       [&](const GraphView& graph, CUgraphNode* out) { return add_host(graph, {}, host, out); }},
      {"kernel",
       [&](CUgraph graph, CUgraphNode* out) {
         return api::cuGraphAddKernelNode(out, graph, nullptr, 0, &launch);
       },
       [&](const GraphView& graph, const OpaqueHandle& kept, CUgraphNode* out) {
         KernelNode node = bare;
         node.argument_owner = kept;
         return add_kernel(graph, {}, node, out);
       },
       [&](const GraphView& graph, CUgraphNode* out) { return add_kernel(graph, {}, bare, out); }},
  };
  for (const Kind& kind : kinds) {
    for (const int count : {1000, 10000, 100000}) {
      rows(kind, count, repetitions * (100000 / count), owner);
    }
  }
  return 0;
}
