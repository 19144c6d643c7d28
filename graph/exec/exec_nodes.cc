// SPDX-License-Identifier: Apache-2.0

// New parameters for single nodes of an executable graph.
#include "anycuda/graph/exec.h"
#include "graph/attachment.h"
#include "graph/clone_state.h"
#include "graph/driver_support.h"
#include "graph/exec/exec_owners.h"
#include "graph/graph_state.h"
#include "graph/kernel/attributes.h"
#include "graph/parameters.h"

namespace anycuda::graph {
namespace {

// `node`: whose owners are replaced; nullptr where that is not known.
template <typename Call>
CUresult set_one(CUgraphExec exec, ExecOwners* exec_owners, CUgraphNode node, OwnerList* owners,
                 const Call& call) {
  if (exec == nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE, "the Exec is empty");
  }
  if (exec_owners == nullptr && owners->first != nullptr) {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "an executable graph can keep owners only with a driver of CUDA 11.3 or later");
  }
  if (exec_owners == nullptr) return call(exec);
  if (owners->first != nullptr && !exec_owners->can_hold()) {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "the executable graph was adopted, and the driver attaches no owners to an "
                "executable graph that exists. Call Exec::update() first, or give no owners");
  }
  exec_owners->reserve(node);
  const CUresult result = call(exec);
  if (result != CUDA_SUCCESS) {
    exec_owners->cancel(node);
    return result;
  }
  OwnerList retired;
  exec_owners->put(node, owners, &retired);
  release(&retired);
  return CUDA_SUCCESS;
}

template <typename Parameters, typename Node, typename Call>
CUresult set_one_resolved(CUgraphExec exec, ExecOwners* exec_owners, CUgraphNode node,
                          const Node& given, const Call& call) {
  return entry([&] {
    Parameters parameters{};
    Owners owners;
    CUresult result = resolve(given, &parameters, &owners);
    if (result == CUDA_SUCCESS) result = check_owners(owners);
    if (result != CUDA_SUCCESS) return result;
    OwnerList added;
    added.add(owners);
    return set_one(exec, exec_owners, node, &added,
                   [&](CUgraphExec one) { return call(one, parameters); });
  });
}

// All owners of a graph and of the graphs in it, as far as they are known.
void add_all(const GraphState& graph, OwnerList* owners) {
  graph.table.each(
      [&](CUgraphNode, const Attachment* attachment) { owners->add(attachment->owners()); });
  for (const auto& [node, graphs] : graph.embedded) {
    for (const GraphState::Pointer& inner : graphs) add_all(*inner, owners);
  }
}

}  // namespace

CUresult Exec::set_kernel(CUgraphNode node, const KernelNode& parameters) {
  return set_one_resolved<api::CUDA_KERNEL_NODE_PARAMS_st>(
      exec_, exec_owners_.get(), node, parameters, [&](CUgraphExec exec, const auto& resolved) {
        const CUresult result = check_exec_attributes(node, parameters.attributes);
        if (result != CUDA_SUCCESS) return result;
        return answered("cuGraphExecKernelNodeSetParams",
                        api::cuGraphExecKernelNodeSetParams(exec, node, &resolved));
      });
}

CUresult Exec::set_memcpy(CUgraphNode node, const MemcpyNode& parameters) {
  return set_one_resolved<api::CUDA_MEMCPY3D_st>(
      exec_, exec_owners_.get(), node, parameters, [&](CUgraphExec exec, const auto& resolved) {
        return answered("cuGraphExecMemcpyNodeSetParams",
                        api::cuGraphExecMemcpyNodeSetParams(
                            exec, node, &resolved, context_or_current(parameters.context)));
      });
}

CUresult Exec::set_memset(CUgraphNode node, const MemsetNode& parameters) {
  return set_one_resolved<api::CUDA_MEMSET_NODE_PARAMS_st>(
      exec_, exec_owners_.get(), node, parameters, [&](CUgraphExec exec, const auto& resolved) {
        return answered("cuGraphExecMemsetNodeSetParams",
                        api::cuGraphExecMemsetNodeSetParams(
                            exec, node, &resolved, context_or_current(parameters.context)));
      });
}

CUresult Exec::set_host(CUgraphNode node, const HostNode& parameters) {
  return set_one_resolved<api::CUDA_HOST_NODE_PARAMS_st>(
      exec_, exec_owners_.get(), node, parameters, [&](CUgraphExec exec, const auto& resolved) {
        return answered("cuGraphExecHostNodeSetParams",
                        api::cuGraphExecHostNodeSetParams(exec, node, &resolved));
      });
}

CUresult Exec::set_event_record(CUgraphNode node, const EventNode& parameters) {
  return set_one_resolved<CUevent>(
      exec_, exec_owners_.get(), node, parameters, [&](CUgraphExec exec, CUevent event) {
        return answered("cuGraphExecEventRecordNodeSetEvent",
                        api::cuGraphExecEventRecordNodeSetEvent(exec, node, event));
      });
}

CUresult Exec::set_event_wait(CUgraphNode node, const EventNode& parameters) {
  return set_one_resolved<CUevent>(
      exec_, exec_owners_.get(), node, parameters, [&](CUgraphExec exec, CUevent event) {
        return answered("cuGraphExecEventWaitNodeSetEvent",
                        api::cuGraphExecEventWaitNodeSetEvent(exec, node, event));
      });
}

CUresult Exec::set_child(CUgraphNode node, const GraphView& child) {
  return entry([&] {
    GraphState* const state = usable(child, "the child graph");
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = prune_destroyed_nodes(state);
    if (result != CUDA_SUCCESS) return result;
    OwnerList added;
    add_all(*state, &added);
    return set_one(exec_, exec_owners_.get(), node, &added, [&](CUgraphExec exec) {
      return answered("cuGraphExecChildGraphNodeSetParams",
                      api::cuGraphExecChildGraphNodeSetParams(exec, node, state->graph.load()));
    });
  });
}

CUresult Exec::set_with_owners(const Owners& owners,
                               const std::function<CUresult(CUgraphExec)>& set) {
  return entry([&] {
    if (!set) return fail(CUDA_ERROR_INVALID_VALUE, "the function set is empty");
    const CUresult checked = check_owners(owners);
    if (checked != CUDA_SUCCESS) return checked;
    OwnerList added;
    added.add(owners);
    if (exec_owners_ != nullptr) exec_owners_->give_handle();
    return set_one(exec_, exec_owners_.get(), nullptr, &added, [&](CUgraphExec exec) {
      const CUresult result = set(exec);
      if (result == CUDA_SUCCESS) return result;
      return fail(result, "the caller's function to update a node returned %u", result);
    });
  });
}

}  // namespace anycuda::graph
