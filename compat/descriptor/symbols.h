// SPDX-License-Identifier: Apache-2.0

// The names of a library's symbols and the releases that have them, as the generator writes them
// from stubs/<library>/abi. Names are offsets into one pool, since every pointer in a table would
// be one more relocation whenever a program starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "compat/descriptor/library.h"

namespace anycuda {

// What the database knows of one symbol under one SONAME, in a byte: kNever, or 1 + the release
// that brought it (MajorRow::release_at), and whether every usable library of that SONAME must have
// it.
using Availability = std::uint8_t;
constexpr Availability kNever = 0;
constexpr Availability kRequired = 0x80;
constexpr int place_of(Availability availability) { return (availability & 0x7f) - 1; }
constexpr int kPlaces = 0x7f;  // all are below

// The names that a release exports, as one number: the sum of the squares of their hashes, each
// with its lowest bit set, as DT_GNU_HASH may have it. A file with that sum has just these names.
struct ReleaseNames {
  std::uint64_t sum;
  int row;           // in the descriptor's majors
  int place;         // the newest release that brought one of them (MajorRow::release_at)
  int newest_major;  // of CUDA: the last with just these names
};

struct LibrarySymbols {
  const char* pool;
  const std::uint32_t* names;   // in the pool; sorted by name
  const std::uint32_t* hashes;  // of the names: gnu_hash()
  int symbol_count;
  const Availability* availability;  // symbol_count for each of descriptor.majors
  const ReleaseNames* releases;      // each with every required symbol of its major
  int release_count;

  const char* symbol_name(int symbol) const { return pool + names[symbol]; }
  // Row of `name`, -1 if the library has no such symbol.
  int find_symbol(const char* name) const;
  // Of a library with that column of majors (LibraryDescriptor::column_of), by symbol.
  const Availability* availability_in(int column) const {
    return availability + std::ptrdiff_t{column} * symbol_count;
  }
  // The row of the last earlier major that has a symbol which `major` does not have; -1: none.
  int last_row_with(const LibraryDescriptor& library, int symbol, int major) const;
  // The first required symbol of a library of that major for which has(symbol) is false; -1: none.
  // A major newer than the database must have what the newest known one must.
  template <typename Has>
  int missing_required_symbol(const LibraryDescriptor& library, int major, Has has) const {
    constexpr int kGroup = sizeof(std::uint64_t);  // few are required: so many are read at a time
    const Availability* const symbols = availability_in(library.column_of(major));
    int i = 0;
    for (; i + kGroup <= symbol_count; i += kGroup) {
      std::uint64_t bits;
      std::memcpy(&bits, symbols + i, sizeof bits);
      for (bits &= ~std::uint64_t{0} / 0xff * kRequired; bits != 0; bits &= bits - 1) {
        const int symbol = i + __builtin_ctzll(bits) / 8;  // the byte of the lowest bit
        if (!has(symbol)) return symbol;
      }
    }
    for (; i < symbol_count; ++i) {
      if ((symbols[i] & kRequired) != 0 && !has(i)) return i;
    }
    return -1;
  }
};

}  // namespace anycuda
