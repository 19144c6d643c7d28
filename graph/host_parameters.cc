// SPDX-License-Identifier: Apache-2.0

// Host callbacks: closures, and copies of the data that a function is called with.
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>

#include "anycuda/graph/drain.h"
#include "graph/error.h"
#include "graph/parameters.h"

namespace anycuda::graph {
namespace {

constexpr std::size_t kTextsKept = 16;
constexpr std::size_t kLongestText = 256;  // with the zero at the end

// Of the exceptions that callbacks have thrown. Constants before main, and nothing runs at exit:
// callbacks may outlive both.
std::mutex lost_lock;  // for a copy of a text
std::size_t lost = 0;
char lost_texts[kTextsKept][kLongestText];

// Needs no memory: it may be std::bad_alloc that was thrown.
void keep_exception(const char* text) noexcept {
  const std::lock_guard<std::mutex> locked(lost_lock);
  std::snprintf(lost_texts[lost % kTextsKept], kLongestText, "%s", text != nullptr ? text : "");
  ++lost;
}

// On a thread of the driver, through which no exception can pass.
extern "C" void anycuda_graph_call(void* closure) noexcept {
  try {
    (*static_cast<const std::function<void()>*>(closure))();
  } catch (const std::exception& thrown) {
    keep_exception(thrown.what());
  } catch (...) {
    keep_exception("an exception that is not a std::exception");
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

std::size_t lost_exceptions() noexcept {
  const std::lock_guard<std::mutex> locked(lost_lock);
  return lost;
}

const char* lost_exception(std::size_t number) noexcept {
  thread_local char asked[kLongestText];
  const std::lock_guard<std::mutex> locked(lost_lock);
  const bool kept = number < lost && lost - number <= kTextsKept;
  std::snprintf(asked, kLongestText, "%s", kept ? lost_texts[number % kTextsKept] : "");
  return asked;
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
