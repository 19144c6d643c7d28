#include "loader/last_error.h"

#include <dlfcn.h>

#include <atomic>

#include "loader/open.h"
#include "loader/slots.h"
#include "loader/tables.h"

namespace anycuda {
namespace {

// This thread's error of ours, and what the library's own last error was when it was made: what the
// library says differently later is newer than ours.
thread_local std::int32_t pending = 0;
thread_local std::int32_t standing = 0;
std::atomic<bool> any{false};        // an error was remembered: who fills a slot now takes ours
std::atomic<bool> exchanged{false};  // and every slot holds ours

using StatusFunction = std::int32_t (*)();
std::atomic<StatusFunction> real_get{nullptr};
std::atomic<StatusFunction> real_peek{nullptr};

// The library's own function of that kind, looked up once: programs ask after every launch.
StatusFunction library_function(SpecialFunction special) {
  std::atomic<StatusFunction>& mine =
      special == SpecialFunction::get_last_error ? real_get : real_peek;
  StatusFunction function = mine.load(std::memory_order_acquire);
  const Opened* library = function == nullptr ? opened_library() : nullptr;
  for (int i = 0; library != nullptr && i < kTables.symbol_count; ++i) {
    if (kTables.symbols[i].special != special) continue;
    function = reinterpret_cast<StatusFunction>(dlsym(library->handle, kTables.symbol_name(i)));
    mine.store(function, std::memory_order_release);
    break;
  }
  return function;
}

std::int32_t ask_library(SpecialFunction special) {
  const StatusFunction function = library_function(special);
  return function != nullptr ? function() : kTables.status_no_library;
}

// The later of the two errors, given the library's present one.
std::int32_t latest(std::int32_t other) {
  return pending == 0 || (other != 0 && other != standing) ? other : pending;
}

std::int32_t get_last_error() {
  // The library's is cleared too: a program that asks once must not be told of an older one later.
  const std::int32_t error = latest(ask_library(SpecialFunction::get_last_error));
  pending = 0;
  standing = 0;
  return error;
}

std::int32_t peek_last_error() { return latest(ask_library(SpecialFunction::peek_last_error)); }

}  // namespace

std::int32_t library_last_error() { return ask_library(SpecialFunction::peek_last_error); }

void restore_library_error(std::int32_t before) {
  if (ask_library(SpecialFunction::peek_last_error) == before) return;
  ask_library(SpecialFunction::get_last_error);  // clears it
  if (before == 0) {
    standing = 0;
    return;
  }
  // The library cannot be given its error back, so it becomes one of ours. Of two the later stays.
  const std::int32_t later = latest(before);
  remember_error(later);
}

bool any_error_remembered() { return any.load(std::memory_order_acquire); }

void* last_error_function(SpecialFunction special) {
  return reinterpret_cast<void*>(special == SpecialFunction::get_last_error ? &get_last_error
                                                                            : &peek_last_error);
}

void remember_error(std::int32_t status) {
  pending = status;
  standing = ask_library(SpecialFunction::peek_last_error);
  if (exchanged.load(std::memory_order_acquire)) return;
  // Whoever comes while another thread is at it does it too: a thread may not return to its program
  // before the program's next look finds its error.
  any.store(true, std::memory_order_seq_cst);
  for (int i = 0; i < kTables.slot_count; ++i) {
    const SpecialFunction special = kTables.symbols[kTables.slots[i].symbol].special;
    if (is_last_error(special)) replace_slot(i, last_error_function(special));
  }
  exchanged.store(true, std::memory_order_release);
}

}  // namespace anycuda
