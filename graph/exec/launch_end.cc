#include "graph/exec/launch_end.h"

#include "graph/driver.h"
#include "graph/parameters.h"
#include "graph/scopes.h"

namespace anycuda::graph {

LaunchEnd LaunchEnd::make(CUcontext context) {
  const InContext current(context);
  CUevent event = nullptr;
  if (api::cuEventCreate(&event, kDisableTiming) != api::CUDA_SUCCESS) return {};
  return {Event::wrap(event, event_owner(event)), context};
}

LaunchEnd::Is LaunchEnd::ask() const noexcept {
  const RelaxedCaptureScope mode;
  const InContext current(context);
  const unsigned status = api::cuEventQuery(event.event());
  if (status == api::CUDA_ERROR_NOT_READY) return Is::running;
  return status == api::CUDA_SUCCESS ? Is::over : Is::unknown;
}

}  // namespace anycuda::graph
