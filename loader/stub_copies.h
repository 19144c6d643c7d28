// SPDX-License-Identifier: Apache-2.0

// Several copies of a stub in one process act as one (docs/copies.md describes the protocol). The
// first loaded copy leads: it has the choice of the library, the errors of each thread and the log
// of registrations, and every other copy asks it through its table of functions.
//
// No file but docs/copies.md may change the meaning of what is declared here: copies of other
// versions read it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loader/opened_library.h"

namespace anycuda {

// In every copy the symbol anycudaCopy1_<library> (stubs/tools/generate/entries.py writes it). Its
// functions are distances from their own entries, so that the table needs no relocation. A distance
// of 0: no such function. A later version appends functions, and `size` grows.
struct CopyTable {
  std::uint32_t size;  // of the table, in bytes
  std::uint32_t protocol;
  std::int32_t functions[1];
};
constexpr std::uint32_t kCopyProtocol = 1;

// The functions by their numbers.
namespace copy_functions {
// Choice. chosen() fills *choice: 1, or 0 as long as the process has not chosen. offer() takes it
// as the process's: 1; or fills in the one that there is: 0; -1: no memory.
struct Chosen {
  static constexpr int kNumber = 0;
  using Type = int(Choice*);
};
struct Offer {
  static constexpr int kNumber = 1;
  using Type = int(Choice*);
};
// A copy joins before it asks anything else, any number of times: 1, or 0 if there are too many.
struct Join {
  static constexpr int kNumber = 2;
  using Type = int(const CopyTable*);
};
// Errors of the calling thread. The leader calls take_slots() of each member before the first error
// that a stub makes is remembered: its last-error functions then ask the leader.
struct TakeSlots {
  static constexpr int kNumber = 3;
  using Type = void();
};
struct GetError {
  static constexpr int kNumber = 4;
  using Type = std::int32_t();
};
struct PeekError {
  static constexpr int kNumber = 5;
  using Type = std::int32_t();
};
struct SetError {
  static constexpr int kNumber = 6;
  using Type = void(std::int32_t);
};
struct RestoreError {
  static constexpr int kNumber = 7;
  using Type = void(std::int32_t);
};
struct AnyError {
  static constexpr int kNumber = 8;
  using Type = int();
};
// Registration, only in the runtime's stub (stubs/cudart/registration.h).
struct Register {
  static constexpr int kNumber = 9;
  using Type = void**(unsigned, void**, const std::uint64_t*);
};
// replay() hands what is registered to the library: 1, or 0 for a call of the library itself during
// that, whose slot must not be filled yet.
struct Replay {
  static constexpr int kNumber = 10;
  using Type = int();
};
// Texture and surface references (stubs/cudart/adapters/references_registry.h).
struct FindReference {
  static constexpr int kNumber = 11;
  using Type = const void*(const void*, int);
};
struct ReferenceStands {
  static constexpr int kNumber = 12;
  using Type = int(const void*);
};
struct KernelOf {
  static constexpr int kNumber = 13;
  using Type = const void*(void**);
};
}  // namespace copy_functions

// The function of that number in that copy's table, nullptr if it has none.
void* function_of(const CopyTable& copy, int number);

// The leading copy; nullptr: not looked up yet. It is found once, by walking the dynamic linker's
// list of objects up to this copy.
extern std::atomic<const CopyTable*> leading_copy;
// The leader's function of that number, looking the leader up if needed; nullptr if this copy
// leads, or the leader does not have that function.
void* find_function_of_leader(int number);

// The library that the process has chosen through another copy; nullptr: none yet.
const Opened* join_choice();
// Makes the library that a search has found the choice of the process, unless it has one: *is_new.
// Returns the choice; nullptr: no memory.
const Opened* adopt_for_all_copies(const Choice& found, bool* is_new);

// Every other copy of the process that knows this one as its leader takes its last-error slots.
void take_slots_of_members();

}  // namespace anycuda

// This copy's own, and the name of its symbol (in the entry file).
extern "C" __attribute__((visibility("hidden"))) const anycuda::CopyTable anycuda_copy;
extern "C" __attribute__((visibility("hidden"))) const char anycuda_copy_name[];

namespace anycuda {

// The leader's function; nullptr if this copy leads, or the leader does not have it.
template <typename Function>
typename Function::Type* of_leader() {
  if (leading_copy.load(std::memory_order_acquire) == &anycuda_copy) return nullptr;
  return reinterpret_cast<typename Function::Type*>(find_function_of_leader(Function::kNumber));
}

}  // namespace anycuda
