// SPDX-License-Identifier: Apache-2.0
#include "graph/driver_support.h"

#include <atomic>
#include <cstring>

#include "graph/error.h"

namespace anycuda::graph {
namespace {

struct Row {
  const char* function;
  int version;  // the first CUDA whose drivers have it
};

// CUDA Driver API, the pages of the functions, and NVIDIA's headers from 11.0 on.
constexpr Row kRows[] = {
    {"a cluster of blocks", 11080},
    {"cuFuncGetParamInfo", 12040},
    {"cuGraphAddDependencies_v2", 12030},
    {"cuGraphAddEventRecordNode", 11010},
    {"cuGraphAddEventWaitNode", 11010},
    {"cuGraphAddMemAllocNode", 11040},
    {"cuGraphAddMemFreeNode", 11040},
    {"cuGraphAddNode", 12020},
    {"cuGraphAddNode with an else or a switch", 12080},
    {"cuGraphConditionalHandleCreate", 12030},
    {"cuGraphExecChildGraphNodeSetParams", 11010},
    {"cuGraphInstantiateWithFlags", 11040},
    {"cuGraphInstantiateWithParams", 12000},
    {"cuGraphNodeGetEnabled", 11060},
    {"cuGraphNodeSetEnabled", 11060},
    {"cuGraphNodeSetParams", 12020},
    {"cuGraphRemoveDependencies_v2", 12030},
    {"cuGraphRetainUserObject", 11030},
    {"cuGraphUpload", 11010},
    {"cuLaunchKernelEx", 11080},
    {"cuStreamBeginCaptureToGraph", 12030},
    {"cuStreamGetCaptureInfo_v2", 11030},
    {"cuUserObjectCreate", 11030},
    {"the priority of a kernel", 11070},
};

constexpr int newest_version() {
  int newest = 0;
  for (const Row& row : kRows) newest = row.version > newest ? row.version : newest;
  return newest;
}
constexpr int kNewest = newest_version();

int first_version(const char* function) {
  for (const Row& row : kRows) {
    if (std::strcmp(row.function, function) == 0) return row.version;
  }
  return 0;
}

}  // namespace

int driver_version() noexcept {
  static std::atomic<int> known{0};
  int version = known.load(std::memory_order_relaxed);
  if (version == 0 && api::cuDriverGetVersion(&version) == api::CUDA_SUCCESS) {
    known.store(version, std::memory_order_relaxed);
  }
  return version;
}

CUresult not_supported(const char* function) noexcept {
  const int version = driver_version();
  const int first = first_version(function);
  if (first == 0) {
    return fail(CUDA_ERROR_NOT_SUPPORTED, "this driver (CUDA %d.%d) does not have %s",
                version / 1000, version % 1000 / 10, function);
  }
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              "%s needs a driver of CUDA %d.%d or later; this one is of CUDA %d.%d", function,
              first / 1000, first % 1000 / 10, version / 1000, version % 1000 / 10);
}

CUresult need(const char* function) noexcept {
  const int version = driver_version();
  // Without a driver the call itself gives the answer that programs know. A driver that has all of
  // the functions is asked no names: every owner that is attached comes along here.
  if (version == 0 || version >= kNewest) return CUDA_SUCCESS;
  return version >= first_version(function) ? CUDA_SUCCESS : not_supported(function);
}

CUresult answered(const char* function, unsigned status) noexcept {
  if (status == api::CUDA_SUCCESS) return CUDA_SUCCESS;
  if (status == api::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND) return not_supported(function);
  const char* name = nullptr;
  const char* words = nullptr;
  if (api::cuGetErrorName(status, &name) != api::CUDA_SUCCESS || name == nullptr) name = "error";
  if (api::cuGetErrorString(status, &words) != api::CUDA_SUCCESS || words == nullptr) words = "";
  return fail(static_cast<CUresult>(status), "%s: %s (%u)%s%s", function, name, status,
              *words != '\0' ? ": " : "", words);
}

CUresult user_objects_answered(const char* function, unsigned status) noexcept {
  // A driver that was not initialised returns the same status as a stub without a driver, but only
  // the driver has a version.
  if (status == api::CUDA_ERROR_NOT_INITIALIZED && driver_version() == 0) {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "%s: no usable CUDA driver was found, and owners need one", function);
  }
  return answered(function, status);
}

CUcontext context_or_current(CUcontext given) noexcept {
  if (given == nullptr && api::cuCtxGetCurrent(&given) != api::CUDA_SUCCESS) return nullptr;
  return given;
}

}  // namespace anycuda::graph
