#include "graph/attachment.h"

#include <new>

#include "graph/driver.h"
#include "graph/error.h"

namespace anycuda::graph {

static_assert(sizeof(Attachment) % alignof(OpaqueHandle) == 0, "the owners follow it");

bool any(const Owners& owners) {
  for (const OpaqueHandle& owner : owners) {
    if (owner != nullptr) return true;
  }
  return false;
}

Attachment* Attachment::make(const Owners& owners) {
  unsigned used = 0;
  std::size_t count = 0;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    if (owners[slot] == nullptr) continue;
    used |= 1U << slot;
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

Owners Attachment::owners() const {
  Owners all;
  const OpaqueHandle* place = first();
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    if ((slots >> slot & 1U) != 0) all[slot] = *place++;
  }
  return all;
}

CUresult UserObject::create() noexcept {
  CUresult result = need("cuUserObjectCreate");
  if (result != CUDA_SUCCESS) return result;
  return user_objects_answered(
      "cuUserObjectCreate",
      api::cuUserObjectCreate(&handle, this, anycuda_graph_is_over, 1, kNoDestructorSync));
}

void UserObject::let_go(UserObject* object) noexcept {
  if (object->kind == Kind::kept) {
    delete static_cast<Kept*>(object);
    return;
  }
  auto* attachment = static_cast<Attachment*>(object);
  OpaqueHandle* owner = attachment->first();
  for (unsigned slots = attachment->slots; slots != 0; slots >>= 1) {
    if ((slots & 1U) != 0) (owner++)->~OpaqueHandle();
  }
  attachment->~Attachment();
  ::operator delete(attachment);
}

void OwnerList::clear() noexcept {
  while (first != nullptr) {
    Attachment* const one = first;
    first = static_cast<Attachment*>(one->next);
    UserObject::let_go(one);
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

CUresult HeldByGraph::take(CUgraph graph, UserObject* object) noexcept {
  CUresult result = object->create();
  if (result != CUDA_SUCCESS) {
    UserObject::let_go(object);
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

void HeldByGraph::give_back() noexcept {
  if (object_ != nullptr) api::cuGraphReleaseUserObject(graph_, object_->handle, 1);
  object_ = nullptr;
}

}  // namespace anycuda::graph
