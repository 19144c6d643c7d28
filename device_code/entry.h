// SPDX-License-Identifier: Apache-2.0

// Device code as a file holds it: one entry for each cubin, PTX text or piece of LTO-IR.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"
#include "device_code/bytes.h"

namespace anycuda::device_code {

// A fatbin's own numbers; a file may have others.
enum class Kind : std::uint16_t {
  ptx = 1,
  cubin = 2,
  lto_ir = 8,
  index = 32,
  relocatable_ptx = 64,
  tile_ir = 128,
  concatenated = 256  // several codes, compressed together
};

// The magic number of LTO-IR; its major and minor version follow, a byte each.
constexpr char kLtoIr[] = {'\xed', '\x43', '\x4e', '\x7f'};

enum class Compression : std::uint8_t { none, lz4, zstd, unknown };

struct Entry {
  Kind kind = Kind::cubin;
  std::uint32_t architecture =
      0;            // 90 of sm_90 and compute_90; 0 where the entry does not record one
  char target = 0;  // 'a' of sm_90a (this GPU only), 'f' of sm_100f (its family), or 0
  Compression compression = Compression::none;
  // Of PTX its ISA version, of LTO-IR its format's.
  Version format;
  // Of a cubin: the CUDA that made it. Not known where its contents cannot be read.
  Version toolkit;
  std::uint64_t stored = 0;    // bytes in the file; of a concatenated code its share
  std::uint64_t unpacked = 0;  // bytes of the code itself
  std::uint64_t offset = 0;    // in the file
  bool plain_data = false;     // outside of the sections that nvcc makes for device code
  bool concatenated = false;   // one of several codes that are compressed together
};

// What could not be read, and where.
struct Problem {
  const char* what = "";
  std::uint64_t offset = 0;
};

// Called for each entry and each problem, in the order of the file.
struct Visitor {
  void (*entry)(const Entry& entry, void* argument) = nullptr;
  void (*problem)(const Problem& problem, void* argument) = nullptr;
  void* argument = nullptr;
};

}  // namespace anycuda::device_code
