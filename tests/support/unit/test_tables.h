// SPDX-License-Identifier: Apache-2.0

// A made-up library, small enough to know by heart, that the loader's unit tests are about: it has
// majors 11, 12 and 13 with the names below, and one "driver" library. The stubs link the loader
// with tables that the generator writes; the unit tests link the same objects with these.
#pragma once

#include "loader/tables.h"

namespace anycuda::unit {

// Rows of kTables.symbols, in the order of their names.
enum Symbol : std::uint16_t {
  kAdapted,        // testAdapted: in no library; all get an adapter, 12's is a fallback, 13's lacks
                   // something
  kAdded,          // testAdded: came with 12.2 and stays
  kCoreCall,       // testCore: core in every major
  kDriverVersion,  // testDriverVersion: status (int*), asks the driver if the library is missing
  kErrorName,      // testErrorName: const char* (int)
  kErrorString,    // testErrorString: const char* (int)
  kErrorText,      // testErrorText: status (int, const char**), as the driver's is
  kGetLastError,
  kInteger,  // testInteger: unsigned ()
  kMajor,    // testMajor: the library's major, in every major
  kNew,      // testNew: came with 13.0
  kNothing,  // testNothing: void ()
  kOld,      // testOld: 11 and 12 only; 13 calls it testNew
  kOutputs,  // testOutputs: outputs in registers and on the stack
  kBuiltin,  // testOwn: a function of the stub's own
  kPair,     // testPair: 16 bytes, returned in registers
  kPeekAtLastError,
  kPointer,       // testPointer: void* ()
  kQuery,         // testQuery: status, 0 without a library; a question
  kRejectedCall,  // testRejected: there, but not the same in 13
  kStruct,        // testStruct: 20 bytes, returned in memory
  kSymbolCount
};

// Rows of kTables.slots: each symbol under ANYCUDA_NATIVE, then a few under 12's version.
constexpr int native_slot(Symbol symbol) { return symbol; }
enum Slot12 {
  kCoreIn12 = kSymbolCount,
  kOldIn12,
  kNewIn12,
  kRejectedIn12,
  kMajorIn12,
  kAdaptedIn12,
  kSlotCount
};

constexpr std::int32_t kStatusNoLibrary = 35;
constexpr std::int32_t kStatusAbsent = 302;
constexpr std::int32_t kStatusRejected = 801;

// How often the tables' before_first_call was called.
extern int opened_calls;
// What it answers.
extern bool slots_may_be_filled;

// Sets every slot back to its first target.
void reset_slots();

}  // namespace anycuda::unit
