// SPDX-License-Identifier: Apache-2.0

// cudaGraphAddNode with every kind of node, in both forms, and setting what was added (12.2 on).
#include "graph_nodes.h"
#include "later.h"
#include "topics.h"

#if CUDART_VERSION >= 12020

namespace conformance {

namespace {

void count_one(void* counter) { ++*static_cast<int*>(counter); }

// Adds nodes to one graph, each after the one before.
template <typename Form>
class Chain {
 public:
  explicit Chain(Check& check) : check_(check) { CALL(check, cudaGraphCreate(&graph, 0)); }
  bool append(NodeParams& params) {
    if (!check_) return false;
    Guarded<Node> node;
    const bool added = check_.call(
        function<Form>("cudaGraphAddNode").c_str(),
        Form::add_node(node.get(), graph, &last, last != nullptr ? 1 : 0, params.get()));
    INTACT(check_, node);
    INTACT(check_, params);
    if (added) last = *node;
    return added;
  }
  void run(int times) {
    if (!check_) return;
    Executable executable;
    Stream stream(check_);
    CALL(check_, cudaGraphInstantiateWithFlags(&executable, graph, 0));
    for (int i = 0; i < times && check_; ++i) CALL(check_, cudaGraphLaunch(executable, stream));
    CALL(check_, cudaStreamSynchronize(stream));
  }
  Graph graph;
  Node last = nullptr;

 private:
  Check& check_;
};

template <typename Form>
void every_kind() {
  Check check(std::string("nodes.every_kind.") + Form::kTopic);
  DeviceArray<int> data(check, kCount);
  DeviceArray<int> copied(check, kCount);
  Event event(check);
  Graph child;
  CALL(check, cudaGraphCreate(&child, 0));
  if (!check) return;
  int calls = 0;
  Chain<Form> chain(check);
  NodeParams params;
  memset_node(params, data.get(), 5);
  if (!chain.append(params)) return;
  Add two(data.get(), 2);
  kernel_node(params, two);
  chain.append(params);
  start(params, cudaGraphNodeTypeEmpty);
  chain.append(params);
  start(params, cudaGraphNodeTypeEventRecord);
  params->eventRecord.event = event;
  chain.append(params);
  start(params, cudaGraphNodeTypeWaitEvent);
  params->eventWait.event = event;
  chain.append(params);
  host_node(params, count_one, &calls);
  chain.append(params);
  copy_node(params, copied.get(), data.get());
  chain.append(params);
  Add ten(copied.get(), 10);
  const cudaKernelNodeParams in_child = ten.node();
  Node unused = nullptr;
  CALL(check, cudaGraphAddKernelNode(&unused, child, nullptr, 0, &in_child));
  start(params, cudaGraphNodeTypeGraph);
  params->graph.graph = child;
  chain.append(params);
  chain.run(3);
  data.expect("set and added to", 7);
  copied.expect("copied and added to", 17);
  EQUAL(check, calls, 3);
}

template <typename Form>
void memory() {
  Check check(std::string("nodes.memory.") + Form::kTopic);
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Chain<Form> chain(check);
  NodeParams params;
  start(params, cudaGraphNodeTypeMemAlloc);
  params->alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  params->alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  params->alloc.bytesize = kCount * sizeof(int);
  if (!chain.append(params)) return;
  int* allocated = static_cast<int*>(params->alloc.dptr);
  EQUAL(check, allocated != nullptr, true);
  memset_node(params, allocated, 9);
  chain.append(params);
  copy_node(params, data.get(), allocated);
  chain.append(params);
  start(params, cudaGraphNodeTypeMemFree);
  params->free.dptr = allocated;
  chain.append(params);
  chain.run(2);
  data.expect("copied from memory of the graph", 9);
}

template <typename Form>
void wrong() {
  Check check(std::string("nodes.wrong.") + Form::kTopic);
  Graph graph;
  CALL(check, cudaGraphCreate(&graph, 0));
  NodeParams params;
  start(params, static_cast<cudaGraphNodeType>(99));
  const std::string name = function<Form>("cudaGraphAddNode");
  Guarded<Node> node;
  if (!check) return;
  check.status("unknown_type", name.c_str(),
               Form::add_node(node.get(), graph, nullptr, 0, params.get()));
  start(params, cudaGraphNodeTypeEmpty);
  params->reserved2 = 1;
  check.status("reserved_not_zero", name.c_str(),
               Form::add_node(node.get(), graph, nullptr, 0, params.get()));
  check.status("null_params", name.c_str(), Form::add_node(node.get(), graph, nullptr, 0, nullptr));
  INTACT(check, node);
}

void set() {
  Check check("nodes.set");
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Chain<WithoutData> chain(check);
  NodeParams params;
  Add one(data.get(), 1);
  kernel_node(params, one);
  if (!chain.append(params)) return;
  Add four(data.get(), 4);
  kernel_node(params, four);
  if (!CALL(check, cudaGraphNodeSetParams(chain.last, params.get()))) return;
  INTACT(check, params);
  chain.run(1);
  data.expect("after setting the node", 4);

  Executable executable;
  CALL(check, cudaGraphInstantiateWithFlags(&executable, chain.graph, 0));
  Add hundred(data.get(), 100);
  kernel_node(params, hundred);
  if (!check || !CALL(check, cudaGraphExecNodeSetParams(executable, chain.last, params.get()))) {
    return;
  }
  INTACT(check, params);
  CALL(check, cudaGraphLaunch(executable, nullptr));
  data.expect("after setting the instantiated node", 104);
  start(params, cudaGraphNodeTypeEmpty);
  STATUS(check, "other_type", cudaGraphNodeSetParams(chain.last, params.get()));
  STATUS(check, "null", cudaGraphNodeSetParams(chain.last, nullptr));
}

#if CUDART_VERSION >= 13000
void get() {
  Check check("nodes.get");
  const Later<Node, cudaGraphNodeParams*> cudaGraphNodeGetParams("cudaGraphNodeGetParams");
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Chain<WithoutData> chain(check);
  NodeParams params;
  memset_node(params, data.get(), 5);
  if (!chain.append(params)) return;
  NodeParams got;
  // The driver may be too old for it.
  if (!STATUS(check, "status", cudaGraphNodeGetParams(chain.last, got.get()))) return;
  INTACT(check, got);
  EQUAL(check, got->type, cudaGraphNodeTypeMemset);
  EQUAL(check, got->memset.dst, params->memset.dst);
  EQUAL(check, got->memset.value, params->memset.value);
  EQUAL(check, got->memset.width, params->memset.width);
}
#endif

template <typename Form>
void all() {
  every_kind<Form>();
  memory<Form>();
}

}  // namespace

void nodes() {
  all<WithoutData>();
#if defined(CONFORMANCE_EDGE_DATA)
  all<WithData>();
#endif
  set();
#if CUDART_VERSION >= 13000
  get();
#endif
  wrong<WithoutData>();
#if defined(CONFORMANCE_EDGE_DATA)
  wrong<WithData>();
#endif
}

}  // namespace conformance

#endif
