// SPDX-License-Identifier: Apache-2.0

// Functions of 13.1 and later, for a program of 13 that looks them up: numbers of graphs and nodes,
// parts of a device, copies with attributes. A runtime that lacks them must return an error.
#include <cstring>

#include "batch_types.h"
#include "kernels.h"
#include "later.h"
#include "support.h"
#include "topics.h"

#if CUDART_VERSION >= 13000

namespace conformance {

namespace {

void numbers_of_graphs() {
  Check check("contexts.numbers_of_graphs");
  const Later<cudaGraph_t, unsigned*> cudaGraphGetId("cudaGraphGetId");
  const Later<cudaGraphExec_t, unsigned*> cudaGraphExecGetId("cudaGraphExecGetId");
  const Later<cudaGraphNode_t, cudaGraph_t*> cudaGraphNodeGetContainingGraph(
      "cudaGraphNodeGetContainingGraph");
  const Later<cudaGraphNode_t, unsigned*> cudaGraphNodeGetLocalId("cudaGraphNodeGetLocalId");
  const Later<cudaGraphNode_t, unsigned long long*> cudaGraphNodeGetToolsId(
      "cudaGraphNodeGetToolsId");
  Graph graph;
  cudaGraphNode_t node = nullptr;
  Executable executable;
  CALL(check, cudaGraphCreate(&graph, 0));
  if (check) CALL(check, cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  if (check) CALL(check, cudaGraphInstantiate(&executable, graph, 0));
  if (!check) return;
  Guarded<unsigned> number;
  STATUS(check, "graph", cudaGraphGetId(graph, number.get()));
  STATUS(check, "executable", cudaGraphExecGetId(executable, number.get()));
  STATUS(check, "node", cudaGraphNodeGetLocalId(node, number.get()));
  INTACT(check, number);
  Guarded<unsigned long long> tools;
  STATUS(check, "tools", cudaGraphNodeGetToolsId(node, tools.get()));
  INTACT(check, tools);
  cudaGraph_t containing = nullptr;
  if (STATUS(check, "containing", cudaGraphNodeGetContainingGraph(node, &containing))) {
    EQUAL(check, containing, static_cast<cudaGraph_t>(graph));
  }
}

void execution_contexts() {
  Check check("contexts.execution");
  using Context = struct ExecutionContext*;
  const Later<Context*, int> cudaDeviceGetExecutionCtx("cudaDeviceGetExecutionCtx");
  const Later<int*, Context> cudaExecutionCtxGetDevice("cudaExecutionCtxGetDevice");
  const Later<Context, unsigned long long*> cudaExecutionCtxGetId("cudaExecutionCtxGetId");
  const Later<Context> cudaExecutionCtxSynchronize("cudaExecutionCtxSynchronize");
  CALL(check, cudaFree(nullptr));
  if (!check) return;
  Guarded<Context> context;
  if (!STATUS(check, "of_device", cudaDeviceGetExecutionCtx(context.get(), 0))) return;
  INTACT(check, context);
  Guarded<int> device;
  Guarded<unsigned long long> id;
  STATUS(check, "device", cudaExecutionCtxGetDevice(device.get(), *context));
  STATUS(check, "id", cudaExecutionCtxGetId(*context, id.get()));
  STATUS(check, "synchronize", cudaExecutionCtxSynchronize(*context));
  INTACT(check, device);
  INTACT(check, id);
}

void resources() {
  Check check("contexts.resources");
  struct Resource {  // cudaDevResource of 13.1
    long long words[18];
  };
  const Later<int, Resource*, int> cudaDeviceGetDevResource("cudaDeviceGetDevResource");
  const Later<cudaStream_t, Resource*, int> cudaStreamGetDevResource("cudaStreamGetDevResource");
  CALL(check, cudaFree(nullptr));
  if (!check) return;
  Guarded<Resource> resource;
  constexpr int kProcessors = 1;
  STATUS(check, "of_device", cudaDeviceGetDevResource(0, resource.get(), kProcessors));
  INTACT(check, resource);
  STATUS(check, "of_stream", cudaStreamGetDevResource(nullptr, resource.get(), kProcessors));
  INTACT(check, resource);
}

void copies() {
  Check check("contexts.copy_with_attributes");
  const Later<void*, const void*, std::size_t, cudaMemcpyAttributes*, cudaStream_t>
      cudaMemcpyWithAttributesAsync("cudaMemcpyWithAttributesAsync");
  DeviceArray<int> from(check, kCount);
  DeviceArray<int> to(check, kCount);
  Stream stream(check);
  if (!check) return;
  from.write(std::vector<int>(kCount, 6));
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  if (STATUS(
          check, "copy",
          cudaMemcpyWithAttributesAsync(to.get(), from.get(), to.bytes(), &attributes, stream))) {
    CALL(check, cudaStreamSynchronize(stream));
    to.expect("after the copy", 6);
  }
}

// The rest cannot be used without a context: then every runtime must refuse them in the same way.
void not_there() {
  Check check("contexts.not_there");
  int runtime = 0;
  if (!CALL(check, cudaRuntimeGetVersion(&runtime)) || runtime >= 13010) return;
  for (const char* name :
       {"cudaExecutionCtxDestroy", "cudaExecutionCtxGetDevResource", "cudaExecutionCtxRecordEvent",
        "cudaExecutionCtxStreamCreate", "cudaExecutionCtxWaitEvent", "cudaGreenCtxCreate"}) {
    const Later<void*, void*, void*, void*> call(name);
    if (check.call(name, call(nullptr, nullptr, nullptr, nullptr))) {
      check.fail(std::string(name) + " succeeded where it is not");
    }
  }
}

}  // namespace

void contexts() {
  numbers_of_graphs();
  execution_contexts();
  resources();
  copies();
  not_there();
}

}  // namespace conformance

#endif
