// SPDX-License-Identifier: Apache-2.0

// Host callbacks: closures, and copies of the data that a function is called with.
#include <cstring>
#include <exception>

#include "anycuda/graph/drain.h"
#include "graph/error.h"
#include "graph/failures/text_ring.h"
#include "graph/parameters.h"

namespace anycuda::graph {
namespace {

TextRing exceptions;  // of callbacks

// On a thread of the driver, through which no exception can pass.
extern "C" void anycuda_graph_call(void* closure) noexcept {
  try {
    (*static_cast<const std::function<void()>*>(closure))();
  } catch (const std::exception& thrown) {
    exceptions.add(thrown.what());
  } catch (...) {
    exceptions.add("an exception that is not a std::exception");
  }
}

// Aligned for every type. An empty copy has a unique address, too.
std::shared_ptr<void> copy_of(const void* data, std::size_t size) {
  std::shared_ptr<void> copy(::operator new(size == 0 ? 1 : size),
                             [](void* memory) { ::operator delete(memory); });
  if (size != 0) std::memcpy(copy.get(), data, size);
  return copy;
}

CUresult refuse_both(const char* operand, const char* one, const char* other) {
  return fail(CUDA_ERROR_INVALID_VALUE, "%s: both %s and %s are given", operand, one, other);
}

}  // namespace

std::size_t lost_exceptions() noexcept { return exceptions.count(); }

const char* lost_exception(std::size_t number) noexcept {
  thread_local TextRing::Text asked;
  return exceptions.copy(number, asked);
}

CUresult resolve(const HostNode& node, api::CUDA_HOST_NODE_PARAMS_st* out, Owners* owners) {
  if (node.call) {
    if (node.function != nullptr) {
      return refuse_both("host function", "a callable", "a raw function");
    }
    if (node.function_owner != nullptr) {
      return refuse_both("host function", "a callable, which owns itself,", "an owner");
    }
    if (node.data != nullptr || node.data_owner != nullptr || node.copy_data) {
      return refuse_both("host data", "a callable, which has its own data,", "data");
    }
    auto closure = std::make_shared<std::function<void()>>(node.call);
    *out = {anycuda_graph_call, closure.get()};
    owner_of_role(owners, OwnerRole::callback) = std::move(closure);
    return CUDA_SUCCESS;
  }
  if (node.function == nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "host function: neither a callable nor a raw function is given");
  }
  if (node.copy_data && node.data_owner != nullptr) {
    return refuse_both("host data", "copy_data", "an owner");
  }
  if (node.copy_data && node.data == nullptr && node.data_size != 0) {
    return fail(CUDA_ERROR_INVALID_VALUE, "host data: %zu bytes are to be copied from null",
                node.data_size);
  }
  *out = {node.function, const_cast<void*>(node.data)};
  owner_of_role(owners, OwnerRole::callback) = node.function_owner;
  owner_of_role(owners, OwnerRole::data) = node.data_owner;
  if (node.copy_data) {
    std::shared_ptr<void> copy = copy_of(node.data, node.data_size);
    out->userData = copy.get();
    owner_of_role(owners, OwnerRole::data) = std::move(copy);
  }
  return CUDA_SUCCESS;
}

}  // namespace anycuda::graph
