// SPDX-License-Identifier: Apache-2.0

// The functions that return their output and throw, each by the function that returns a status.
#include <cstring>
#include <string>

#include "anycuda/graph/drain.h"
#include "anycuda/graph/exec.h"
#include "api/cuda_api.h"
#include "graph/error.h"

namespace anycuda::graph {
namespace {

struct Name {
  unsigned status;
  const char* name;
};

// The statuses that this library returns without a driver.
constexpr Name kNames[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"},
};

std::string describe(CUresult status) {
  const char* const name = name_of(status);
  const char* const sentence = last_status() == status ? last_error() : "";
  if (std::strstr(sentence, name) != nullptr) return sentence;
  std::string text = std::string(name) + " (" + std::to_string(static_cast<unsigned>(status)) + ")";
  return *sentence == '\0' ? text : text + ": " + sentence;
}

}  // namespace

const char* name_of(CUresult status) noexcept {
  for (const Name& one : kNames) {
    if (one.status == static_cast<unsigned>(status)) return one.name;
  }
  const char* name = nullptr;
  if (api::cuGetErrorName(status, &name) != api::CUDA_SUCCESS || name == nullptr) return "unknown";
  return name;
}

Error::Error(CUresult status) : std::runtime_error(describe(status)), status_(status) {}

void throw_if_failed(CUresult status) {
  if (status != CUDA_SUCCESS) throw Error(status);
}

Buffer Buffer::allocate(std::size_t bytes) {
  Buffer made;
  throw_if_failed(allocate(bytes, &made));
  return made;
}

Kernel Kernel::load(const void* image, const char* name) {
  Kernel made;
  throw_if_failed(load(image, name, &made));
  return made;
}

Kernel Kernel::sibling(const char* name) const {
  Kernel made;
  throw_if_failed(sibling(name, &made));
  return made;
}

Event Event::create(unsigned flags) {
  Event made;
  throw_if_failed(create(flags, &made));
  return made;
}

Graph Graph::create() {
  Graph made;
  throw_if_failed(create(&made));
  return made;
}

Graph Graph::clone() const {
  Graph made;
  throw_if_failed(clone(&made));
  return made;
}

Exec Exec::instantiate(const GraphView& graph) { return instantiate(graph, 0ULL); }

Exec Exec::instantiate(const GraphView& graph, const InstantiateOptions& options) {
  Exec made;
  throw_if_failed(instantiate(graph, &made, options));
  return made;
}

Exec Exec::instantiate(const GraphView& graph, unsigned long long flags) {
  Exec made;
  throw_if_failed(instantiate(graph, &made, flags));
  return made;
}

}  // namespace anycuda::graph
