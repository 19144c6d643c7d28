// SPDX-License-Identifier: Apache-2.0

// Captured work with its owners; queries about a capture.
#include <algorithm>

#include "graph/capture/capture_state.h"
#include "graph/driver_support.h"
#include "graph/kernel/launch.h"
#include "graph/parameters.h"

namespace anycuda::graph {
namespace {

// Calls the _v3 function if the driver has it: _v2 fails if an edge has data.
unsigned ask(CUstream stream, CaptureInfo* out) noexcept {
  if (driver_version() < 12030) {
    return api::cuStreamGetCaptureInfo_v2(stream, &out->status, &out->id, &out->graph, &out->nodes,
                                          &out->count);
  }
  const api::CUgraphEdgeData_st* edges = nullptr;
  return api::cuStreamGetCaptureInfo_v3(stream, &out->status, &out->id, &out->graph, &out->nodes,
                                        &edges, &out->count);
}

}  // namespace

CUresult ask_active(CUstream stream, CaptureInfo* out) noexcept {
  CUresult result = need("cuStreamGetCaptureInfo_v2");
  if (result != CUDA_SUCCESS) return result;
  result = answered("cuStreamGetCaptureInfo", ask(stream, out));
  if (result != CUDA_SUCCESS || out->status == api::CU_STREAM_CAPTURE_STATUS_ACTIVE) return result;
  if (out->status == api::CU_STREAM_CAPTURE_STATUS_NONE) {
    return fail(CUDA_ERROR_INVALID_VALUE, "the stream is not being captured");
  }
  return fail(static_cast<CUresult>(api::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
              "the stream's capture was invalidated by a call that is not allowed in it");
}

bool is_active(CUstream stream, unsigned long id, CaptureInfo* out) noexcept {
  return ask(stream, out) == api::CUDA_SUCCESS && out->id == id &&
         out->status == api::CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult no_capture(const char* why) noexcept { return fail(CUDA_ERROR_INVALID_VALUE, "%s", why); }

CUresult Capture::State::ask(const State* state, CUstream stream, CaptureInfo* out) noexcept {
  if (state == nullptr || state->ended) return no_capture("the Capture is empty or has ended");
  const CUresult result = ask_active(stream, out);
  if (result != CUDA_SUCCESS || out->id == state->id) return result;
  return no_capture("the stream is not part of this capture");
}

// Adds work to the stream by `add`, with its owners.
template <typename Add>
CUresult Capture::add_work(const Owners& owners, const Add& add) {
  CaptureInfo info;
  CUresult result = State::ask(state_.get(), stream_, &info);
  if (result != CUDA_SUCCESS) return result;
  const std::vector<CUgraphNode> before(info.nodes, info.nodes + info.count);
  OwnerTransaction transaction(state_->graph.get());
  result = transaction.prepare(owners);
  if (result != CUDA_SUCCESS) return result;
  result = add();
  CaptureInfo now;
  const bool active = is_active(stream_, state_->id, &now);
  if (result == CUDA_SUCCESS) {
    if (active && now.count == 1) {
      state_->graph->forget_embedded(now.nodes[0]);
      transaction.commit(now.nodes[0]);
    } else {
      transaction.leave_to_graph();
    }
    return result;
  }
  // If nothing was captured, the owners are released. Otherwise there may be a node that cannot be
  // removed, or the graph is destroyed with its owners. The lists are compared in place, since this
  // step must not fail.
  const bool unchanged =
      active && std::equal(before.begin(), before.end(), now.nodes, now.nodes + now.count);
  if (!unchanged) transaction.leave_to_graph();
  return result;
}

CUresult Capture::call(const HostNode& node) {
  return entry([&] {
    api::CUDA_HOST_NODE_PARAMS_st parameters{};
    Owners owners;
    const CUresult result = resolve(node, &parameters, &owners);
    if (result != CUDA_SUCCESS) return result;
    return add_work(owners, [&] {
      return answered("cuLaunchHostFunc",
                      api::cuLaunchHostFunc(stream_, parameters.fn, parameters.userData));
    });
  });
}

CUresult Capture::launch(const KernelNode& node) {
  return entry([&] {
    api::CUDA_KERNEL_NODE_PARAMS_st parameters{};
    Owners owners;
    const CUresult result = resolve(node, &parameters, &owners);
    if (result != CUDA_SUCCESS) return result;
    return add_work(owners, [&] { return launch_resolved(stream_, parameters, node.attributes); });
  });
}

CUresult Capture::keep(OpaqueHandle owner) {
  return entry([&] {
    if (owner == nullptr) return CUDA_SUCCESS;
    const Owners owners{std::move(owner)};
    CUresult result = check_owners(owners);
    if (result != CUDA_SUCCESS) return result;
    CaptureInfo info;
    result = State::ask(state_.get(), stream_, &info);
    if (result != CUDA_SUCCESS) return result;
    ScopedGraphRef held;
    result = held.take(info.graph, Attachment::make(owners));
    if (result == CUDA_SUCCESS) held.leave_to_graph();
    return result;
  });
}

CUresult Capture::keep_with_last(OwnerRole role, OpaqueHandle owner) {
  return entry([&] {
    CaptureInfo info;
    const CUresult result = State::ask(state_.get(), stream_, &info);
    if (result != CUDA_SUCCESS) return result;
    if (info.count != 1) return keep(std::move(owner));
    // The node becomes known: the driver reports that it belongs to this graph.
    NodeTable& table = state_->graph->table;
    table.reserve();
    table.put(info.nodes[0], table.get(info.nodes[0]));
    return graph_set_owner(GraphState::view(state_->graph), info.nodes[0], role, std::move(owner));
  });
}

}  // namespace anycuda::graph
