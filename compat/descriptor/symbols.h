// SPDX-License-Identifier: Apache-2.0

// The names of a library's symbols and the releases that have them, as the generator writes them
// from stubs/abi/<library>. Names are offsets into one pool, since every pointer in a table would
// be one more relocation whenever a program starts.
#pragma once

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
    return availability + column * symbol_count;
  }
  // The first required symbol of a library of that major for which has(symbol) is false; -1: none.
  // A major newer than the database must have what the newest known one must.
  template <typename Has>
  int missing_required_symbol(const LibraryDescriptor& library, int major, Has has) const {
    const Availability* const symbols = availability_in(library.column_of(major));
    for (int i = 0; i < symbol_count; i += kGroup) {
      std::uint64_t bits = required_among(symbols + i, symbol_count - i);
      for (; bits != 0; bits &= bits - 1) {  // without its lowest bit
        const int symbol = i + __builtin_ctzll(bits) / 8;
        if (!has(symbol)) return symbol;
      }
    }
    return -1;
  }

 private:
  static constexpr int kGroup = sizeof(std::uint64_t);  // few are required: so many at a time
  // One bit in the byte of each required one of the first kGroup symbols, or of the `left` last.
  static std::uint64_t required_among(const Availability* symbols, int left) {
    std::uint64_t group = 0;
    if (left >= kGroup) {
      std::memcpy(&group, symbols, sizeof group);
    } else {
      for (int i = 0; i < left; ++i) group |= std::uint64_t{symbols[i]} << 8 * i;
    }
    return group & (~std::uint64_t{0} / 0xff * kRequired);
  }
};

}  // namespace anycuda
