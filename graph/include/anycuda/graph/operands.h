// SPDX-License-Identifier: Apache-2.0

// Typed operands. Each is its own owner: a node made from one keeps it alive without a separate
// owner. All are cheap to copy (one shared pointer) and safe to copy and destroy on any thread.
// What they allocate, load or create is freed in the context in which it was made; as in CUDA, that
// context must outlive it. Errors are as in graph.h.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "anycuda/graph/cuda_types.h"
#include "anycuda/graph/owner.h"

struct CUmod_st;

namespace anycuda::graph {

// Device memory. Nodes keep the *allocation*, not this wrapper: closing or destroying the wrapper
// frees nothing that a graph uses. A closed Buffer as an operand, or its allocation() as an owner,
// is CUDA_ERROR_INVALID_VALUE.
class Buffer {
 public:
  Buffer() = default;  // empty
  // `bytes` (> 0) of device memory in the current context (cuMemAlloc), freed in that context when
  // the last holder releases it. If the driver fails, its error is returned and *out is unchanged.
  [[nodiscard]] static CUresult allocate(std::size_t bytes, Buffer* out);
  [[nodiscard]] static Buffer allocate(std::size_t bytes);  // throws (exception.h)
  // Memory that was allocated elsewhere, kept by `owner`; an empty owner keeps nothing alive.
  // `bytes` of 0 means an unknown size: accesses are not checked against it.
  static Buffer wrap(CUdeviceptr address, std::size_t bytes, OpaqueHandle owner);
  void close();
  bool closed() const;
  explicit operator bool() const { return address_ != 0; }
  CUdeviceptr address() const { return address_; }
  std::size_t size() const { return size_; }  // bytes
  // The owner; empty if the Buffer has none. For a closed Buffer it is a special owner, not empty,
  // that keeps nothing alive, and that every function of this library refuses.
  const OpaqueHandle& allocation() const { return allocation_; }

 private:
  CUdeviceptr address_ = 0;
  std::size_t size_ = 0;
  OpaqueHandle allocation_;
};

// A kernel and the module that contains its code.
class Kernel {
 public:
  Kernel() = default;
  // Loads `image` (PTX, CUBIN or fatbin, as cuModuleLoadData takes it) in the current context and
  // finds `name` in it. The module is unloaded, in that context, when the last holder releases it.
  [[nodiscard]] static CUresult load(const void* image, const char* name, Kernel* out);
  [[nodiscard]] static Kernel load(const void* image, const char* name);  // throws (exception.h)
  static Kernel wrap(CUfunction function, OpaqueHandle module);
  // A kernel of another library, such as anycuda::Kernel: its function() for the current context,
  // and its owner(), which keeps the code loaded. Throws what these two throw.
  template <
      typename Other,
      typename = std::enable_if_t<
          std::is_convertible_v<decltype(std::declval<const Other&>().function()), CUfunction> &&
          std::is_convertible_v<decltype(std::declval<const Other&>().owner()), OpaqueHandle>>>
  Kernel(const Other& other) : function_(other.function()), module_(other.owner()) {}
  // Another kernel of the same module. CUDA_ERROR_INVALID_VALUE unless load() loaded this Kernel.
  [[nodiscard]] CUresult sibling(const char* name, Kernel* out) const;
  [[nodiscard]] Kernel sibling(const char* name) const;  // throws
  explicit operator bool() const { return function_ != nullptr; }
  CUfunction function() const { return function_; }
  const OpaqueHandle& module() const { return module_; }

 private:
  CUfunction function_ = nullptr;
  OpaqueHandle module_;
  CUmod_st* loaded_ = nullptr;  // the module, if load() loaded it
};

// An event.
class Event {
 public:
  Event() = default;
  // `flags` as for cuEventCreate, in the current context. The event is destroyed when the last
  // holder releases it.
  [[nodiscard]] static CUresult create(unsigned flags, Event* out);
  [[nodiscard]] static Event create(unsigned flags);  // throws (exception.h)
  // `flags`: those that the event was created with, as far as the caller knows.
  static Event wrap(CUevent event, OpaqueHandle owner, unsigned flags = 0);
  explicit operator bool() const { return event_ != nullptr; }
  CUevent event() const { return event_; }
  const OpaqueHandle& owner() const { return owner_; }
  // As given to create() or wrap(): the driver has no function that reads an event's flags.
  unsigned flags() const { return flags_; }

 private:
  CUevent event_ = nullptr;
  unsigned flags_ = 0;
  OpaqueHandle owner_;
};

}  // namespace anycuda::graph
