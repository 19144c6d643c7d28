// SPDX-License-Identifier: Apache-2.0

// The path of one call through a stub, from top to bottom.
//
// A program calls cudaMalloc. The entry (generated, stubs/tools/generate/templates) jumps through
// the slot. The first time the slot leads here, with every argument register saved in a Frame; the
// call continues at the returned address, with all registers restored. From then on the slot holds
// that target, and the stub is two instructions.
#include <atomic>
#include <cerrno>
#include <cstdio>

#include "compat/search/check_opened.h"
#include "compat/search/driver/driver_lookup.h"
#include "loader/adapter.h"
#include "loader/error_text.h"
#include "loader/failure.h"
#include "loader/jump_slots.h"
#include "loader/last_error.h"
#include "loader/open.h"
#include "loader/process/process_start.h"
#include "loader/report.h"
#include "loader/stub_copies.h"
#include "loader/symbols/function.h"

namespace anycuda {
namespace {

// The facts about a first call.
struct Call {
  int index;
  const SlotRow& slot;
  const SymbolRow& symbol;
  const char* name;
};

// The disposition of this call for this caller and this library.
std::uint16_t disposition_of(const Call& call, const Opened& library) {
  if (call.slot.symbol_version == kUnversioned || library.major_index < 0) return kDirect;
  return kTables.dispositions[call.slot.dispositions * kLibrary.major_count + library.major_index];
}

// The first name of a list that this library has, nullptr if it has none.
void* first_of(std::uint32_t list, const Opened& library) {
  void* target = nullptr;
  const std::uint32_t* names = kTables.targets + list;
  for (; target == nullptr && *names != 0; ++names) {
    target = find_function(library.handle, kTables.pool + *names);
  }
  return target;
}

// The function that the disposition names, nullptr if this library has none of its names.
void* look_up(const Call& call, const Opened& library, std::uint16_t disposition) {
  if (disposition != kDirect) return first_of(disposition - kFirstTarget, library);
  return find_function(library.handle, call.name);
}

// The adapter that the disposition names, or an export that is preferred to it. nullptr if a
// function that the adapter needs is missing: *missing names it.
void* adapter_of(const Opened& library, std::uint16_t disposition, const char** missing) {
  const unsigned number = disposition - kFirstAdapter;
  if (void* preferred = first_of(kTables.adapters[number].preferred_exports, library))
    return preferred;
  const std::uint32_t* names = kTables.targets + kTables.adapters[number].needs;
  for (; *names != 0; ++names) {
    const char* name = kTables.pool + *names;
    // Without a driver the runtime returns its own error at every call, and so to the adapter.
    if (is_driver_name(name) && driver_of_process().handle == nullptr) continue;
    std::atomic<void*> found{nullptr};
    if (is_driver_name(name) ? driver_function(&found, name) : library_function(&found, name))
      continue;
    *missing = name;
    return nullptr;
  }
  return kTables.adapter(number);
}

const char* reason_of(const Call& call, const Opened& library) {
  const bool has_disposition = call.slot.symbol_version != kUnversioned && library.major_index >= 0;
  const int place = call.slot.dispositions * kLibrary.major_count + library.major_index;
  return kTables.pool + kTables.reason_text[has_disposition ? kTables.reasons[place] : 0];
}

void* fail(const Call& call, Failure failure, Frame* frame) {
  fail_call(call.slot, failure, frame);
  return nullptr;
}

void* fail_with_report(const Call& call, const Opened& library, Failure failure, const char* reason,
                       Frame* frame, const char* hint = nullptr) {
  report_no_function({call.name, reason, status_of(call.slot, failure),
                      major_of_symbol_version(call.slot.symbol_version), library.version.major,
                      library.path, hint},
                     kLibrary);
  return fail(call, failure, frame);
}

// A question only asks the library what it is: the program may never use it. Several threads may do
// this at the same time: each returns after the file is open.
void make_usable(const Opened& library, bool is_question) {
  static std::atomic<bool> is_usable{false};
  if (kLibrary.opens == nullptr || is_question) return;
  if (is_usable.load(std::memory_order_acquire)) return;
  open_companion(kLibrary, library.handle, library.version);
  is_usable.store(true, std::memory_order_release);
}

// An adapter that lacks a needed function: the call is absent here, as if it had no adapter.
void* fail_without(const char* missing, const Call& call, const Opened& library, Frame* frame) {
  const bool of_driver = is_driver_name(missing);
  char reason[128];
  std::snprintf(reason, sizeof reason, "it needs %s, which the %s does not have", missing,
                of_driver ? kDriver.product : kLibrary.product);
  return fail_with_report(call, library, Failure::absent, reason, frame,
                          of_driver ? kNewerDriver : nullptr);
}

bool may_fill_slot() { return kTables.before_first_call == nullptr || kTables.before_first_call(); }

// The slot keeps the target. From the stub's first error on it is the stub's own function in place
// of the library's last-error functions. A static stub is not reached when another copy has that
// error.
void* settle(const Call& call, void* target, bool may_fill, const char* where) {
  const bool is_own =
      is_last_error(call.symbol.special) &&
      (any_error_remembered() || (is_static_stub() && leading_copy() != &anycuda_copy));
  if (is_own) target = last_error_function(call.symbol.special);
  log_step("%s: %s -> %p in %s", kLibrary.name, call.name, target, where);
  return may_fill ? fill_slot(call.index, target) : target;
}

// A copy of a later anycuda handles the call, all of it: it decides which library is opened, and
// adapts the call. The caller's return address is still on the stack when the call arrives there.
void* resolve_by(const CopyTable& server, const Call& call, Frame* frame) {
  const bool may_fill = may_fill_slot();
  int is_final = 0;
  void* const target = function_of<copy_functions::Serve>(server)(
      call.name, symbol_version_of(call.slot), &is_final);
  if (target != nullptr) {
    return settle(call, target, may_fill && is_final != 0, "a later anycuda of this process");
  }
  static std::atomic<bool> reported{false};
  if (!reported.exchange(true, std::memory_order_relaxed)) {
    log_line(LogLevel::error,
             "%s: %s failed: the later anycuda that serves this process does not have it; update "
             "anycuda",
             kLibrary.name, call.name);
  }
  return fail(call, Failure::absent, frame);
}

void* resolve(const Call& call, Frame* frame) {
  if (call.symbol.builtin != 0)
    return fill_slot(call.index, kTables.builtins[call.symbol.builtin - 1]);

  if (!process_has_started()) return fail(call, Failure::too_early, frame);
  if (const CopyTable* server = serving_copy()) return resolve_by(*server, call, frame);
  const Opened* library = open_library(call.slot.symbol_version, frame->return_address(), call.name,
                                       call.symbol.is_question);
  if (library == nullptr) return fail(call, Failure::no_library, frame);
  make_usable(*library, call.symbol.is_question);

  const std::uint16_t disposition = disposition_of(call, *library);
  const char* reason = reason_of(call, *library);
  if (disposition == kAbsent) {
    return fail_with_report(call, *library, Failure::absent, reason, frame);
  }
  if (disposition == kRejected) {
    return fail_with_report(call, *library, Failure::rejected, reason, frame);
  }

  const char* missing = nullptr;
  void* target = disposition >= kFirstAdapter ? adapter_of(*library, disposition, &missing)
                                              : look_up(call, *library, disposition);
  if (missing != nullptr) return fail_without(missing, call, *library, frame);
  if (target == nullptr) return fail_with_report(call, *library, Failure::absent, reason, frame);
  const bool may_fill = may_fill_slot();

  if (gives_error_text(call.symbol.special)) {
    target = error_text_function(call.symbol, call.slot.symbol_version, target);
  }
  return settle(call, target, may_fill, library->path);
}

}  // namespace
}  // namespace anycuda

// Called only by the entries. nullptr: the call has no target, and the caller gets frame->result.
extern "C" __attribute__((visibility("hidden"))) void* anycuda_resolve(std::uint32_t index,
                                                                       anycuda::Frame* frame) {
  using namespace anycuda;
  const int kept_errno = errno;  // a program may look at it around any call
  const SlotRow& slot = kTables.slots[index];
  const SymbolRow& symbol = kTables.symbols[slot.symbol];
  const Call call{static_cast<int>(index), slot, symbol, kTables.symbol_name(slot.symbol)};
  void* target = resolve(call, frame);
  errno = kept_errno;
  return target;
}
