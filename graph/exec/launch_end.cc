// SPDX-License-Identifier: Apache-2.0
#include "graph/exec/launch_end.h"

#include "graph/driver_support.h"
#include "graph/parameters.h"
#include "graph/scopes.h"

namespace anycuda::graph {

unsigned LaunchEnd::make(CUcontext context, LaunchEnd* out) {
  const InContext current(context);
  CUevent event = nullptr;
  const unsigned status = api::cuEventCreate(&event, kDisableTiming);
  *out = {};
  if (status == api::CUDA_SUCCESS) *out = {Event::wrap(event, event_owner(event)), context};
  return status;
}

LaunchEnd::State LaunchEnd::state() const noexcept {
  const RelaxedCaptureScope mode;
  const InContext current(context);
  const unsigned status = api::cuEventQuery(event.event());
  if (status == api::CUDA_ERROR_NOT_READY) return State::running;
  return status == api::CUDA_SUCCESS ? State::ended : State::unknown;
}

}  // namespace anycuda::graph
