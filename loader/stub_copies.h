// SPDX-License-Identifier: Apache-2.0

// Several copies of a stub in one process act as one (docs/copies.md describes the protocol). Files
// (stubs and drop-ins) stay loaded for ever, so other copies may know them: each has a record in
// the process's list. A static stub may be unloaded with the plugin that contains it: it asks the
// others, and none of them has a pointer to it.
//
// No file but docs/copies.md may change the meaning of what is declared here: copies of other
// versions read it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loader/opened_library.h"
#include "loader/process/process_records.h"

namespace anycuda {

// In every copy. A file exports it as anycudaCopy2 (stubs/tools/generate/copy_table.py writes it).
// Names and functions are distances from their own entries. A distance of 0: no such function. A
// later version appends functions, and `size` grows.
struct CopyTable {
  std::uint32_t size;  // of the table, in bytes
  std::uint32_t protocol;
  std::uint32_t version;  // of anycuda: 1,000,000 x major + 1,000 x minor + patch
  std::int32_t library;   // its name
  Process* process;       // nullptr: of a static stub, or not relocated yet
  std::int32_t functions[1];
};
constexpr std::uint32_t kCopyProtocol = 2;

// The functions by their numbers.
namespace copy_functions {
// The address to which a copy of an earlier anycuda jumps for its call of `name` under that symbol
// version (nullptr: none); nullptr: the library never had such a function. *is_final: the address
// is the function's, and later calls may use it, too. Takes no lock, opens nothing.
struct Serve {
  static constexpr int kNumber = 0;
  using Type = void*(const char* name, const char* symbol_version, int* is_final);
};
// Errors of the calling thread. The leader calls take_slots() of each other file before the first
// error that a stub makes is remembered: its last-error functions then ask the leader.
struct TakeSlots {
  static constexpr int kNumber = 1;
  using Type = void();
};
struct GetError {
  static constexpr int kNumber = 2;
  using Type = std::int32_t();
};
struct PeekError {
  static constexpr int kNumber = 3;
  using Type = std::int32_t();
};
struct SetError {
  static constexpr int kNumber = 4;
  using Type = void(std::int32_t);
};
struct RestoreError {
  static constexpr int kNumber = 5;
  using Type = void(std::int32_t);
};
struct AnyError {
  static constexpr int kNumber = 6;
  using Type = int();
};
// Registration, only in the runtime's stub (stubs/cudart/registration.h).
struct Register {
  static constexpr int kNumber = 7;
  using Type = void**(unsigned, void**, const std::uint64_t*);
};
// replay() passes on what is registered: 1, or 0 for a call of the library itself during that,
// whose slot must not be filled yet.
struct Replay {
  static constexpr int kNumber = 8;
  using Type = int();
};
// Texture and surface references (stubs/cudart/adapters/references_registry.h).
struct FindReference {
  static constexpr int kNumber = 9;
  using Type = const void*(const void*, int);
};
struct ReferenceStands {
  static constexpr int kNumber = 10;
  using Type = int(const void*);
};
struct KernelOf {
  static constexpr int kNumber = 11;
  using Type = const void*(void**);
};
}  // namespace copy_functions

// The function of that number in that copy's table, nullptr if it has none.
void* function_of(const CopyTable& copy, int number);
// The same of leading_copy(), of logging_copy, which is looked up, and of the first file; nullptr
// if it is this copy.
void* function_of_leader(int number);
void* function_of_logging(int number);
void* function_of_first_file(int number);

// The copy that has the errors of the threads, and calls the library for registrations: the newest
// that can serve the others, of those that are loaded when the first one needs it. Decided once.
const CopyTable* leading_copy();
// The copy that keeps the log of registrations: the first file, or a static stub itself. nullptr:
// not looked up yet. The look-up walks no list of the dynamic linker: objects register while other
// threads fork.
extern std::atomic<const CopyTable*> logging_copy;

// Takes part from now on. A file is to do so when it is loaded, before it fills a slot.
void join_process();

// The copy of a later anycuda that handles this copy's calls; nullptr: this copy does.
const CopyTable* serving_copy();

// What the process has chosen through another copy; nullptr: nothing yet.
const Opened* join_choice();
// A library that a search of this copy has found.
struct Found {
  Version version;
  int tier;  // as a number (docs/copies.md)
  void* handle;
  const char* path;
};
// Makes it the choice of the process, unless there is one: *is_new. Returns the choice; nullptr: no
// memory.
const Opened* choose_for_all_copies(const Found& found, bool* is_new);

// Searches share what they do not find (absent_names.h).
void share_absent_names();

// Every other file takes its last-error slots.
void take_slots_of_copies();

}  // namespace anycuda

// This copy's own (in the entry file).
extern "C" __attribute__((visibility("hidden"))) const anycuda::CopyTable anycuda_copy;

namespace anycuda {

template <typename Function>
typename Function::Type* function_of(const CopyTable& copy) {
  return reinterpret_cast<typename Function::Type*>(function_of(copy, Function::kNumber));
}

// nullptr: this copy leads, or the leader does not have the function.
template <typename Function>
typename Function::Type* of_leader() {
  return reinterpret_cast<typename Function::Type*>(function_of_leader(Function::kNumber));
}
template <typename Function>
typename Function::Type* of_first_file() {
  return reinterpret_cast<typename Function::Type*>(function_of_first_file(Function::kNumber));
}
template <typename Function>
typename Function::Type* of_logging() {
  // Once for each kernel.
  if (logging_copy.load(std::memory_order_acquire) == &anycuda_copy) return nullptr;
  return reinterpret_cast<typename Function::Type*>(function_of_logging(Function::kNumber));
}

}  // namespace anycuda
