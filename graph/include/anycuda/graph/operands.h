// Typed operands: they own themselves, so that a node made from one keeps it alive with no more
// said. All are cheap to copy (one shared pointer) and safe to copy and destroy on any thread. What
// they have made is freed in the context that it was made in, so that must outlive it, as in CUDA.
// Errors are as in graph.h.
#pragma once

#include <cstddef>

#include "anycuda/graph/cuda_types.h"
#include "anycuda/graph/owner.h"

struct CUmod_st;

namespace anycuda::graph {

// Device memory. The *allocation* is what nodes keep, not this wrapper: close() or the end of the
// wrapper frees nothing that a graph uses. A closed Buffer is refused as an operand, and its
// allocation() as an owner: CUDA_ERROR_INVALID_VALUE.
class Buffer {
 public:
  Buffer() = default;  // none
  // `bytes` (> 0) of device memory in the current context (cuMemAlloc); freed in that context when
  // the last owner is gone. The driver's error otherwise, and *out is left as it was.
  static CUresult allocate(std::size_t bytes, Buffer* out);
  // Memory of somebody else, kept by `owner`; an empty owner keeps nothing alive. `bytes` of 0: the
  // size is not known, and what uses it is not checked.
  static Buffer wrap(CUdeviceptr address, std::size_t bytes, OpaqueHandle owner);
  void close();
  bool closed() const;
  explicit operator bool() const { return address_ != 0; }
  CUdeviceptr address() const { return address_; }
  std::size_t size() const { return size_; }  // bytes
  // Empty where nothing is kept. Of a closed Buffer it owns nothing, and is not empty: no function
  // of this library takes it for "no owner".
  const OpaqueHandle& allocation() const { return allocation_; }

 private:
  CUdeviceptr address_ = 0;
  std::size_t size_ = 0;
  OpaqueHandle allocation_;
};

// A kernel and the module that its code is in.
class Kernel {
 public:
  Kernel() = default;
  // Loads `image` (PTX, CUBIN or fatbin, as cuModuleLoadData takes it) in the current context and
  // finds `name` in it. The module is unloaded, in that context, when the last owner is gone.
  static CUresult load(const void* image, const char* name, Kernel* out);
  static Kernel wrap(CUfunction function, OpaqueHandle module);
  // Another kernel of the same module; of one that was loaded by load() only.
  CUresult sibling(const char* name, Kernel* out) const;
  explicit operator bool() const { return function_ != nullptr; }
  CUfunction function() const { return function_; }
  const OpaqueHandle& module() const { return module_; }

 private:
  CUfunction function_ = nullptr;
  OpaqueHandle module_;
  CUmod_st* loaded_ = nullptr;  // by load()
};

// An event.
class Event {
 public:
  Event() = default;
  // `flags` as for cuEventCreate, in the current context. Destroyed with the last owner.
  static CUresult create(unsigned flags, Event* out);
  // `flags` are those that the event was made with, as far as the caller knows.
  static Event wrap(CUevent event, OpaqueHandle owner, unsigned flags = 0);
  explicit operator bool() const { return event_ != nullptr; }
  CUevent event() const { return event_; }
  const OpaqueHandle& owner() const { return owner_; }
  // As given to create() or wrap(): no driver tells those of an event.
  unsigned flags() const { return flags_; }

 private:
  CUevent event_ = nullptr;
  unsigned flags_ = 0;
  OpaqueHandle owner_;
};

}  // namespace anycuda::graph
