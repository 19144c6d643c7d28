// SPDX-License-Identifier: Apache-2.0
#include "graph/kernel/arguments.h"

#include <cstring>

#include "anycuda/graph/graph.h"
#include "graph/driver_support.h"
#include "graph/error.h"

namespace anycuda::graph {
namespace {

// unknown: a driver before CUDA 12.4, or one that gives another error than for a parameter that
// does not exist.
enum class Parameter { exists, none, unknown };

Parameter ask(CUfunction function, std::size_t number, std::size_t* size) noexcept {
  std::size_t offset = 0;
  if (driver_version() < 12040) return Parameter::unknown;
  const unsigned status = api::cuFuncGetParamInfo(function, number, &offset, size);
  if (status == api::CUDA_SUCCESS) return Parameter::exists;
  return status == api::CUDA_ERROR_INVALID_VALUE ? Parameter::none : Parameter::unknown;
}

bool is_in(CUdeviceptr address, const std::vector<Buffer>& buffers) noexcept {
  for (const Buffer& buffer : buffers) {
    if (address == buffer.address()) return true;
    if (address > buffer.address() && address - buffer.address() < buffer.size()) return true;
  }
  return false;
}

// Whether the driver knows the address: memory of a device, or of the host that is registered.
bool is_memory(CUdeviceptr address) noexcept {
  unsigned type = 0;
  return address != 0 && api::cuPointerGetAttribute(&type, api::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                    address) == api::CUDA_SUCCESS;
}

CUresult wrong_count(std::size_t given, std::size_t taken) noexcept {
  return fail(CUDA_ERROR_INVALID_VALUE,
              "kernel arguments: %zu %s given, and the kernel takes %zu. Give one value for each "
              "parameter",
              given, given == 1 ? "is" : "are", taken);
}

}  // namespace

bool parameter_size(CUfunction function, std::size_t number, std::size_t* size) noexcept {
  return ask(function, number, size) == Parameter::exists;
}

bool takes_arguments(CUfunction function) noexcept {
  std::size_t size = 0;
  return parameter_size(function, 0, &size);
}

CUresult ArgumentCheck::run(CUfunction function, const Arguments& arguments) noexcept {
  const ArgumentList& list = *arguments.list_;
  if (list.empty_buffer != list.count) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "kernel argument %zu: the Buffer is empty or closed. Pass nullptr for a null "
                "pointer",
                list.empty_buffer);
  }
  std::size_t size = 0;
  for (std::size_t at = 0; at < list.count; ++at) {
    const Parameter parameter = ask(function, at, &size);
    if (parameter == Parameter::unknown) return CUDA_SUCCESS;
    if (parameter == Parameter::none) return wrong_count(list.count, at);
    if (size == list.sizes[at]) continue;
    return fail(CUDA_ERROR_INVALID_VALUE,
                "kernel argument %zu: a value of %zu bytes is given, and the kernel takes %zu "
                "bytes. Pass a value of the parameter's type",
                at, list.sizes[at], size);
  }
  std::size_t taken = list.count;
  while (ask(function, taken, &size) == Parameter::exists) ++taken;
  return taken == list.count ? CUDA_SUCCESS : wrong_count(list.count, taken);
}

CUresult check_argument_owners(const KernelNode& node) {
  return entry([&] {
    const CUfunction function = node.kernel ? node.kernel.function() : node.function;
    if (function == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "the node has no kernel");
    if (node.values || node.arguments == nullptr || node.argument_owner != nullptr) {
      return CUDA_SUCCESS;
    }
    const CUresult result = need("cuFuncGetParamInfo");
    if (result != CUDA_SUCCESS) return result;
    std::size_t size = 0;
    for (std::size_t at = 0; ask(function, at, &size) == Parameter::exists; ++at) {
      if (node.arguments[at] == nullptr) continue;
      CUdeviceptr word = 0;
      for (std::size_t byte = 0; byte + sizeof word <= size; byte += sizeof word) {
        std::memcpy(&word, static_cast<const char*>(node.arguments[at]) + byte, sizeof word);
        if (!is_memory(word) || is_in(word, node.argument_buffers)) continue;
        return fail(CUDA_ERROR_INVALID_VALUE,
                    "kernel argument %zu: the node does not keep the memory at %#llx. Use "
                    "kernel_node(), or add the Buffer to argument_buffers",
                    at, word);
      }
    }
    return CUDA_SUCCESS;
  });
}

}  // namespace anycuda::graph
