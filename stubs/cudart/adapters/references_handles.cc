// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/adapters/references_handles.h"

namespace anycuda::references {
namespace {

// The module of a fat binary in the current context, through a kernel of it. The look-up makes the
// runtime's context this thread's.
Status module_of(const Reference& reference, driver::CUmodule* module) {
  const void* kernel = kernel_of(reference.fat_binary);
  if (kernel == nullptr) return v11::cudaErrorInvalidDeviceFunction;
  const KeepLastError last_error_scope;
  v11::cudaFunction_t function = nullptr;
  const Status status = v11::cudaGetFuncBySymbol(&function, kernel);
  return status != 0 ? status : driver::cuFuncGetModule(module, function);
}

Status invalid_or(Status status, Status invalid) {
  switch (status) {
    case v11::cudaErrorSymbolNotFound:
    case v11::cudaErrorInvalidDeviceFunction:
    case v11::cudaErrorNoKernelImageForDevice:
      return invalid;
    default:
      return status;
  }
}

}  // namespace

Status texture_of(const Reference& reference, driver::CUtexref* texture) {
  driver::CUmodule module = nullptr;
  Status status = module_of(reference, &module);
  if (status == 0) status = driver::cuModuleGetTexRef(texture, module, reference.name);
  return invalid_or(status, v11::cudaErrorInvalidTexture);
}

Status surface_of(const Reference& reference, driver::CUsurfref* surface) {
  driver::CUmodule module = nullptr;
  Status status = module_of(reference, &module);
  if (status == 0) status = driver::cuModuleGetSurfRef(surface, module, reference.name);
  return invalid_or(status, v11::cudaErrorInvalidSurface);
}

}  // namespace anycuda::references
