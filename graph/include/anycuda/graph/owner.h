// SPDX-License-Identifier: Apache-2.0

// Owners: what keeps alive the resources that a graph node refers to.
#pragma once

#include <array>
#include <exception>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "anycuda/graph/drain.h"

namespace anycuda::graph {

// Any owner: the deleter of the last copy frees the resource. `std::shared_ptr<Anything>` converts
// to it. A deleter may call CUDA: the library runs it where CUDA may be called (drain.h), never on
// the driver's threads. An owner must not hold the Graph or Exec that it is given to: the two would
// keep each other alive.
using OpaqueHandle = std::shared_ptr<const void>;

// What an owner of a node is for. A node has four roles, each for one owner. add_* and set_* use
// the first two, by the kind of the node; `extra` and `more` are always the caller's.
enum class OwnerRole : unsigned {
  code = 0,         // kernel: the module or library that its code is in
  arguments = 1,    // kernel: what its arguments point to
  destination = 0,  // memcpy, memset
  source = 1,       // memcpy
  callback = 0,     // host: what the function's code needs (a library, a closure)
  data = 1,         // host: what the function is called with
  event = 0,        // event record, event wait
  memory = 0,       // memory allocation and free: the caller's; add_* leaves it empty
  extra = 2,
  more = 3,
};
constexpr unsigned kOwnerRoles = 4;

// Names of 0.1.0.
using Slot [[deprecated("use OwnerRole")]] = OwnerRole;
[[deprecated("use kOwnerRoles")]] constexpr unsigned kSlots = kOwnerRoles;

// All owners of a node, by role. An empty entry means no owner, and costs nothing.
using Owners = std::array<OpaqueHandle, kOwnerRoles>;

// Combines several owners into one, such as the buffers of a kernel's arguments, which share a
// role. Empty owners are left out; if all are empty, so is the result. If one of them is the
// allocation of a closed Buffer, the result is that allocation, which every function refuses.
// Throws std::bad_alloc.
OpaqueHandle all_of(std::initializer_list<OpaqueHandle> owners);
OpaqueHandle all_of(std::vector<OpaqueHandle> owners);

// What on_release() owns. Not for programs.
template <typename Call>
class CallAtRelease {
 public:
  explicit CallAtRelease(Call call) : call_(std::move(call)) {}
  ~CallAtRelease() {
    try {
      if constexpr (std::is_same_v<decltype(call_()), CUresult>) {
        const CUresult status = call_();
        if (status != CUDA_SUCCESS) record_failed_release("on_release", status);
      } else {
        call_();
      }
    } catch (const std::exception& thrown) {
      record_failed_release(thrown.what());
    } catch (...) {
      record_failed_release("an exception that is not a std::exception");
    }
  }
  CallAtRelease(const CallAtRelease&) = delete;
  CallAtRelease& operator=(const CallAtRelease&) = delete;

 private:
  Call call_;
};

// An owner whose last copy calls `call`, which may be move-only, as any deleter is called:
// `on_release([=] { return cuMemFree(address); })`. If it returns a CUresult other than
// CUDA_SUCCESS, or throws, failed_release() has the reason (drain.h). Throws std::bad_alloc,
// without a call, and what the callable's move or copy throws.
template <typename Call>
OpaqueHandle on_release(Call&& call) {
  return std::make_shared<CallAtRelease<std::decay_t<Call>>>(std::forward<Call>(call));
}

}  // namespace anycuda::graph
