// SPDX-License-Identifier: Apache-2.0

// NVRTC documentation, "Precompiled Header (PCH) (CUDA 12.8+)".
#include "linker/compile_pch.h"

#include <mutex>

#include "api/nvrtc_api.h"

namespace anycuda::linker {

bool creates_pch(const ProgramOptions& options) {
  return options.pch || !options.create_pch.empty();
}

bool uses_pch(const ProgramOptions& options) {
  return creates_pch(options) || !options.use_pch.empty();
}

std::shared_mutex& pch_heap_lock() {
  static auto* const lock = new std::shared_mutex;  // never destroyed: see probe.cc
  return *lock;
}

PchStatus pch_status_of(::_nvrtcProgram* program, unsigned long* needed) {
  *needed = 0;
  switch (api::nvrtcGetPCHCreateStatus(program)) {
    case api::NVRTC_SUCCESS:
      return PchStatus::created;
    case api::NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED:
      return PchStatus::not_attempted;
    case api::NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED:
      if (api::nvrtcGetPCHHeapSizeRequired(program, needed) != api::NVRTC_SUCCESS) *needed = 0;
      return PchStatus::failed;
    default:
      return PchStatus::failed;
  }
}

// Another thread may have made it larger.
bool grow_pch_heap(unsigned long bytes) {
  const std::unique_lock<std::shared_mutex> alone(pch_heap_lock());
  unsigned long size = 0;
  if (api::nvrtcGetPCHHeapSize(&size) == api::NVRTC_SUCCESS && size >= bytes) return true;
  return api::nvrtcSetPCHHeapSize(bytes) == api::NVRTC_SUCCESS;
}

}  // namespace anycuda::linker
