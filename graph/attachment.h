// SPDX-License-Identifier: Apache-2.0

// What a CUDA user object of this library points to: the owners of one node, or those of the
// updated nodes of an executable graph.
#pragma once

#include <atomic>
#include <cstdint>

#include "anycuda/graph/cuda_types.h"
#include "anycuda/graph/owner.h"

struct CUuserObject_st;

namespace anycuda::graph {

// The object behind a CUDA user object. Only the driver counts references to it. When the last one
// is released, the driver calls anycuda_graph_retire(), which adds it to the list of retired
// owners (drain.cc), linked by `next`.
struct UserObject {
  enum class Kind : std::uint8_t { attachment, exec_owners };

  UserObject* next = nullptr;
  CUuserObject_st* handle = nullptr;
  const Kind kind;

  // Makes the CUDA user object, with one reference. On an error this object is as before.
  CUresult create() noexcept;
  // Destroys the object, of either kind, with all owners in it.
  static void release(UserObject* object) noexcept;

 protected:
  explicit UserObject(Kind is) : kind(is) {}
};

// The owners of a node, which never change. One allocation of exactly the needed size, since a
// graph may have a hundred thousand attachments.
//
// The table of an embedded graph also holds the attachment's memory, but not its owners: raw calls
// may destroy such a graph without the table's knowledge. Then the attachment has no owners any
// more.
struct Attachment : UserObject {
  // Throws std::bad_alloc. At least one owner.
  static Attachment* make(const Owners& owners);
  Owners owners() const;
  void hold_memory() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void drop_memory() noexcept;

 private:
  friend struct UserObject;
  explicit Attachment(std::uint8_t used) : UserObject(Kind::attachment), roles_(used) {}
  bool is_shared() const noexcept { return holders_.load(std::memory_order_acquire) > 1; }
  Owners copy() const;
  void destroy_owners() noexcept;
  OpaqueHandle* first() { return reinterpret_cast<OpaqueHandle*>(this + 1); }
  const OpaqueHandle* first() const { return reinterpret_cast<const OpaqueHandle*>(this + 1); }

  std::uint8_t roles_;                     // bit i: role i has an owner
  std::atomic<std::uint32_t> holders_{1};  // the driver's references as one, and the tables
};

// Attachments without user objects, linked by `next`.
struct OwnerList {
  Attachment* first = nullptr;

  OwnerList() = default;
  ~OwnerList() { clear(); }
  OwnerList(const OwnerList&) = delete;
  OwnerList& operator=(const OwnerList&) = delete;

  void add(const Owners& owners);  // throws std::bad_alloc
  void add_all_of(OwnerList* other) noexcept;
  void clear() noexcept;
};

class ExecOwners;  // exec/exec_owners.h

// The user object that makes an executable graph a holder of the owners of its updated nodes.
struct ExecOwnersRef : UserObject {
  const std::shared_ptr<ExecOwners> list;

  explicit ExecOwnersRef(std::shared_ptr<ExecOwners> shared)
      : UserObject(Kind::exec_owners), list(std::move(shared)) {}
};

// Releases a list as drain() does. The deleters of its owners run when its last holder releases it.
void release(std::shared_ptr<ExecOwners> list) noexcept;  // drain.cc
void release(OwnerList* list) noexcept;

bool any(const Owners& owners);

// The allocation of a Buffer that was closed (operands/closed_buffer.cc): refused wherever an owner
// is given.
bool is_closed(const OpaqueHandle& owner) noexcept;
CUresult check_owners(const Owners& owners) noexcept;

// The driver calls this when nothing uses the object any more: drain.cc.
extern "C" void anycuda_graph_retire(void* object) noexcept;

// A reference that a graph holds to a user object. The destructor releases it unless
// leave_to_graph() was called.
class ScopedGraphRef {
 public:
  ScopedGraphRef() = default;
  ~ScopedGraphRef() { give_back(); }
  ScopedGraphRef(const ScopedGraphRef&) = delete;
  ScopedGraphRef& operator=(const ScopedGraphRef&) = delete;

  // Makes the user object, and moves its reference into the graph. Takes ownership of `object`,
  // also if it fails.
  CUresult take(CUgraph graph, UserObject* object) noexcept;
  void leave_to_graph() { object_ = nullptr; }
  void give_back() noexcept;

 private:
  CUgraph graph_ = nullptr;
  UserObject* object_ = nullptr;
};

}  // namespace anycuda::graph
