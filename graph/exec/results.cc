// SPDX-License-Identifier: Apache-2.0
#include "anycuda/graph/exec.h"
#include "api/cuda_api.h"

namespace anycuda::graph {
namespace {

constexpr const char* kNames[] = {"success",           "error",
                                  "topology_changed",  "node_type_changed",
                                  "function_changed",  "parameters_changed",
                                  "not_supported",     "unsupported_function_change",
                                  "attributes_changed"};
constexpr unsigned kCount = sizeof kNames / sizeof *kNames;

constexpr bool is(UpdateResult result, unsigned number) {
  return static_cast<unsigned>(result) == number;
}
static_assert(
    is(UpdateResult::success, api::CU_GRAPH_EXEC_UPDATE_SUCCESS) &&
    is(UpdateResult::error, api::CU_GRAPH_EXEC_UPDATE_ERROR) &&
    is(UpdateResult::topology_changed, api::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED) &&
    is(UpdateResult::node_type_changed, api::CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED) &&
    is(UpdateResult::function_changed, api::CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED) &&
    is(UpdateResult::parameters_changed, api::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED) &&
    is(UpdateResult::not_supported, api::CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED) &&
    is(UpdateResult::unsupported_function_change,
       api::CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE) &&
    is(UpdateResult::attributes_changed, api::CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED));

constexpr const char* kInstantiateNames[] = {"success",
                                             "error",
                                             "invalid_structure",
                                             "node_operation_not_supported",
                                             "multiple_contexts_not_supported",
                                             "conditional_handle_unused"};
constexpr unsigned kInstantiateCount = sizeof kInstantiateNames / sizeof *kInstantiateNames;
static_assert(static_cast<unsigned>(InstantiateResult::invalid_structure) ==
                  api::CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE &&
              static_cast<unsigned>(InstantiateResult::node_operation_not_supported) ==
                  api::CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED &&
              static_cast<unsigned>(InstantiateResult::multiple_contexts_not_supported) ==
                  api::CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED &&
              static_cast<unsigned>(InstantiateResult::conditional_handle_unused) ==
                  api::CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);

}  // namespace

const char* name_of(InstantiateResult result) noexcept {
  const auto number = static_cast<unsigned>(result);
  return number < kInstantiateCount ? kInstantiateNames[number] : "unknown";
}

const char* name_of(UpdateResult result) noexcept {
  const auto number = static_cast<unsigned>(result);
  return number < kCount ? kNames[number] : "unknown";
}

}  // namespace anycuda::graph
