// SPDX-License-Identifier: Apache-2.0

// The queue of the registrations by nvcc-built objects before any CUDA library is opened.
//
// Static constructors of such objects call __cudaRegisterFatBinary, then __cudaRegisterFunction and
// its like for each kernel and variable, thousands of times in big programs. These calls must not
// open a library, so they are kept in a log that grows block by block, 24 bytes for an ordinary
// kernel. Appending is three compare-and-swaps and a few stores, so a constructor never waits for
// another thread that registers or replays. Nobody waits for an appender either: it may have
// stopped, or be a thread that a forked child does not have.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "stubs/cudart/base/growing_array.h"

namespace anycuda::registration {

enum Kind : unsigned {
  kNone,
  kFatBinary,
  kFatBinaryEnd,
  kFunction,
  kVariable,
  kManagedVariable,
  kHostVariable,
  kTexture,
  kSurface,
  kUnifiedTable,
  kKindCount
};

constexpr int kMaxArguments = 9;  // behind the handle

// One registration call, arguments as the ABI passes them.
struct Record {
  unsigned kind;         // a Kind, never kNone
  std::uint32_t handle;  // index of the stub's own handle
  std::uint64_t arguments[kMaxArguments];
};

// The value that argument `i` nearly always has in a call of that kind, given those before it: an
// argument of that value is not logged. nvcc passes one string for the address and the name of a
// kernel or variable on the device, and sets no thread limit. After the handle:
//   a function: host function, device function, its name, thread limit, ...
//   a variable: host variable, device address, its name, external, size, constant, global
inline std::uint64_t implied_argument(unsigned kind, unsigned i, const std::uint64_t* arguments) {
  const bool variable = kind == kVariable || kind == kManagedVariable;
  if (i == 2 && (kind == kFunction || variable)) return arguments[1];
  if (i == 3 && kind == kFunction) return 0xffffffff;  // -1 as an int
  return 0;
}

class Log {
 public:
  // False once the log is closed, is full or has no memory: the caller then registers directly.
  bool append(const Record& record);

  // Reads the next record from `position` on; false at the log's end. Skips a record that is still
  // being written: its appender then appends it once more, behind the others.
  bool next(std::size_t* position, Record* record) const;

  // Closes the log if `position` is its end: from then on append() is false.
  bool close_at(std::size_t position);
  bool closed() const { return (end_.load(std::memory_order_acquire) & kClosed) != 0; }
  // Releases the memory of a closed log.
  void release();
  std::size_t size() const { return end_.load(std::memory_order_acquire) & ~kClosed; }

 private:
  static constexpr std::size_t kClosed = std::size_t{1} << 63;
  // 64 KB in the first block, 64 MB at most: two and a half million ordinary kernels.
  using Words = GrowingArray<std::uint64_t, 8192, 10>;

  Words words_;
  std::atomic<std::size_t> end_{0};  // in words, and the closed bit
};

}  // namespace anycuda::registration
