// SPDX-License-Identifier: Apache-2.0

// Instantiates, updates and queries graphs.
#include "stubs/cudart/adapters/graph_support.h"

namespace anycuda {

using Exec = v13::cudaGraphExec_t;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;

// 11's instantiation reports errors by node and text. 11's runtime calls the driver's function of
// that form with unchanged arguments (read in the machine code of 11.8); every driver since has it.
ANYCUDA_ADAPTER v11::cudaError_t adapt_graph_instantiate_with_log(Exec* exec, Graph graph,
                                                                  Node* error_node, char* log,
                                                                  std::size_t log_size) {
  return in_context(
      [=] { return driver::cuGraphInstantiate_v2(exec, graph, error_node, log, log_size); });
}

namespace {

using InstantiateParams = v13::cudaGraphInstantiateParams_st;

driver::CUDA_GRAPH_INSTANTIATE_PARAMS_st* to_driver(InstantiateParams* params) {
  using Driver = driver::CUDA_GRAPH_INSTANTIATE_PARAMS_st;
  static_assert(sizeof(InstantiateParams) == sizeof(Driver));
  static_assert(__builtin_offsetof(InstantiateParams, uploadStream) ==
                __builtin_offsetof(Driver, hUploadStream));
  static_assert(__builtin_offsetof(InstantiateParams, errNode_out) ==
                __builtin_offsetof(Driver, hErrNode_out));
  static_assert(__builtin_offsetof(InstantiateParams, result_out) ==
                __builtin_offsetof(Driver, result_out));
  return reinterpret_cast<Driver*>(params);
}

// With a driver of 11, in two steps. Such a driver names neither a reason nor a node: the caller
// gets the result that "cudaGraphInstantiateWithParams" documents for an unexpected error.
template <typename Upload>
Status instantiate_in_steps(Exec* exec, Graph graph, InstantiateParams* params, Upload upload) {
  if (exec == nullptr || params == nullptr) return remember(v13::cudaErrorInvalidValue);
  constexpr unsigned long long kUpload = 2;  // cudaGraphInstantiateFlagUpload
  Exec made = nullptr;
  Status status = v11::cudaGraphInstantiateWithFlags(&made, graph, params->flags & ~kUpload);
  if (status == 0 && (params->flags & kUpload) != 0) {
    status = upload(made, params->uploadStream);
    if (status != 0) v11::cudaGraphExecDestroy(made);
  }
  if (status == 0) *exec = made;
  params->errNode_out = nullptr;
  params->result_out =
      status == 0 ? v13::cudaGraphInstantiateSuccess : v13::cudaGraphInstantiateError;
  return status;
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_instantiate_with_params(Exec* exec, Graph graph,
                                                                     InstantiateParams* params) {
  static OfDriver drivers{"cuGraphInstantiateWithParams"};
  if (drivers.available()) {
    return in_context(
        [=] { return driver::cuGraphInstantiateWithParams(exec, graph, to_driver(params)); });
  }
  return instantiate_in_steps(exec, graph, params, v11::cudaGraphUpload);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_instantiate_with_params_ptsz(
    Exec* exec, Graph graph, InstantiateParams* params) {
  static OfDriver drivers{"cuGraphInstantiateWithParams_ptsz"};
  if (drivers.available()) {
    return in_context(
        [=] { return driver::cuGraphInstantiateWithParams_ptsz(exec, graph, to_driver(params)); });
  }
  return instantiate_in_steps(exec, graph, params, v11::cudaGraphUpload_ptsz);
}

// 11 asks for one node, 12 and later for a struct with two, and the nodes do not mean quite the
// same. The driver keeps 11's function. As in 11.8's machine code the result is written whether the
// update succeeded or not, and a changed function is an unsupported change of function.
ANYCUDA_ADAPTER v11::cudaError_t adapt_graph_exec_update_with_node(Exec exec, Graph graph,
                                                                   Node* error_node,
                                                                   unsigned int* result) {
  if (exec == nullptr || graph == nullptr) return remember(v11::cudaErrorInvalidValue);
  unsigned int found = v11::cudaGraphExecUpdateError;
  const Status status =
      in_context([&] { return driver::cuGraphExecUpdate(exec, graph, error_node, &found); });
  if (found == v11::cudaGraphExecUpdateErrorFunctionChanged) {
    found = v11::cudaGraphExecUpdateErrorUnsupportedFunctionChange;
  }
  if (found > v11::cudaGraphExecUpdateErrorAttributesChanged) {
    found = v11::cudaGraphExecUpdateError;
  }
  if (result != nullptr) *result = found;
  return status;
}

// The other way: a driver of 11 knows one of the two nodes.
ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_exec_update_info(
    Exec exec, Graph graph, v13::cudaGraphExecUpdateResultInfo_st* info) {
  if (exec == nullptr || graph == nullptr) return remember(v13::cudaErrorInvalidValue);
  static OfDriver drivers{"cuGraphExecUpdate_v2"};
  driver::CUgraphExecUpdateResultInfo_st found{};
  found.result = v13::cudaGraphExecUpdateError;
  const Status status =
      drivers.available()
          ? in_context([&] { return driver::cuGraphExecUpdate_v2(exec, graph, &found); })
          : v11::cudaGraphExecUpdate(exec, graph, &found.errorNode, &found.result);
  if (info != nullptr) {
    info->result = found.result <= v13::cudaGraphExecUpdateErrorAttributesChanged
                       ? found.result
                       : v13::cudaGraphExecUpdateError;
    info->errorNode = found.errorNode;
    info->errorFromNode = found.errorFromNode;
  }
  return status;
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_exec_get_flags(Exec exec, unsigned long long* flags) {
  static_assert(sizeof *flags == sizeof(driver::cuuint64_t));
  return in_context([=] {
    return driver::cuGraphExecGetFlags(exec, reinterpret_cast<driver::cuuint64_t*>(flags));
  });
}

}  // namespace anycuda
