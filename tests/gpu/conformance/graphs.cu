// SPDX-License-Identifier: Apache-2.0

// Graphs: every way of instantiating one, and updates of an instantiated one.
#include <cstring>

#include "graph_forms.h"
#include "kernels.h"
#include "topics.h"

namespace conformance {

namespace {

// A graph that adds 1 and then multiplies by 3.
class Two {
 public:
  Two(Check& check, int* data, int amount) : add_(data, amount) {
    CALL(check, cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams params = add_.node();
    if (check) CALL(check, cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &params));
    params.func = reinterpret_cast<void*>(&multiply);
    params.kernelParams = multiply_arguments_;
    if (check) CALL(check, cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &params));
  }
  Graph graph;
  Node nodes[2] = {};

 private:
  Add add_;
  int factor_ = 3;
  void* multiply_arguments_[3] = {&add_.data, &add_.count, &factor_};
};

void run(Check& check, cudaGraphExec_t executable) {
  Stream stream(check);
  if (!check) return;
  CALL(check, cudaGraphLaunch(executable, stream));
  CALL(check, cudaStreamSynchronize(stream));
}

template <typename Instantiate>
void instantiated(const char* name, const char* text, Instantiate instantiate) {
  Check check(name);
  DeviceArray<int> data(check, kCount);
  Two two(check, data.get(), 1);
  Guarded<cudaGraphExec_t> handle;
  if (!check || !check.call(text, instantiate(handle.get(), two))) return;
  INTACT(check, handle);
  run(check, *handle);
  data.expect("after the graph", 3);
  CALL(check, cudaGraphExecDestroy(*handle));
}

#if CUDART_VERSION < 12000
// The form of 11: which node is wrong, and why.
void instantiate_with_log() {
  Check check("graphs.instantiate_with_log");
  DeviceArray<int> data(check, kCount);
  Two two(check, data.get(), 1);
  Guarded<cudaGraphExec_t> handle;
  Guarded<cudaGraphNode_t> error;
  Guarded<char[64]> log;
  if (!check ||
      !CALL(check, cudaGraphInstantiate(handle.get(), two.graph, error.get(), *log, sizeof *log))) {
    return;
  }
  INTACT(check, handle);
  INTACT(check, error);
  INTACT(check, log);
  check.value("error_node", error.untouched() ? "untouched" : index_of(*error, two.nodes));
  check.value("log", log.untouched() ? "untouched" : std::string(*log, strnlen(*log, sizeof *log)));
  run(check, *handle);
  data.expect("after the graph", 3);
  CALL(check, cudaGraphExecDestroy(*handle));
}
#endif

void instantiate() {
#if CUDART_VERSION < 12000
  instantiate_with_log();
  instantiated("graphs.instantiate_without_log", "cudaGraphInstantiate",
               [](cudaGraphExec_t* handle, Two& two) {
                 return cudaGraphInstantiate(handle, two.graph, nullptr, nullptr, 0);
               });
#else
  instantiated("graphs.instantiate", "cudaGraphInstantiate", [](cudaGraphExec_t* handle, Two& two) {
    return cudaGraphInstantiate(handle, two.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  });
#endif
  instantiated("graphs.instantiate_with_flags", "cudaGraphInstantiateWithFlags",
               [](cudaGraphExec_t* handle, Two& two) {
                 return cudaGraphInstantiateWithFlags(handle, two.graph,
                                                      cudaGraphInstantiateFlagAutoFreeOnLaunch);
               });
}

// A graph with memory nodes can be instantiated once at a time; the second call must fail.
void instantiate_twice() {
  Check check("graphs.instantiate_twice");
  Graph graph;
  CALL(check, cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = 4096;
  Node allocation = nullptr;
  if (!check || !CALL(check, cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &params))) {
    return;
  }
  Executable first;
  Executable second;
#if CUDART_VERSION < 12000
  CALL(check, cudaGraphInstantiate(&first, graph, nullptr, nullptr, 0));
  Guarded<cudaGraphNode_t> error;
  Guarded<char[64]> log;
  STATUS(check, "second", cudaGraphInstantiate(&second, graph, error.get(), *log, sizeof *log));
  INTACT(check, error);
  INTACT(check, log);
  const Node nodes[] = {allocation};
  if (check) check.value("error_node", index_of(*error, nodes));
#else
  CALL(check, cudaGraphInstantiate(&first, graph, 0));
  STATUS(check, "second", cudaGraphInstantiate(&second, graph, 0));
#endif
}

#if CUDART_VERSION >= 12000
void instantiate_with_params() {
  Check check("graphs.instantiate_with_params");
  DeviceArray<int> data(check, kCount);
  Stream stream(check);
  Two two(check, data.get(), 1);
  if (!check) return;
  Guarded<cudaGraphInstantiateParams> params;
  std::memset(params.get(), 0, sizeof *params);
  params->flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagAutoFreeOnLaunch;
  params->uploadStream = stream;
  Executable executable;
  if (!CALL(check, cudaGraphInstantiateWithParams(&executable, two.graph, params.get()))) return;
  INTACT(check, params);
  check.value("result", params->result_out);
  check.value("error_node", index_of(params->errNode_out, two.nodes));
  run(check, executable);
  data.expect("after the graph", 3);
  Guarded<unsigned long long> flags;
  CALL(check, cudaGraphExecGetFlags(executable, flags.get()));
  INTACT(check, flags);
  check.value("flags", *flags);
}

void flags() {
  Check check("graphs.flags");
  DeviceArray<int> data(check, kCount);
  Two two(check, data.get(), 1);
  Executable executable;
  if (!check || !CALL(check, cudaGraphInstantiate(&executable, two.graph,
                                                  cudaGraphInstantiateFlagAutoFreeOnLaunch))) {
    return;
  }
  Guarded<unsigned long long> flags;
  if (CALL(check, cudaGraphExecGetFlags(executable, flags.get()))) check.value("flags", *flags);
  INTACT(check, flags);
}
#endif

// `what` is the result, in the form that the headers give the call.
cudaError_t update(Check& check, cudaGraphExec_t executable, Two& with, const std::string& what) {
#if CUDART_VERSION < 12000
  Guarded<cudaGraphNode_t> error;
  Guarded<cudaGraphExecUpdateResult> result;
  const cudaError_t status = cudaGraphExecUpdate(executable, with.graph, error.get(), result.get());
  INTACT(check, error);
  INTACT(check, result);
  if (static_cast<int>(status) == 801 || static_cast<int>(status) == 302) return status;
  check.value(what + "_result", *result);
  check.value(what + "_error_node", index_of(*error, with.nodes));
#else
  Guarded<cudaGraphExecUpdateResultInfo> info;
  const cudaError_t status = cudaGraphExecUpdate(executable, with.graph, info.get());
  INTACT(check, info);
  if (static_cast<int>(status) == 801 || static_cast<int>(status) == 302) return status;
  check.value(what + "_result", info->result);
  check.value(what + "_error_node", index_of(info->errorNode, with.nodes));
  check.value(what + "_error_from_node", index_of(info->errorFromNode, with.nodes));
#endif
  return status;
}

void update() {
  Check check("graphs.update");
  DeviceArray<int> data(check, kCount);
  Two one(check, data.get(), 1);
  Two five(check, data.get(), 5);
  Executable executable;
  if (!check || !CALL(check, cudaGraphInstantiateWithFlags(&executable, one.graph, 0))) return;
  if (!check.call("cudaGraphExecUpdate", update(check, executable, five, "fits"))) return;
  run(check, executable);
  data.expect("after the updated graph", 15);
}

// An update to another shape fails: the status, the result and the node show it.
void update_refused() {
  Check check("graphs.update_refused");
  DeviceArray<int> data(check, kCount);
  Two one(check, data.get(), 1);
  Two more(check, data.get(), 1);
  if (!check) return;
  Node third = nullptr;
  CALL(check, cudaGraphAddEmptyNode(&third, more.graph, &more.nodes[1], 1));
  Executable executable;
  if (!check || !CALL(check, cudaGraphInstantiateWithFlags(&executable, one.graph, 0))) return;
  const cudaError_t status = update(check, executable, more, "misfit");
  check.status("status", "cudaGraphExecUpdate", status);
  if (!check) return;
  run(check, executable);
  data.expect("the old graph", 3);
}

}  // namespace

void graphs() {
  instantiate();
  instantiate_twice();
#if CUDART_VERSION >= 12000
  instantiate_with_params();
  flags();
#endif
  update();
  update_refused();
}

}  // namespace conformance
