// SPDX-License-Identifier: Apache-2.0
#include "loader/last_error.h"

#include <atomic>

#include "loader/jump_slots.h"
#include "loader/open.h"
#include "loader/stub_copies.h"
#include "loader/symbols/function.h"
#include "loader/tables.h"

namespace anycuda {
namespace {

// A new error replaces the one before. So the stub clears the library's error when it sets its own:
// an error that the library has afterwards is newer, even if it has the same number.
//
// Some errors cannot be cleared: the library returns them at every call, because its driver is
// missing or its context is dead. Such an error is older than the stub's, and becomes visible again
// as soon as the program has read the stub's.
struct LastError {
  std::int32_t stub_error = 0;            // the stub's own error, 0: none
  std::int32_t library_error_at_set = 0;  // what the library still had after it was cleared
};
thread_local LastError mine;

std::atomic<bool> any{false};  // an error was remembered: new slots get the stub's functions
std::atomic<bool> slots_patched{false};  // every slot holds the stub's function

using StatusFunction = std::int32_t (*)();
std::atomic<void*> real_get{nullptr};
std::atomic<void*> real_peek{nullptr};

// The library's function of that kind, nullptr if it has none.
const char* name_of(SpecialFunction special) {
  for (int i = 0; i < kTables.symbol_count; ++i) {
    if (kTables.symbols[i].special == special) return kTables.symbol_name(i);
  }
  return nullptr;
}

// Looked up once: programs ask after every launch.
std::int32_t ask_library(SpecialFunction special) {
  std::atomic<void*>& cache = special == SpecialFunction::get_last_error ? real_get : real_peek;
  void* function = cache.load(std::memory_order_acquire);
  if (function == nullptr) {
    const Opened* library = known_library();
    const char* name = name_of(special);
    if (library == nullptr || name == nullptr) return kTables.status_no_library;
    function = loaded_function(&cache, library->handle, name);
  }
  return is_function(function) ? reinterpret_cast<StatusFunction>(function)()
                               : kTables.status_no_library;
}

// The later of the two errors, given the library's present one.
std::int32_t latest(std::int32_t library) {
  return mine.stub_error == 0 || (library != 0 && library != mine.library_error_at_set)
             ? library
             : mine.stub_error;
}

std::int32_t get_last_error() {
  if (const auto get = of_leader<copy_functions::GetError>()) return get();
  const std::int32_t error = latest(ask_library(SpecialFunction::get_last_error));
  mine = {};
  return error;
}

std::int32_t peek_last_error() {
  if (const auto peek = of_leader<copy_functions::PeekError>()) return peek();
  return latest(ask_library(SpecialFunction::peek_last_error));
}

}  // namespace

std::int32_t library_last_error() { return ask_library(SpecialFunction::peek_last_error); }

void restore_library_error(std::int32_t before) {
  if (const auto restore = of_leader<copy_functions::RestoreError>()) return restore(before);
  if (ask_library(SpecialFunction::peek_last_error) == before) return;
  // A library's error cannot be set again, so it becomes the stub's error. The later one is kept.
  if (before != 0) return remember_error(latest(before));
  ask_library(SpecialFunction::get_last_error);  // clears it
}

bool any_error_remembered() {
  if (any.load(std::memory_order_seq_cst)) return true;
  const auto any_of_leader = of_leader<copy_functions::AnyError>();
  return any_of_leader != nullptr && any_of_leader() != 0;
}

void* last_error_function(SpecialFunction special) {
  return reinterpret_cast<void*>(special == SpecialFunction::get_last_error ? &get_last_error
                                                                            : &peek_last_error);
}

namespace {

// Puts the stub's functions into the slots of this copy of the stub.
void take_last_error_slots() {
  any.store(true, std::memory_order_seq_cst);
  for (int i = 0; i < kTables.slot_count; ++i) {
    const SpecialFunction special = kTables.symbols[kTables.slots[i].symbol].special;
    if (is_last_error(special)) replace_slot(i, last_error_function(special));
  }
}

}  // namespace

void remember_error(std::int32_t status) {
  if (const auto set = of_leader<copy_functions::SetError>()) return set(status);
  ask_library(SpecialFunction::get_last_error);  // clears it
  mine = {status, ask_library(SpecialFunction::peek_last_error)};
  if (slots_patched.load(std::memory_order_acquire)) return;
  // A thread that arrives while another one does this does it, too: it may return to its program
  // only when the program's next query will find the error.
  take_last_error_slots();
  take_slots_of_copies();
  slots_patched.store(true, std::memory_order_release);
}

}  // namespace anycuda

// What other copies of the stub ask this one (loader/stub_copies.h).
#define ANYCUDA_COPY extern "C" __attribute__((visibility("hidden")))
ANYCUDA_COPY void anycuda_copy_take_slots() { anycuda::take_last_error_slots(); }
ANYCUDA_COPY std::int32_t anycuda_copy_get_error() { return anycuda::get_last_error(); }
ANYCUDA_COPY std::int32_t anycuda_copy_peek_error() { return anycuda::peek_last_error(); }
ANYCUDA_COPY void anycuda_copy_set_error(std::int32_t error) { anycuda::remember_error(error); }
ANYCUDA_COPY void anycuda_copy_restore_error(std::int32_t before) {
  anycuda::restore_library_error(before);
}
ANYCUDA_COPY int anycuda_copy_any_error() { return anycuda::any_error_remembered() ? 1 : 0; }
