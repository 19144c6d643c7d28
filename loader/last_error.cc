#include "loader/last_error.h"

#include <dlfcn.h>

#include <atomic>

#include "loader/library.h"
#include "loader/open.h"
#include "loader/slots.h"

namespace anycuda {
namespace {

thread_local std::int32_t pending = 0;
std::atomic<bool> any{false};

using StatusFunction = std::int32_t (*)();

std::int32_t ask_library(Role role) {
  const Opened* library = opened_library();
  for (int i = 0; library != nullptr && i < kTables.symbol_count; ++i) {
    if (kTables.symbols[i].role != role) continue;
    const auto real =
        reinterpret_cast<StatusFunction>(dlsym(library->handle, kTables.symbol_name(i)));
    if (real != nullptr) return real();
  }
  return kTables.status_no_library;
}

std::int32_t get_last_error() {
  const std::int32_t mine = pending;
  pending = 0;
  return mine != 0 ? mine : ask_library(Role::get_last_error);
}

std::int32_t peek_last_error() {
  return pending != 0 ? pending : ask_library(Role::peek_last_error);
}

}  // namespace

bool any_error_remembered() { return any.load(std::memory_order_acquire); }

void* last_error_function(int role) {
  return reinterpret_cast<void*>(
      static_cast<Role>(role) == Role::get_last_error ? &get_last_error : &peek_last_error);
}

void remember_error(std::int32_t status) {
  pending = status;
  if (any.exchange(true, std::memory_order_acq_rel)) return;
  for (int i = 0; i < kTables.slot_count; ++i) {
    const Role role = kTables.symbols[kTables.slots[i].symbol].role;
    if (role != Role::get_last_error && role != Role::peek_last_error) continue;
    replace_slot(i, last_error_function(static_cast<int>(role)));
  }
}

}  // namespace anycuda
