// Who keeps alive what a graph node refers to.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <vector>

namespace anycuda::graph {

// Any owner: whatever the last copy's deleter frees. `std::shared_ptr<Anything>` converts to it.
// A deleter may call CUDA: the library runs it where that is allowed (drain.h), never on the
// driver's own threads. An owner must not hold the Graph or Exec that it is given to: neither would
// ever go.
using OpaqueHandle = std::shared_ptr<const void>;

// A node has four slots, each for one owner. What the helpers of this library put where, by the
// kind of the node; `extra` and `more` are always the caller's own.
enum class Slot : unsigned {
  code = 0,         // kernel: the module or library that its code is in
  arguments = 1,    // kernel: what its arguments point to
  destination = 0,  // memcpy, memset
  source = 1,       // memcpy
  callback = 0,     // host: what the function needs to be there (a library, a closure)
  data = 1,         // host: what the function is called with
  event = 0,        // event record, event wait
  memory = 0,       // memory allocation and free: the caller's own, no helper uses it
  extra = 2,
  more = 3,
};
constexpr unsigned kSlots = 4;

// All owners of a node, by slot. Empty ones own nothing and cost nothing.
using Owners = std::array<OpaqueHandle, kSlots>;

// Several owners as one: a kernel with many buffers needs one slot for all of them. Empty ones are
// left out; of none the result is empty. With the allocation of a closed Buffer among them the
// result is that, which is refused. Throws std::bad_alloc.
OpaqueHandle all_of(std::initializer_list<OpaqueHandle> owners);
OpaqueHandle all_of(std::vector<OpaqueHandle> owners);

}  // namespace anycuda::graph
