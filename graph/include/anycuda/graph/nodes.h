// SPDX-License-Identifier: Apache-2.0

// The parameters of nodes. Each operand is given in one of two ways: typed (the operand is its own
// owner), or raw with an optional owner. Giving both for one operand is CUDA_ERROR_INVALID_VALUE,
// and last_error() names the operand. As in CUDA, what a raw operand without an owner points to
// must outlive every use of the node.
//
// The functions copy what they need from these structs and keep no reference to them. The structs
// are plain values: only one thread at a time may use one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "anycuda/graph/launch.h"
#include "anycuda/graph/operands.h"

namespace anycuda::graph {

struct KernelNode {
  Kernel kernel = {};             // typed
  CUfunction function = nullptr;  // or raw
  // Keeps the module of a raw function loaded. Without this owner (or with a Kernel that has no
  // module owner) this library keeps a module that Kernel::load has loaded; the caller must keep
  // any other module, since the driver does not count references to modules.
  OpaqueHandle code_owner = {};
  Dim3 grid = {};             // blocks; a dimension of 0 is CUDA_ERROR_INVALID_VALUE
  Dim3 block = {};            // threads; likewise
  unsigned shared_bytes = 0;  // dynamic shared memory per block
  // Raw: as for cuLaunchKernel, one pointer for each parameter, to its value, which the driver
  // copies when the node is made. nullptr for a kernel with parameters is CUDA_ERROR_INVALID_VALUE
  // if the driver can tell (CUDA 12.4 or later); null pointers in the array are not checked. Memory
  // that the values point to is kept by argument_buffers and argument_owner, and by nothing else:
  // the Buffers of `values` need not be named a second time. check_argument_owners() finds memory
  // that nothing here keeps.
  void** arguments = nullptr;
  OpaqueHandle argument_owner = {};  // several owners: all_of({...})
  // Memory that arguments point to, kept in addition to argument_owner. An empty or closed Buffer
  // is CUDA_ERROR_INVALID_VALUE.
  std::vector<Buffer> argument_buffers = {};
  // Typed: the values, with their owners (launch.h). `arguments` beside it is refused; the owners
  // above are kept in addition.
  Arguments values = {};
  LaunchAttributes attributes = {};
};

// A node for add_kernel(), set_kernel() and Exec::set_kernel():
// `kernel_node(kernel, {grid, block}, buffer, 3, 1.0f)`. It owns the kernel's module, and what the
// arguments own (Arguments in launch.h). Throws std::bad_alloc.
template <typename... Values>
KernelNode kernel_node(const Kernel& kernel, const LaunchConfig& launch,
                       const Values&... arguments) {
  KernelNode node;
  node.kernel = kernel;
  node.grid = launch.grid;
  node.block = launch.block;
  node.shared_bytes = launch.shared_bytes;
  node.attributes = launch.attributes;
  node.values = Arguments::of(arguments...);
  return node;
}

// Memory that a copy or a memset works on: exactly one of buffer, address, host and array.
// CUDA_ERROR_INVALID_VALUE: an access beyond the end of a Buffer of known size, of more than 2^57
// bytes, or beyond the last address; and, for several rows or layers outside an array, a pitch
// smaller than a row or a height smaller than a layer. A size of 0 rows, layers or bytes is left to
// the driver.
struct MemoryOperand {
  Buffer buffer = {};  // typed
  CUdeviceptr address = 0;
  void* host = nullptr;  // a source is only read
  CUarray array = nullptr;
  OpaqueHandle owner = {};  // of address, host or array
  std::size_t offset = 0;   // bytes from the beginning of the memory; in an array, of its first row
  std::size_t pitch = 0;    // bytes from row to row; 0: rows follow each other
  std::size_t height = 0;   // rows from layer to layer; 0: layers follow each other
  // Where the access begins, in addition to `offset`: this row of this layer.
  std::size_t row = 0;
  std::size_t layer = 0;
};

struct MemcpyNode {
  MemoryOperand destination = {};
  MemoryOperand source = {};
  std::size_t width = 0;  // bytes
  std::size_t rows = 1;
  std::size_t layers = 1;
  CUcontext context = nullptr;  // nullptr: the current context
};

struct MemsetNode {
  MemoryOperand destination =
      {};                      // device memory; address and pitch are multiples of element_bytes
  unsigned value = 0;          // CUDA_ERROR_INVALID_VALUE if wider than an element
  unsigned element_bytes = 1;  // 1, 2 or 4
  std::size_t width = 0;       // elements
  std::size_t rows = 1;
  CUcontext context = nullptr;
};

struct HostNode {
  // Typed: a copy is kept, with all that it has captured; host_node() takes a move-only callable.
  // `data` beside it is refused. Each launch
  // calls it on a thread of the driver; launches that run at the same time may call it at the same
  // time. It must not call CUDA (CUDA Driver API, cuLaunchHostFunc). An exception that it throws is
  // caught and recorded (lost_exceptions() and lost_exception() in drain.h).
  std::function<void()> call = {};
  CUhostFn function = nullptr;  // or raw, called with `data`
  OpaqueHandle function_owner = {};
  const void* data = nullptr;
  OpaqueHandle data_owner = {};
  // true: each time this struct is given to this library, data_size bytes from `data` are copied,
  // and `function` is called with the copy (not nullptr, even if data_size is 0). data_owner and
  // copy_data are two ways to keep the data, so giving both is refused.
  bool copy_data = false;
  std::size_t data_size = 0;
};

// A node for add_host(), set_host(), Exec::set_host() and Capture::call(). It owns the callable,
// which may be move-only, as a lambda that has captured a std::unique_ptr. All nodes that are made
// from one HostNode of a move-only callable share it. Throws std::bad_alloc, and what the
// callable's move or copy throws.
template <typename Callable>
HostNode host_node(Callable&& call) {
  using Kept = std::decay_t<Callable>;
  HostNode node;
  if constexpr (std::is_copy_constructible_v<Kept>) {
    node.call = std::forward<Callable>(call);
  } else {
    node.call = [kept = std::make_shared<Kept>(std::forward<Callable>(call))] { (*kept)(); };
  }
  return node;
}

struct EventNode {
  Event event = {};  // typed
  CUevent raw = nullptr;
  OpaqueHandle owner = {};
};

// Where a memory allocation node allocates: on a GPU, on the host, on a NUMA node of the host, or
// as managed memory. A kind that the driver or the machine does not have is the driver's error.
enum class MemoryKind { device, host, host_numa, managed };

struct MemAllocNode {
  std::size_t bytes = 0;
  int device = 0;  // the GPU's number; of `host_numa` the NUMA node's; not used for `host`
  CUdeviceptr address =
      0;  // set by add_mem_alloc: valid in launches of the graph, for work ordered after the node
  MemoryKind kind = MemoryKind::device;
  std::vector<int> access = {};  // other GPUs that read and write the memory (peers)
};

// Numbers of bodies: an if has 1, or 2 with an else (a driver of CUDA 12.8 or later), a while 1, a
// switch 1 to 65536 (12.8 or later).
enum class ConditionalKind { if_else, while_loop, switch_case };
struct ConditionalNode {
  std::uint64_t handle = 0;  // from create_conditional
  ConditionalKind kind = ConditionalKind::if_else;
  unsigned bodies = 1;
  CUcontext context = nullptr;
};

}  // namespace anycuda::graph
