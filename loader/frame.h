// The registers of a call that the resolver holds up, as the entry template of each CPU saves them
// (stubs/generate/templates). Elsewhere the loader knows a CPU by its names alone (folders, the
// machine of an ELF file).
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef __GLIBC__
#error "anycuda supports Linux with glibc (2.17 or later); this C library is another"
#endif

namespace anycuda {

#if defined(__x86_64__)

// System V ABI, AMD64 supplement, 3.2.3 "Parameter Passing".
struct Frame {
  std::uint64_t integer[6];  // rdi, rsi, rdx, rcx, r8, r9
  std::uint64_t rax;         // how many vector registers a variadic call uses
  std::uint64_t r10;         // static chain
  unsigned char vector[8][16];
  std::uint64_t result;         // what the caller gets when there is nothing to jump to
  const std::uint64_t* caller;  // return address, then the arguments on the stack

  const void* return_address() const { return reinterpret_cast<const void*>(caller[0]); }
  // `location`: 0 to 5 a register, from 8 on an eight-byte slot of the stack.
  std::uint64_t argument(unsigned location) const {
    return location < 8 ? integer[location] : caller[1 + location - 8];
  }
  void* structure_result() const { return reinterpret_cast<void*>(integer[0]); }
};
static_assert(offsetof(Frame, vector) == 64 && offsetof(Frame, result) == 192 &&
                  offsetof(Frame, caller) == 200 && sizeof(Frame) == 208,
              "stubs/generate/templates/x86_64.S.in uses these numbers");

#else
#error "anycuda supports Linux on x86_64; other CPUs need an entry template and a Frame"
#endif

// Size of one entry of anycuda_lazy, the slots' first targets.
constexpr std::size_t kLazySize = 16;

}  // namespace anycuda
