// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace anycuda {

// System V ABI, AMD64 supplement, 3.2.3 "Parameter Passing".
struct Frame {
  std::uint64_t integer[6];  // rdi, rsi, rdx, rcx, r8, r9
  std::uint64_t rax;         // how many vector registers a variadic call uses
  std::uint64_t r10;         // static chain
  unsigned char vector[8][16];
  std::uint64_t result;
  const std::uint64_t* caller;  // return address, then the arguments on the stack

  const void* return_address() const { return reinterpret_cast<const void*>(caller[0]); }
  std::uint64_t argument(unsigned location) const {
    return location < 8 ? integer[location] : caller[1 + location - 8];
  }
  void* structure_result() const { return reinterpret_cast<void*>(integer[0]); }
};
static_assert(offsetof(Frame, vector) == 64 && offsetof(Frame, result) == 192 &&
                  offsetof(Frame, caller) == 200 && sizeof(Frame) == 208,
              "stubs/tools/generate/templates/x86_64.S.in uses these numbers");

// Groups of eleven lazy entries, 11 bytes each, and a jump of 5 bytes.
constexpr std::size_t lazy_offset(unsigned slot) { return 11 * slot + 5 * (slot / 11); }

}  // namespace anycuda
