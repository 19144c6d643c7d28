// What the loader is told of a library: a descriptor and its tables. All of it is data that the
// generator writes from stubs/<library>/library.json and stubs/abi/<library>; the loader itself
// knows no library by name. Strings of the large tables are offsets into one pool, since every
// pointer in a table would be one more relocation whenever a program starts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compat/candidate_rule.h"

namespace anycuda {

struct MajorRow {
  int major;
  const char* soname;  // libcudart.so.12
  const char* node;    // the ELF symbol version of that major, nullptr where there is none
};

// Facts for finding a library; enough to look for one that has no stub in this file (the driver).
struct LibraryDescriptor {
  const char* name;         // "cudart", as reports name it
  const char* product;      // "CUDA runtime"
  const char* variable;     // "ANYCUDA_CUDART"
  const char* file_prefix;  // "libcudart.so": what every name of the library starts with
  const char* advice;       // what to install when there is none
  const MajorRow* majors;
  int major_count;
  const char* const* wheel_folders;  // below site-packages, nullptr at the end
  bool is_driver;                    // lives in the system alone, never in wheels or toolkits
  LibraryRules rules;
  const LibraryDescriptor* partner;  // gives it LTO-IR, or takes it; nullptr: none does

  // Index of `major` in `majors`, -1 for one that the database does not know.
  int index_of(int major) const {
    for (int i = 0; i < major_count; ++i) {
      if (majors[i].major == major) return i;
    }
    return -1;
  }
  // The same, with the newest known one for those it does not know.
  int column_of(int major) const {
    const int index = index_of(major);
    return index >= 0 ? index : major_count - 1;
  }
};

enum class ResultKind : std::uint8_t { status, integer, pointer, string, nothing, structure };

// What the loader must know of a function beyond its ABI.
enum class Role : std::uint8_t {
  plain,
  error_name,
  error_string,
  get_last_error,
  peek_last_error,
  driver_version  // known without the library: the loader asks the driver itself
};

struct SymbolRow {
  std::uint32_t name;  // in the pool; rows are sorted by name
  ResultKind result;
  std::uint8_t result_size;  // of a structure
  Role role;
  std::uint8_t own;  // index + 1 of a function of ours that stands in for it, 0: none
};

// One exported name under one version node.
struct SlotRow {
  std::uint16_t symbol;
  std::uint8_t node;      // 0: ANYCUDA_NATIVE, n: majors[n - 1]
  std::uint16_t cells;    // row of `cells`, the native node has none
  std::uint16_t outputs;  // where in `outputs` its list starts, 0: none
};
constexpr std::uint8_t kNativeNode = 0;

// A cell: what a caller of one major gets from a library of another. Direct: the symbol itself.
// Values from kFirstTarget on start a list in Tables::targets: names to look for, in that order.
// Values from kFirstAdapter on are functions of ours, by number.
enum Cell : std::uint16_t {
  kCellDirect = 0,
  kCellAbsent = 1,
  kCellRejected = 2,
  kFirstTarget = 3,
  kFirstAdapter = 0x8000
};

// What the database knows of one symbol in one major, in a byte: kNever, or 1 + the minor that
// brought it, and whether every usable library of that major must have it.
using History = std::uint8_t;
constexpr History kNever = 0;
constexpr History kCore = 0x80;
constexpr int minor_of(History history) { return (history & 0x7f) - 1; }

struct ErrorRow {
  std::int32_t value;
  std::uint32_t name;
  std::uint32_t text;
};

struct StatusOverride {
  std::uint16_t symbol;
  std::int32_t status;
};

// A function of ours in a cell: lists in Tables::targets.
struct AdapterRow {
  std::uint32_t needs;   // names of the library or the driver, all of which must be there
  std::uint32_t rather;  // names of the library, the first of which goes before it
};

struct Opened;

struct Tables {
  const char* pool;
  const SymbolRow* symbols;
  int symbol_count;
  const History* history;  // a row of descriptor.major_count per symbol
  const SlotRow* slots;
  int slot_count;
  const std::uint16_t* cells;    // rows of descriptor.major_count cells
  const std::uint32_t* targets;  // lists of names in the pool, each ended by 0
  const std::uint16_t* reasons;  // per cell, parallel to `cells`: entry of reason_text
  const std::uint32_t* reason_text;
  const std::uint8_t* outputs;  // lists: count, then that many (argument location, size) pairs
  const ErrorRow* errors;
  int error_count;
  std::int32_t status_no_library;
  std::int32_t status_absent;
  std::int32_t status_rejected;
  const StatusOverride* no_library_overrides;
  int no_library_override_count;
  void* const* own;  // functions of ours
  const AdapterRow* adapters;
  void* (*adapter)(unsigned number);
  void (*on_opened)(const Opened&);  // before the first call goes on; nullptr: nothing to do

  const char* symbol_name(int symbol) const { return pool + symbols[symbol].name; }
  // Row of `name`, -1 if the library has no such symbol.
  int find_symbol(const char* name) const;
  // The first core symbol of a library of that major for which has(symbol) is false; -1: none.
  // A major newer than the database must have what the newest known one must.
  template <typename Has>
  int missing_core(const LibraryDescriptor& library, int major, Has has) const {
    const int column = library.column_of(major);
    for (int i = 0; i < symbol_count; ++i) {
      const bool core = (history[i * library.major_count + column] & kCore) != 0;
      if (core && !has(i)) return i;
    }
    return -1;
  }
};

// This stub's library, and the driver's descriptor, which the driver rule needs in every stub.
extern const LibraryDescriptor kLibrary;
extern const LibraryDescriptor kDriver;
extern const Tables kTables;

}  // namespace anycuda

// The slots, one pointer per row of Tables::slots, each at first its own way into the resolver.
extern "C" __attribute__((visibility("hidden"))) void* anycuda_slots[];
