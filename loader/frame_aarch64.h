// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace anycuda {

// Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), 6.8.2.
struct Frame {
  std::uint64_t integer[8];       // x0 to x7
  std::uint64_t indirect_result;  // x8
  std::uint64_t x18;              // static chain
  unsigned char vector[8][16];    // q0 to q7
  std::uint64_t result;
  std::uint64_t link;              // return address
  const std::uint64_t* arguments;  // those on the stack
  std::uint64_t unused;            // the stack is aligned to 16 bytes

  const void* return_address() const { return reinterpret_cast<const void*>(link); }
  std::uint64_t argument(unsigned location) const {
    return location < 8 ? integer[location] : arguments[location - 8];
  }
  void* structure_result() const { return reinterpret_cast<void*>(indirect_result); }
};
static_assert(offsetof(Frame, indirect_result) == 64 && offsetof(Frame, vector) == 80 &&
                  offsetof(Frame, result) == 208 && offsetof(Frame, arguments) == 224 &&
                  sizeof(Frame) == 240,
              "stubs/tools/generate/templates/aarch64.S.in uses these numbers");

constexpr std::size_t lazy_offset(unsigned slot) { return 12 * slot; }

}  // namespace anycuda
