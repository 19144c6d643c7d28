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

std::int32_t library_status(Failure failure) {
  if (failure == Failure::absent) return kTables.status_absent;
  if (failure == Failure::rejected) return kTables.status_rejected;
  return kTables.status_no_library;
}

std::int32_t value_of(const FailingWord& word, Failure failure) {
  if (word.form == FailingForm::constant) return word.value;
  const std::int32_t status = library_status(failure);
  return word.form == FailingForm::negative_status ? -status : status;
}

// The first from there on; nullptr: none.
const FailingWord* word_of(const SlotRow& slot, const FailingWord* from) {
  const FailingWord* const end = kTables.failing_words + kTables.failing_word_count;
  while (from < end && from->symbol != slot.symbol) ++from;
  return from < end ? from : nullptr;
}

// A structure of up to 16 bytes is returned in registers, a larger one where the caller says.
void fail_structure(const SlotRow& slot, std::size_t size, Failure failure, Frame* frame) {
  void* structure = &frame->result;
  if (size > 16) {
    structure = frame->structure_result();
    frame->result = reinterpret_cast<std::uintptr_t>(structure);
    std::memset(structure, 0, size);
  }
  for (const FailingWord* word = word_of(slot, kTables.failing_words); word != nullptr;
       word = word_of(slot, word + 1)) {
    const std::int32_t value = value_of(*word, failure);
    std::memcpy(static_cast<unsigned char*>(structure) + word->offset, &value, sizeof value);
  }
}

}  // namespace

std::int32_t status_of(const SlotRow& slot, Failure failure) {
  const ResultKind result = kTables.symbols[slot.symbol].result;
  const bool is_missing = failure != Failure::absent && failure != Failure::rejected;
  const bool has_word = result == ResultKind::word || (result == ResultKind::status && is_missing);
  const FailingWord* const word = has_word ? word_of(slot, kTables.failing_words) : nullptr;
  return word != nullptr ? value_of(*word, failure) : library_status(failure);
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
    case ResultKind::word:
      frame->result = static_cast<std::uint64_t>(std::int64_t{status_of(slot, failure)});
      break;
    case ResultKind::structure:
      fail_structure(slot, symbol.result_size, failure, frame);
      break;
    case ResultKind::string:
    case ResultKind::zero:
      break;
  }
}

}  // namespace anycuda
