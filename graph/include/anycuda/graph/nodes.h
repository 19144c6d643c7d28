// The parameters of nodes. Each operand is given in one of two ways: typed (it owns itself), or raw
// with an optional owner. Both for one operand is CUDA_ERROR_INVALID_VALUE, and last_error() names
// it. What a raw operand without an owner points to must outlive every use of the node, as in CUDA.
//
// Nothing here is kept by reference: all that is needed is copied when a function takes it. Structs
// are plain values: one thread at a time for one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "anycuda/graph/operands.h"

namespace anycuda::graph {

struct KernelNode {
  Kernel kernel;                  // typed
  CUfunction function = nullptr;  // or raw
  // Keeps the module of a raw function. Without it (or with a Kernel that has no module) a module
  // that Kernel::load has loaded is kept all the same; any other is the caller's to keep, since the
  // driver counts no references to modules.
  OpaqueHandle code_owner;
  unsigned grid[3] = {1, 1, 1};   // blocks; a side of 0 is CUDA_ERROR_INVALID_VALUE
  unsigned block[3] = {1, 1, 1};  // threads; likewise
  unsigned shared_bytes = 0;      // dynamic shared memory a block
  // As for cuLaunchKernel: one pointer for each parameter, to its value, which the driver copies
  // when the node is made. nullptr for a kernel that takes some is CUDA_ERROR_INVALID_VALUE where
  // the driver knows (CUDA 12.4 or later); a null pointer among them is not looked for. What the
  // values point to is the matter of argument_buffers and argument_owner.
  void** arguments = nullptr;
  OpaqueHandle argument_owner;  // all_of({...}) where there are several
  // Memory that arguments point to: kept as argument_owner is, and beside it. An empty or closed
  // Buffer is CUDA_ERROR_INVALID_VALUE.
  std::vector<Buffer> argument_buffers;
};

// Memory that a copy or a memset works on: exactly one of buffer, address, host and array.
// CUDA_ERROR_INVALID_VALUE: what reaches beyond a Buffer whose size is known, or is more than any
// memory has (2^57 bytes, or beyond the last address); and, where there are several rows or layers
// and no array, a pitch below a row's bytes or a height below a layer's rows. No rows, layers or
// bytes are left to the driver.
struct MemoryOperand {
  Buffer buffer;  // typed
  CUdeviceptr address = 0;
  void* host = nullptr;  // not written to where it is a source
  CUarray array = nullptr;
  OpaqueHandle owner;  // of address, host or array
  std::size_t offset =
      0;                  // bytes, from the beginning of any of them; in an array, of its first row
  std::size_t pitch = 0;  // bytes from row to row; 0: rows follow each other
  std::size_t height = 0;  // rows from layer to layer; 0: layers follow each other
};

struct MemcpyNode {
  MemoryOperand destination;
  MemoryOperand source;
  std::size_t width = 0;  // bytes
  std::size_t rows = 1;
  std::size_t layers = 1;
  CUcontext context = nullptr;  // nullptr: the current one
};

struct MemsetNode {
  MemoryOperand destination;   // of device memory; address and pitch are multiples of an element
  unsigned value = 0;          // CUDA_ERROR_INVALID_VALUE where it is wider than an element
  unsigned element_bytes = 1;  // 1, 2 or 4
  std::size_t width = 0;       // elements
  std::size_t rows = 1;
  CUcontext context = nullptr;
};

struct HostNode {
  // Typed: kept, with all that it has captured; so there is no data beside it (that is refused).
  // Each launch calls it, on a thread of the driver, and several that run at the same time perhaps
  // at once: it must not call CUDA (CUDA Driver API, cuLaunchHostFunc), and an exception that it
  // throws ends there (lost_exceptions() and lost_exception() in drain.h).
  std::function<void()> call;
  CUhostFn function = nullptr;  // or raw, called with `data`
  OpaqueHandle function_owner;
  const void* data = nullptr;
  OpaqueHandle data_owner;
  // true: data_size bytes from `data` are copied, each time this struct is given to a function, and
  // the copy is what the function is called with (not nullptr, of size 0 too). data_owner and
  // copy_data are two ways to keep the data, so both is refused.
  bool copy_data = false;
  std::size_t data_size = 0;
};

struct EventNode {
  Event event;  // typed
  CUevent raw = nullptr;
  OpaqueHandle owner;
};

struct MemAllocNode {
  std::size_t bytes = 0;
  int device = 0;
  CUdeviceptr address =
      0;  // filled by add_mem_alloc: valid from the node on, in the graph's launches
};

// Bodies: if has 1, or 2 with an else (a driver of CUDA 12.8 or later); while 1; switch any number
// (12.8 or later).
enum class ConditionalKind { if_else, while_loop, switch_case };
struct ConditionalNode {
  std::uint64_t handle = 0;  // from create_conditional
  ConditionalKind kind = ConditionalKind::if_else;
  unsigned bodies = 1;
  CUcontext context = nullptr;
};

}  // namespace anycuda::graph
