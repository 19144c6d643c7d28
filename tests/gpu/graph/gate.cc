// SPDX-License-Identifier: Apache-2.0
#include "graph/gate.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

thread_local int fails_in = 0;  // 0: not asked
thread_local int came = 0;
thread_local const char* failed = nullptr;

// Whether this one fails.
bool its_turn(const char* name) {
  if (fails_in == 0 || ++came != fails_in) return false;
  failed = name;
  return true;
}

// These functions have six parameters at most, all of them integers and pointers, so all of them
// are in registers: whatever the prototype, six words handed on are what was given. (This file
// must not see the real prototypes.)
using Word = std::uintptr_t;
using Call = int (*)(Word, Word, Word, Word, Word, Word);
constexpr int kOutOfMemory = 2;

Call real(std::atomic<void*>* kept, const char* name) {
  void* function = kept->load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = dlsym(RTLD_NEXT, name);
    kept->store(function, std::memory_order_relaxed);
  }
  return reinterpret_cast<Call>(function);
}

}  // namespace

#define DRIVER_CALL(name)                                                         \
  extern "C" int name(Word a, Word b, Word c, Word d, Word e, Word f) {           \
    static std::atomic<void*> kept{nullptr};                                      \
    return its_turn(#name) ? kOutOfMemory : real(&kept, #name)(a, b, c, d, e, f); \
  }
#include "driver_calls.inc"
#undef DRIVER_CALL

void* operator new(std::size_t size) {
  void* block = its_turn("operator new") ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace gputest {

void fail_at(int n) {
  came = 0;
  failed = nullptr;
  fails_in = n;
}

Passed fail_no_more() {
  fails_in = 0;
  return {came, failed};
}

}  // namespace gputest
