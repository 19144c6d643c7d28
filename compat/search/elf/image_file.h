// SPDX-License-Identifier: Apache-2.0

// The identity of an ELF file on disk, read only with pread: so a broken file can be reported,
// while dlopen of a truncated file would kill the process with SIGBUS.
#pragma once

#include "compat/base/arena.h"
#include "compat/descriptor/symbols.h"
#include "compat/search/elf/image_facts.h"

namespace anycuda {

// Facts of the open file `descriptor` (a regular file of `size` bytes). With `tables`, also
// whether every required symbol is exported and which minor the exported names show at least.
// Temporary memory is taken from `arena` and given back.
ImageFacts read_image(int descriptor, unsigned long size, const LibraryDescriptor& library,
                      const LibrarySymbols* tables, Arena& arena);

}  // namespace anycuda
