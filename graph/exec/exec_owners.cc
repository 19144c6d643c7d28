// SPDX-License-Identifier: Apache-2.0
#include "graph/exec/exec_owners.h"

#include <algorithm>
#include <utility>

#include "api/cuda_api.h"
#include "graph/driver_support.h"
#include "graph/scopes.h"

namespace anycuda::graph {

void ExecOwners::reserve(CUgraphNode node) {
  if (handle_given()) keep_to_the_end();
  if (node == nullptr || handle_given()) return;
  const auto [at, fresh] = current_.try_emplace(node);
  if (fresh || at->second.since == launches_) return;
  if (replaced_.empty() || replaced_.back().launches != launches_) {
    replaced_.emplace_back(launches_, last_is_known_ ? last_ : LaunchEnd());
  }
}

void ExecOwners::cancel(CUgraphNode node) noexcept {
  const auto at = current_.find(node);
  if (at != current_.end() && at->second.owners.first == nullptr) current_.erase(at);
}

void ExecOwners::put(CUgraphNode node, OwnerList* added, OwnerList* retired) noexcept {
  const auto at = current_.find(node);
  if (at == current_.end()) {
    others_.add_all_of(added);
  } else {
    Current& known = at->second;
    const bool used = known.owners.first != nullptr && known.since != launches_;
    (used ? &replaced_.back().owners : retired)->add_all_of(&known.owners);
    known.owners.add_all_of(added);
    known.since = launches_;
    if (known.owners.first == nullptr) current_.erase(at);
  }
  take_ended(retired);
}

CUresult ExecOwners::before_launch(CUstream stream) {
  if (handle_given()) keep_to_the_end();
  captured_ = false;
  next_is_ready_ = false;
  if (launch_watch_ == nullptr && current_.empty() && replaced_.empty()) return CUDA_SUCCESS;
  const RelaxedCaptureScope mode;
  unsigned capture = api::CU_STREAM_CAPTURE_STATUS_NONE;
  captured_ = api::cuStreamIsCapturing(stream, &capture) != api::CUDA_SUCCESS ||
              capture != api::CU_STREAM_CAPTURE_STATUS_NONE;
  if (captured_) return CUDA_SUCCESS;
  CUcontext context = nullptr;
  const char* call = "cuStreamGetCtx";
  unsigned status = api::cuStreamGetCtx(stream, &context);
  const bool free = next_.event && next_.event.owner().use_count() == 1;
  if (status == api::CUDA_SUCCESS && (!free || next_.context != context)) {
    call = "cuEventCreate";
    status = LaunchEnd::make(context, &next_);
  }
  next_is_ready_ = status == api::CUDA_SUCCESS;
  return launch_watch_ == nullptr ? CUDA_SUCCESS : answered(call, status);
}

void ExecOwners::after_launch(CUstream stream, OwnerList* retired) noexcept {
  if (captured_) {
    keep_to_the_end();
    return;
  }
  ++launches_;
  // It fails only after an error that ends all work of the context.
  last_is_known_ = next_is_ready_ && api::cuEventRecord(next_.event.event(), stream) == 0;
  if (last_is_known_) {
    std::swap(last_, next_);
    // A launch before this one may have had no event.
    if (!replaced_.empty() && !replaced_.back().end.event) replaced_.back().end = last_;
  }
  take_ended(retired);
}

void ExecOwners::watch_launches() { launch_watch_ = std::make_unique<RunningExec>(); }

void ExecOwners::follow(ExecOwners* former) noexcept {
  if (former->handle_given()) give_handle();
  launch_watch_ = std::move(former->launch_watch_);
  last_is_known_ = former->last_is_known_;
  last_ = std::move(former->last_);
}

std::unique_ptr<RunningExec> ExecOwners::running() noexcept {
  if (launch_watch_ == nullptr || !last_is_known_) return nullptr;
  if (last_.state() == LaunchEnd::State::ended) return nullptr;
  launch_watch_->end = last_;
  return std::move(launch_watch_);
}

void ExecOwners::keep_to_the_end() noexcept {
  for (auto& [node, known] : current_) others_.add_all_of(&known.owners);
  current_.clear();
}

void ExecOwners::take_ended(OwnerList* retired) noexcept {
  const auto has_event = [](const Replaced& one) { return static_cast<bool>(one.end.event); };
  while (!replaced_.empty()) {
    const auto known = std::find_if(replaced_.begin(), replaced_.end(), has_event);
    if (known == replaced_.end()) return;
    if (known->end.state() != LaunchEnd::State::ended) return;
    for (auto ended = known - replaced_.begin() + 1; ended != 0; --ended) {
      retired->add_all_of(&replaced_.front().owners);
      replaced_.pop_front();
    }
  }
}

}  // namespace anycuda::graph
