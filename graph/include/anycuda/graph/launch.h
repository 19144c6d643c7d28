// SPDX-License-Identifier: Apache-2.0

// The size of a kernel's launch, and the values of its arguments. All are plain values: only one
// thread at a time may use one of them. Arguments are cheap to copy (one shared pointer).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "anycuda/graph/operands.h"

namespace anycuda::graph {

// One, two or three numbers; those that are not given are 1. CUDA's dim3 and uint3 convert to it.
// A number below 0, or too large for an unsigned, becomes 0, which the functions that take a grid
// or a block refuse. It converts to the array of its numbers, so `grid[0]` reads and sets x.
class Dim3 {
 public:
  using Sides = unsigned[3];

  constexpr Dim3() = default;
  template <typename X, typename Y = int, typename Z = int,
            typename = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> &&
                                        std::is_integral_v<Z>>>
  constexpr Dim3(X x, Y y = 1, Z z = 1) : sides_{side(x), side(y), side(z)} {}
  template <typename Other,
            typename = std::enable_if_t<std::is_integral_v<decltype(Other::x)> &&
                                        std::is_integral_v<decltype(Other::y)>>,
            typename = std::enable_if_t<std::is_integral_v<decltype(Other::z)>>>
  constexpr Dim3(const Other& other) : Dim3(other.x, other.y, other.z) {}

  constexpr operator Sides&() { return sides_; }
  constexpr operator const Sides&() const { return sides_; }
  constexpr unsigned* begin() { return sides_; }
  constexpr unsigned* end() { return sides_ + 3; }
  constexpr const unsigned* begin() const { return sides_; }
  constexpr const unsigned* end() const { return sides_ + 3; }

 private:
  template <typename Number>
  static constexpr unsigned side(Number number) {
    const auto wide = static_cast<long long>(number);
    return wide < 0 || wide > 0xffffffffLL ? 0U : static_cast<unsigned>(wide);
  }

  Sides sides_ = {1, 1, 1};
};

// How a kernel is launched, beside its grid and block (CUDA Driver API, CUlaunchAttributeID). An
// attribute that the driver is too old for is CUDA_ERROR_NOT_SUPPORTED; last_error() names the
// release.
struct LaunchAttributes {
  // Blocks of a thread block cluster; 1 x 1 x 1: no cluster. CUDA_ERROR_INVALID_VALUE: a side of 0,
  // or a side of the grid (which counts blocks) that is not a multiple. Drivers of CUDA 11.8 or
  // later, and GPUs of compute capability 9.0 or later.
  Dim3 cluster = {};
  bool cooperative = false;  // the blocks may synchronise with each other, as for grid.sync()
  // Programmatic dependent launch: the kernel may begin before the kernels that it depends on have
  // ended, and waits for them in cudaGridDependencySynchronize(). In a graph, the node's edges from
  // kernel nodes are programmatic_edge() (edges.h) when the node is added, by a driver of CUDA 12.3
  // or later; set_kernel() and Exec::set_kernel() change no edge. On a stream, the kernel depends
  // on the kernel before it (CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION), by a driver of
  // CUDA 11.8 or later.
  bool programmatic = false;
  // A smaller number comes first (cuCtxGetStreamPriorityRange). If it is not given: in a graph 0,
  // on a stream the stream's. A graph uses it if it is instantiated with
  // CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY (8). Drivers of CUDA 11.7 or later.
  std::optional<int> priority = {};
};

// How a kernel is launched: `{grid, block}`, as `{(count + 255) / 256, 256}` or `{{8, 8}, {16,
// 16}}`.
struct LaunchConfig {
  Dim3 grid = {};             // blocks; a dimension of 0 is CUDA_ERROR_INVALID_VALUE
  Dim3 block = {};            // threads; likewise
  unsigned shared_bytes = 0;  // dynamic shared memory per block
  LaunchAttributes attributes = {};
};

// A value, and the owner of what it points to, such as an address inside of a Buffer:
// `with_owner(buffer.address() + 64, buffer.allocation())`.
template <typename Value>
struct WithOwner {
  Value value;
  OpaqueHandle owner;
};
template <typename Value>
WithOwner<Value> with_owner(Value value, OpaqueHandle owner) {
  return {std::move(value), std::move(owner)};
}

// What Arguments share. Not for programs.
struct ArgumentList {
  std::size_t count = 0;
  void** values = nullptr;             // one pointer for each value
  const std::size_t* sizes = nullptr;  // bytes of each
  std::size_t empty_buffer = 0;        // number of the first empty or closed Buffer, else count
  OpaqueHandle owner;
};

// The values of a kernel's arguments, copied, with the owners of what they point to. What each
// argument becomes:
// - A Buffer: its address, a CUdeviceptr. The allocation is the owner. An empty or closed Buffer is
//   refused; nullptr passes a null pointer.
// - A std::shared_ptr: its pointer, and it is the owner.
// - with_owner(value, owner): the value, which may be any of these.
// - Any other value that can be copied byte by byte (std::is_trivially_copyable), such as a number,
//   a struct, a raw pointer: a copy. As in CUDA, what a raw pointer points to must outlive every
//   use of the node.
//
// A driver of CUDA 12.4 or later knows the number and the sizes of a kernel's parameters
// (cuFuncGetParamInfo). There, other numbers and sizes are CUDA_ERROR_INVALID_VALUE, and
// last_error() names the argument, from 0 on. Sizes are not types: an int for a float is not
// detected.
class Arguments {
 public:
  Arguments() = default;  // not given
  // Throws std::bad_alloc. Without values: the arguments of a kernel that takes none.
  template <typename... Values>
  static Arguments of(const Values&... values);
  explicit operator bool() const { return list_ != nullptr; }  // given, even without values
  std::size_t count() const { return list_ == nullptr ? 0 : list_->count; }
  // As for cuLaunchKernel: a pointer to each value. Valid while this object or a copy of it exists.
  void** values() const { return list_ == nullptr ? nullptr : list_->values; }
  // All owners as one; empty without owners.
  OpaqueHandle owner() const { return list_ == nullptr ? nullptr : list_->owner; }

 private:
  friend struct ArgumentCheck;
  std::shared_ptr<const ArgumentList> list_;
};

// How one argument is stored, and who owns what it points to. Not for programs.
template <typename Value>
struct ArgumentOf {
  static constexpr bool kIsBuffer = std::is_convertible_v<const Value*, const Buffer*>;
  static_assert(kIsBuffer || std::is_trivially_copyable_v<Value>,
                "an argument of a kernel is a Buffer, a std::shared_ptr, with_owner(value, owner), "
                "or a value that can be copied byte by byte");
  static_assert(!std::is_array_v<Value>,
                "an array cannot be an argument of a kernel: pass a pointer, or a struct");

  static auto stored(const Value& value) {
    if constexpr (kIsBuffer) {
      return value.address();
    } else {
      return value;
    }
  }
  static void add_owners(const Value& value, std::vector<OpaqueHandle>* owners) {
    if constexpr (kIsBuffer) owners->push_back(value.allocation());
    (void)value;
    (void)owners;
  }
  static bool is_empty(const Value& value) {
    if constexpr (kIsBuffer) return !value;
    (void)value;
    return false;
  }
};
template <>
struct ArgumentOf<std::nullptr_t> {
  static void* stored(std::nullptr_t) { return nullptr; }
  static void add_owners(std::nullptr_t, std::vector<OpaqueHandle>*) {}
  static bool is_empty(std::nullptr_t) { return false; }
};
template <typename Object>
struct ArgumentOf<std::shared_ptr<Object>> {
  using Shared = std::shared_ptr<Object>;
  static auto* stored(const Shared& shared) { return shared.get(); }
  static void add_owners(const Shared& shared, std::vector<OpaqueHandle>* owners) {
    owners->emplace_back(shared);
  }
  static bool is_empty(const Shared&) { return false; }
};
template <typename Value>
struct ArgumentOf<WithOwner<Value>> {
  static auto stored(const WithOwner<Value>& both) { return ArgumentOf<Value>::stored(both.value); }
  static void add_owners(const WithOwner<Value>& both, std::vector<OpaqueHandle>* owners) {
    ArgumentOf<Value>::add_owners(both.value, owners);
    owners->push_back(both.owner);
  }
  static bool is_empty(const WithOwner<Value>& both) {
    return ArgumentOf<Value>::is_empty(both.value);
  }
};

// The values themselves. Not for programs. (Not a std::tuple: clang 17 refuses that of one value
// with libstdc++ 14 as C++23.)
template <std::size_t Index, typename Stored>
struct StoredArgument {
  Stored value;
};
template <typename Indices, typename... Stored>
struct StoredArguments;
template <std::size_t... Index, typename... Stored>
struct StoredArguments<std::index_sequence<Index...>, Stored...>
    : ArgumentList, StoredArgument<Index, Stored>... {
  static constexpr std::size_t kCount = sizeof...(Stored);

  explicit StoredArguments(Stored... given)
      : StoredArgument<Index, Stored>{given}...,
        pointers{&static_cast<StoredArgument<Index, Stored>&>(*this).value..., nullptr} {
    count = empty_buffer = kCount;
    values = pointers;
    sizes = bytes;
  }

  void* pointers[kCount + 1];
  std::size_t bytes[kCount + 1] = {sizeof(Stored)...};
};

template <typename... Values>
Arguments Arguments::of(const Values&... values) {
  using List = StoredArguments<std::index_sequence_for<Values...>,
                               decltype(ArgumentOf<Values>::stored(values))...>;
  auto list = std::make_shared<List>(ArgumentOf<Values>::stored(values)...);
  std::vector<OpaqueHandle> owners;
  std::size_t at = 0;
  const auto look = [&](bool empty) {
    if (empty && list->empty_buffer == List::kCount) list->empty_buffer = at;
    ++at;
  };
  (look(ArgumentOf<Values>::is_empty(values)), ...);
  (ArgumentOf<Values>::add_owners(values, &owners), ...);
  if (!owners.empty()) list->owner = all_of(std::move(owners));
  static_cast<void>(look);
  Arguments made;
  made.list_ = std::move(list);
  return made;
}

}  // namespace anycuda::graph
