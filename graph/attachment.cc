// SPDX-License-Identifier: Apache-2.0
#include "graph/attachment.h"

#include <mutex>
#include <new>

#include "graph/driver_support.h"
#include "graph/error.h"

namespace anycuda::graph {

static_assert(sizeof(Attachment) % alignof(OpaqueHandle) == 0,
              "an Attachment's owners are stored directly behind it, aligned");
static_assert(sizeof(Attachment) <= 3 * sizeof(void*),
              "an Attachment is small, since a graph may have very many");

namespace {
// Between a table that reads owners and drain(), where raw calls have destroyed the table's graph.
// Held for a copy of four pointers, never while a deleter runs.
std::mutex shared_owners;
}  // namespace

bool any(const Owners& owners) {
  for (const OpaqueHandle& owner : owners) {
    if (owner != nullptr) return true;
  }
  return false;
}

Attachment* Attachment::make(const Owners& owners) {
  unsigned used = 0;
  std::size_t count = 0;
  for (unsigned role = 0; role < kOwnerRoles; ++role) {
    if (owners[role] == nullptr) continue;
    used |= 1U << role;
    ++count;
  }
  void* memory = ::operator new(sizeof(Attachment) + count * sizeof(OpaqueHandle));
  auto* made = new (memory) Attachment(static_cast<std::uint8_t>(used));
  OpaqueHandle* place = made->first();
  for (const OpaqueHandle& owner : owners) {
    if (owner != nullptr) new (place++) OpaqueHandle(owner);
  }
  return made;
}

Owners Attachment::copy() const {
  Owners all;
  const OpaqueHandle* place = first();
  for (unsigned role = 0; role < kOwnerRoles; ++role) {
    if ((roles_ >> role & 1U) != 0) all[role] = *place++;
  }
  return all;
}

Owners Attachment::owners() const {
  if (!is_shared()) return copy();
  const std::lock_guard<std::mutex> lock(shared_owners);
  return copy();
}

void Attachment::destroy_owners() noexcept {
  OpaqueHandle* owner = first();
  for (unsigned roles = roles_; roles != 0; roles >>= 1) {
    if ((roles & 1U) != 0) (owner++)->~OpaqueHandle();
  }
  roles_ = 0;
}

void Attachment::drop_memory() noexcept {
  if (is_shared() && holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  this->~Attachment();
  ::operator delete(this);
}

CUresult UserObject::create() noexcept {
  CUresult result = need("cuUserObjectCreate");
  if (result != CUDA_SUCCESS) return result;
  return user_objects_answered(
      "cuUserObjectCreate",
      api::cuUserObjectCreate(&handle, this, anycuda_graph_retire, 1, kNoDestructorSync));
}

void UserObject::release(UserObject* object) noexcept {
  if (object->kind == Kind::exec_owners) {
    delete static_cast<ExecOwnersRef*>(object);
    return;
  }
  auto* attachment = static_cast<Attachment*>(object);
  Owners last;  // a deleter must not run under the lock
  if (attachment->is_shared()) {
    const std::lock_guard<std::mutex> lock(shared_owners);
    last = attachment->copy();
    attachment->destroy_owners();
  } else {
    attachment->destroy_owners();
  }
  attachment->drop_memory();
}

void OwnerList::clear() noexcept {
  while (first != nullptr) {
    Attachment* const one = first;
    first = static_cast<Attachment*>(one->next);
    UserObject::release(one);
  }
}

void OwnerList::add(const Owners& owners) {
  if (!any(owners)) return;
  Attachment* const made = Attachment::make(owners);
  made->next = first;
  first = made;
}

void OwnerList::add_all_of(OwnerList* other) noexcept {
  while (other->first != nullptr) {
    Attachment* const one = other->first;
    other->first = static_cast<Attachment*>(one->next);
    one->next = first;
    first = one;
  }
}

CUresult ScopedGraphRef::take(CUgraph graph, UserObject* object) noexcept {
  CUresult result = object->create();
  if (result != CUDA_SUCCESS) {
    UserObject::release(object);
    return result;
  }
  ::CUuserObject_st* const handle = object->handle;
  result = user_objects_answered("cuGraphRetainUserObject",
                                 api::cuGraphRetainUserObject(graph, handle, 1, kMove));
  if (result != CUDA_SUCCESS) {
    api::cuUserObjectRelease(handle, 1);
    return result;
  }
  graph_ = graph;
  object_ = object;
  return CUDA_SUCCESS;
}

void ScopedGraphRef::give_back() noexcept {
  if (object_ != nullptr) api::cuGraphReleaseUserObject(graph_, object_->handle, 1);
  object_ = nullptr;
}

}  // namespace anycuda::graph
