// SPDX-License-Identifier: Apache-2.0

// Conditional nodes: a part of a graph that runs once, never, or until a kernel stops it (12.3 on).
#include "graph_nodes.h"
#include "later.h"
#include "topics.h"

#if CUDART_VERSION >= 12030

namespace conformance {

namespace {

// One thread after the other takes part, so that the kernel needs no other synchronisation.
__global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}

// A graph with one conditional node, whose body adds 1 to `data`.
template <typename Form>
class Conditional {
 public:
  Conditional(Check& check, cudaGraphConditionalNodeType type, unsigned at_first, int* data)
      : check_(check), add_(data, 1) {
    CALL(check, cudaGraphCreate(&graph, 0));
    if (!check || !CALL(check, cudaGraphConditionalHandleCreate(handle.get(), graph, at_first,
                                                                cudaGraphCondAssignDefault))) {
      return;
    }
    INTACT(check, handle);
    start(params_, cudaGraphNodeTypeConditional);
    params_->conditional.handle = *handle;
    params_->conditional.type = type;
    params_->conditional.size = 1;
    Guarded<Node> node;
    if (!check.call(function<Form>("cudaGraphAddNode").c_str(),
                    Form::add_node(node.get(), graph, nullptr, 0, params_.get()))) {
      return;
    }
    INTACT(check, node);
    INTACT(check, params_);
    body =
        params_->conditional.phGraph_out != nullptr ? params_->conditional.phGraph_out[0] : nullptr;
    EQUAL(check, body != nullptr, true);
    if (!check) return;
    const cudaKernelNodeParams kernel = add_.node();
    CALL(check, cudaGraphAddKernelNode(&in_body, body, nullptr, 0, &kernel));
  }
  void run() {
    if (!check_) return;
    Executable executable;
    CALL(check_, cudaGraphInstantiateWithFlags(&executable, graph, 0));
    if (check_) CALL(check_, cudaGraphLaunch(executable, nullptr));
    CALL(check_, cudaDeviceSynchronize());
  }
  Graph graph;
  Guarded<cudaGraphConditionalHandle> handle;
  cudaGraph_t body = nullptr;
  Node in_body = nullptr;

 private:
  Check& check_;
  Add add_;
  NodeParams params_;
};

template <typename Form>
void when(unsigned value, int want) {
  Check check("conditionals.if_" + std::to_string(value) + "." + Form::kTopic);
  DeviceArray<int> data(check, kCount);
  Conditional<Form> conditional(check, cudaGraphCondTypeIf, value, data.get());
  conditional.run();
  data.expect("after the conditional node", want);
}

template <typename Form>
void loop() {
  Check check(std::string("conditionals.while.") + Form::kTopic);
  DeviceArray<int> data(check, kCount);
  DeviceArray<int> left(check, 1);
  if (!check) return;
  left.write({3});
  Conditional<Form> conditional(check, cudaGraphCondTypeWhile, 1, data.get());
  if (!check) return;
  int* counter = left.get();
  void* arguments[] = {&counter, conditional.handle.get()};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(&count_down);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  Node last = nullptr;
  CALL(check, cudaGraphAddKernelNode(&last, conditional.body, &conditional.in_body, 1, &kernel));
  conditional.run();
  data.expect("after the loop", 3);
}

#if CUDART_VERSION >= 13000
// The newer form takes an execution context, and may be given none.
void newer_handle() {
  Check check("conditionals.newer_handle");
  const Later<cudaGraphConditionalHandle*, cudaGraph_t, void*, unsigned, unsigned>
      cudaGraphConditionalHandleCreate_v2("cudaGraphConditionalHandleCreate_v2");
  Graph graph;
  CALL(check, cudaGraphCreate(&graph, 0));
  if (!check) return;
  Guarded<cudaGraphConditionalHandle> handle;
  STATUS(check, "status",
         cudaGraphConditionalHandleCreate_v2(handle.get(), graph, nullptr, 1,
                                             cudaGraphCondAssignDefault));
  INTACT(check, handle);
}
#endif

template <typename Form>
void all() {
  when<Form>(1, 1);
  when<Form>(0, 0);
  loop<Form>();
}

}  // namespace

void conditionals() {
  all<WithoutData>();
  all<WithData>();
#if CUDART_VERSION >= 13000
  newer_handle();
#endif
}

}  // namespace conformance

#endif
