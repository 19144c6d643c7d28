// SPDX-License-Identifier: Apache-2.0
#include "anycuda/graph/exec.h"

#include "graph/attachment.h"
#include "graph/driver_support.h"
#include "graph/exec/exec_owners.h"
#include "graph/graph_state.h"
#include "graph/scopes.h"

namespace anycuda::graph {
namespace {

struct InstantiateFailure {
  CUgraphNode node = nullptr;
  int result = 0;
};

// By the function that reports why it fails, where the driver has it.
CUresult instantiate_by_driver(CUgraph graph, const InstantiateOptions& options, CUgraphExec* out,
                               InstantiateFailure* failure) {
  constexpr unsigned long long kUpload = 2;  // CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
  if (driver_version() < 12000) {
    return answered("cuGraphInstantiateWithFlags",
                    api::cuGraphInstantiateWithFlags(out, graph, options.flags));
  }
  api::CUDA_GRAPH_INSTANTIATE_PARAMS_st parameters{};
  parameters.flags = options.flags | (options.upload_stream != nullptr ? kUpload : 0);
  parameters.hUploadStream = options.upload_stream;
  const CUresult status = answered("cuGraphInstantiateWithParams",
                                   api::cuGraphInstantiateWithParams(out, graph, &parameters));
  if (status == CUDA_SUCCESS) return status;
  *failure = {parameters.hErrNode_out, static_cast<int>(parameters.result_out)};
  // 0 and 1 say no more than the status.
  if (parameters.result_out <= api::CUDA_GRAPH_INSTANTIATE_ERROR) return status;
  return fail(status, "cuGraphInstantiateWithParams: the graph cannot be instantiated: %s",
              name_of(static_cast<InstantiateResult>(parameters.result_out)));
}

CUresult none() { return fail(CUDA_ERROR_INVALID_VALUE, "the Exec is empty"); }

// Makes the list of owners that an executable graph inherits from the graph it is made from.
// `through` lets that graph hold the list until after the driver's call. A driver without user
// objects gets no list; the result is then CUDA_SUCCESS, too.
CUresult prepare_list(CUgraph graph, ScopedGraphRef* through, std::shared_ptr<ExecOwners>* out) {
  if (need("cuUserObjectCreate") != CUDA_SUCCESS) return CUDA_SUCCESS;
  auto list = std::make_shared<ExecOwners>();
  const CUresult result = through->take(graph, new ExecOwnersRef(list));
  if (result == CUDA_SUCCESS) *out = std::move(list);
  return result == CUDA_ERROR_NOT_SUPPORTED ? CUDA_SUCCESS : result;
}

}  // namespace

Exec::~Exec() { static_cast<void>(destroy()); }

Exec::Exec(Exec&& other) noexcept
    : exec_(other.exec_), exec_owners_(std::move(other.exec_owners_)) {
  other.exec_ = nullptr;
}

Exec& Exec::operator=(Exec&& other) noexcept {
  if (this != &other) {
    static_cast<void>(destroy());
    std::swap(exec_, other.exec_);
    std::swap(exec_owners_, other.exec_owners_);
  }
  return *this;
}

CUresult Exec::instantiate(const GraphView& graph, Exec* out, unsigned long long flags) {
  InstantiateOptions options;
  options.flags = flags;
  return instantiate(graph, out, options);
}

CUresult Exec::instantiate(const GraphView& graph, Exec* out, const InstantiateOptions& options,
                           CUgraphNode* node, int* result) {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    const GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult status = need("cuGraphInstantiateWithFlags");
    if (status == CUDA_SUCCESS && options.upload_stream != nullptr) {
      status = need("cuGraphInstantiateWithParams");
    }
    if (status != CUDA_SUCCESS) return status;
    ScopedGraphRef through;
    std::shared_ptr<ExecOwners> list;
    status = prepare_list(state->graph.load(), &through, &list);
    if (status != CUDA_SUCCESS) return status;
    if (list != nullptr && has_host_nodes(state->graph.load())) list->watch_launches();
    Exec made;
    InstantiateFailure failure;
    status = instantiate_by_driver(state->graph.load(), options, &made.exec_, &failure);
    if (node != nullptr) *node = failure.node;
    if (result != nullptr) *result = failure.result;
    if (status != CUDA_SUCCESS) return status;
    made.exec_owners_ = std::move(list);
    *out = std::move(made);
    return CUDA_SUCCESS;
  });
}

CUresult Exec::adopt(CUgraphExec exec, Exec* out) {
  return entry([&] {
    if (exec == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "the executable graph is null");
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    Exec made;
    made.exec_owners_ = std::make_shared<ExecOwners>(ExecOwners::Holder::nobody);
    made.exec_owners_->give_handle();
    made.exec_owners_->watch_launches();
    made.exec_ = exec;
    *out = std::move(made);
    return CUDA_SUCCESS;
  });
}

CUgraphExec Exec::release() {
  const CUgraphExec exec = exec_;
  exec_ = nullptr;
  anycuda::graph::release(std::move(exec_owners_));  // the executable graph holds the list
  return exec;
}

CUgraphExec Exec::get() const {
  if (exec_owners_ != nullptr) exec_owners_->give_handle();
  return exec_;
}

CUresult Exec::launch(CUstream stream) const {
  return entry([&] {
    if (exec_ == nullptr) return none();
    if (exec_owners_ == nullptr)
      return answered("cuGraphLaunch", api::cuGraphLaunch(exec_, stream));
    CUresult result = exec_owners_->before_launch(stream);
    if (result != CUDA_SUCCESS) return result;
    result = answered("cuGraphLaunch", api::cuGraphLaunch(exec_, stream));
    if (result != CUDA_SUCCESS) return result;
    OwnerList retired;
    exec_owners_->after_launch(stream, &retired);
    anycuda::graph::release(&retired);
    return CUDA_SUCCESS;
  });
}

CUresult Exec::upload(CUstream stream) const {
  return entry([&] {
    if (exec_ == nullptr) return none();
    const CUresult result = need("cuGraphUpload");
    if (result != CUDA_SUCCESS) return result;
    return answered("cuGraphUpload", api::cuGraphUpload(exec_, stream));
  });
}

CUresult Exec::destroy() {
  return entry([&] {
    if (exec_ == nullptr) return CUDA_SUCCESS;
    if (auto running = exec_owners_ == nullptr ? nullptr : exec_owners_->running()) {
      running->exec = exec_;
      running->owners = std::move(exec_owners_);
      exec_ = nullptr;
      do_later(running.release());
      return CUDA_SUCCESS;
    }
    const CUresult result = answered("cuGraphExecDestroy", api::cuGraphExecDestroy(exec_));
    if (result != CUDA_SUCCESS) return result;
    exec_ = nullptr;
    // A launch that is running holds the list through the driver.
    anycuda::graph::release(std::move(exec_owners_));
    return CUDA_SUCCESS;
  });
}

CUresult Exec::update(const GraphView& graph, CUgraphNode* node, int* result) {
  return entry([&] {
    if (exec_ == nullptr) return none();
    const GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    ScopedGraphRef through;
    std::shared_ptr<ExecOwners> list;
    const CUresult prepared = prepare_list(state->graph.load(), &through, &list);
    if (prepared != CUDA_SUCCESS) return prepared;
    CUgraphNode wrong = nullptr;
    unsigned why = 0;
    const CUresult updated = answered(
        "cuGraphExecUpdate", api::cuGraphExecUpdate(exec_, state->graph.load(), &wrong, &why));
    if (node != nullptr) *node = wrong;
    if (result != nullptr) *result = static_cast<int>(why);
    if (static_cast<unsigned>(updated) == api::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
      return fail(updated, "cuGraphExecUpdate: the graph does not fit the executable graph: %s",
                  name_of(static_cast<UpdateResult>(why)));
    }
    if (updated != CUDA_SUCCESS) return updated;
    if (exec_owners_ != nullptr && list != nullptr) list->follow(exec_owners_.get());
    exec_owners_.swap(list);
    anycuda::graph::release(std::move(list));
    return CUDA_SUCCESS;
  });
}

CUresult Exec::set_enabled(CUgraphNode node, bool enabled) {
  return entry([&] {
    if (exec_ == nullptr) return none();
    const CUresult result = need("cuGraphNodeSetEnabled");
    if (result != CUDA_SUCCESS) return result;
    return answered("cuGraphNodeSetEnabled",
                    api::cuGraphNodeSetEnabled(exec_, node, enabled ? 1 : 0));
  });
}

CUresult Exec::enabled(CUgraphNode node, bool* out) const {
  return entry([&] {
    if (exec_ == nullptr) return none();
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    CUresult result = need("cuGraphNodeGetEnabled");
    if (result != CUDA_SUCCESS) return result;
    unsigned is = 0;
    result = answered("cuGraphNodeGetEnabled", api::cuGraphNodeGetEnabled(exec_, node, &is));
    if (result == CUDA_SUCCESS) *out = is != 0;
    return result;
  });
}

}  // namespace anycuda::graph
