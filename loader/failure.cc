// SPDX-License-Identifier: Apache-2.0
#include "loader/failure.h"

#include <cstring>

#include "compat/search/driver/driver_lookup.h"
#include "loader/error_text.h"
#include "loader/last_error.h"

namespace anycuda {
namespace {

std::size_t read_size(const std::uint8_t** list) {
  std::size_t size = 0;
  unsigned shift = 0;
  std::uint8_t byte = 0;
  do {
    byte = *(*list)++;
    size |= std::size_t{byte & 0x7fU} << shift;
    shift += 7;
  } while ((byte & 0x80U) != 0);
  return size;
}

void zero_outputs(const SlotRow& slot, const Frame& frame) {
  const std::uint8_t* list = kTables.outputs + slot.outputs;
  for (unsigned left = *list++; left > 0; --left) {
    void* output = reinterpret_cast<void*>(frame.argument(*list++));
    const std::size_t size = read_size(&list);
    if (output != nullptr) std::memset(output, 0, size);
  }
}

// cudaDriverGetVersion(&version): without a driver it succeeds with 0, like the real function.
bool give_driver_version(const SymbolRow& symbol, Failure failure, Frame* frame) {
  if (symbol.special != SpecialFunction::driver_version || failure != Failure::no_library)
    return false;
  const DriverFacts& driver = driver_of_process().facts;
  auto* version = reinterpret_cast<std::int32_t*>(frame->argument(0));
  constexpr std::uint64_t kInvalidValue = 1;
  if (version != nullptr) *version = driver.present ? cuda_number(driver.cuda) : 0;
  frame->result = version != nullptr ? 0 : kInvalidValue;
  return true;
}

}  // namespace

std::int32_t status_of(const SlotRow& slot, Failure failure) {
  if (failure == Failure::absent) return kTables.status_absent;
  if (failure == Failure::rejected) return kTables.status_rejected;
  for (int i = 0; i < kTables.no_library_override_count; ++i) {
    const StatusOverride& row = kTables.no_library_overrides[i];
    if (row.symbol == slot.symbol) return row.status;
  }
  return kTables.status_no_library;
}

void fail_call(const SlotRow& slot, Failure failure, Frame* frame) {
  const SymbolRow& symbol = kTables.symbols[slot.symbol];
  if (gives_error_text(symbol.special)) return give_error_text(symbol, frame);
  if (give_driver_version(symbol, failure, frame)) return;
  zero_outputs(slot, *frame);
  frame->result = 0;
  switch (symbol.result) {
    case ResultKind::status:
      frame->result = static_cast<std::uint32_t>(status_of(slot, failure));
      // Without a library these functions return the same status at every call, so there is nothing
      // to remember.
      if (failure == Failure::absent || failure == Failure::rejected)
        remember_error(static_cast<std::int32_t>(frame->result));
      break;
    case ResultKind::integer:
      frame->result = static_cast<std::uint32_t>(status_of(slot, failure));
      break;
    case ResultKind::structure:
      if (symbol.result_size > 16) {
        std::memset(frame->structure_result(), 0, symbol.result_size);
        frame->result = reinterpret_cast<std::uintptr_t>(frame->structure_result());
      }
      break;
    case ResultKind::pointer:
    case ResultKind::string:
    case ResultKind::nothing:
      break;
  }
}

}  // namespace anycuda
