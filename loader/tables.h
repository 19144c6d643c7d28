// SPDX-License-Identifier: Apache-2.0

// The contents of a stub: its library's descriptor and tables. All of it is data that the generator
// writes from stubs/<library>/library.json and stubs/<library>/abi; the loader itself does not know
// any library by name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compat/descriptor/symbols.h"

namespace anycuda {

// What a function returns where a call fails: the library's status; a number that is sign-extended
// to 64 bits; a text or nullptr; 0 (also nullptr, 0.0 and nothing); a structure.
enum class ResultKind : std::uint8_t { status, word, string, zero, structure };

// What the loader must know of a function beyond its ABI.
enum class SpecialFunction : std::uint8_t {
  plain,
  error_name,
  error_string,
  get_last_error,
  peek_last_error,
  driver_version  // known without the library: the loader asks the driver itself
};

struct SymbolRow {
  ResultKind result;
  std::uint8_t result_size;  // of a structure
  SpecialFunction special;
  std::uint8_t builtin : 7;  // index + 1 of the stub's own implementation, 0: none
  bool is_question : 1;      // programs call it to ask whether the library is there
};

// One exported name under one symbol version.
struct SlotRow {
  std::uint16_t symbol;
  std::uint8_t symbol_version;  // 0: ANYCUDA_NATIVE, n: majors[n - 1]
  std::uint16_t dispositions;   // row of `dispositions`, ANYCUDA_NATIVE has none
  std::uint16_t outputs;        // where in `outputs` its list starts, 0: none
};
constexpr std::uint8_t kUnversioned = 0;

// A disposition: the outcome of a call by a caller of one major in a library of another. Direct:
// the symbol itself. Values from kFirstTarget on start a list in Tables::targets: names to look
// for, in that order. Values from kFirstAdapter on are adapters, by number.
enum Disposition : std::uint16_t {
  kDirect = 0,
  kAbsent = 1,
  kRejected = 2,
  kFirstTarget = 3,
  kFirstAdapter = 0x8000
};

struct ErrorRow {
  std::int32_t value;    // some libraries' errors are negative
  std::uint16_t majors;  // bit n: a release of majors[n] has it
  std::uint32_t name;
  std::uint32_t text;
};

// A part of the result of a call that fails. Of a function that returns a status: what it returns
// in place of the status for a missing library.
enum class FailingForm : std::uint8_t { constant, status, negative_status };
struct FailingWord {
  std::uint16_t symbol;
  std::uint8_t offset;  // in a structure
  FailingForm form;
  std::int32_t value;  // of `constant`
};

// An adapter, as a disposition: lists in Tables::targets.
struct AdapterRow {
  std::uint32_t needs;  // names of the library or the driver, all of which must be there
  std::uint32_t preferred_exports;  // names of the library, the first of which replaces it
};

// Strings are offsets into the pool of LibrarySymbols.
struct Tables : LibrarySymbols {
  const SymbolRow* symbols;  // parallel to `names`
  const SlotRow* slots;
  int slot_count;
  const std::uint16_t* dispositions;  // rows of descriptor.major_count dispositions
  const std::uint32_t* targets;       // lists of names in the pool, each ended by 0
  const std::uint16_t* reasons;       // parallel to `dispositions`: entry of reason_text
  const std::uint32_t* reason_text;
  // Lists: count, then that many pairs of an argument's location and a size. A size has seven bits
  // in each byte, the lowest first; all bytes but its last have the highest bit.
  const std::uint8_t* outputs;
  const ErrorRow* errors;  // sorted by value
  int error_count;
  std::int32_t status_no_library;
  std::int32_t status_absent;
  std::int32_t status_rejected;
  const FailingWord* failing_words;
  int failing_word_count;
  void* const* builtins;  // the stub's own implementations
  const AdapterRow* adapters;
  void* (*adapter)(unsigned number);
  // Called before the first call of each function is forwarded; nullptr: not needed. False: the
  // call is forwarded, and the next call of that function must come here again.
  bool (*before_first_call)();
};

// This stub's library.
extern const LibraryDescriptor kLibrary;
extern const Tables kTables;

// The name of its symbol version; nullptr: unversioned, or its library has no versions.
inline const char* symbol_version_of(const SlotRow& slot) {
  if (slot.symbol_version == kUnversioned) return nullptr;
  return kLibrary.majors[slot.symbol_version - 1].symbol_version;
}

}  // namespace anycuda

// The slots, one pointer per row of Tables::slots, each at first its own way into the resolver.
extern "C" __attribute__((visibility("hidden"))) void* anycuda_slots[];
