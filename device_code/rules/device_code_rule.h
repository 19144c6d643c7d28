// SPDX-License-Identifier: Apache-2.0

// May this driver load that device code? Pure functions of plain values: no file, no environment,
// no allocation; safe from any thread.
//
// Sources: PTX ISA, "Release Notes" (which CUDA brought a version of PTX, and which a GPU); CUDA
// Compatibility, "Minor Version Compatibility" (a driver compiles no PTX of a newer CUDA than its
// own, and loads the cubins of its major); the cubins of nvcc 11.8 to 13.0 and of CUDA's libraries
// (the version of their format); compat/catalogue/packings.txt (which drivers read zstd and
// concatenated entries). One CUDA compiles all entries of a fat binary, so its PTX tells which
// major the cubins beside it are from.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"

namespace anycuda {

// The facts about one entry's code in the headers of a fat binary.
struct CodeFacts {
  enum class Kind : std::uint8_t { ptx, cubin, other };
  Kind kind = Kind::other;
  int architecture = 0;       // 90 of sm_90
  char target = 0;            // 'a': for this GPU only; 'f': for its family; 0: for later ones, too
  Version format;             // of PTX its ISA version, of a cubin the version of its format
  Version newest_ptx;         // the newest ISA version of the PTX in the same fat binary
  bool zstd = false;          // compressed with it
  bool concatenated = false;  // compressed together with other code (nvcc --concat)
};

// The oldest CUDA whose driver may load that code; not known if no rule applies.
Version oldest_cuda_for(const CodeFacts& code);

// Does a driver that supports `cuda` load it by the rules? True if no rule applies.
bool loads(Version cuda, const CodeFacts& code);

}  // namespace anycuda
