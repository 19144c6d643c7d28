// SPDX-License-Identifier: Apache-2.0
#include "compat/base/mark.h"

#include <cstdint>

// In assembler, since a compiler would make data of the section, and linkers keep only notes
// even if nothing refers to them.
asm(R"(
    .pushsection .note.anycuda, "a", %note
    .p2align 2
    .long 8, 4, 1
    .asciz "anycuda"
    .globl anycuda_mark
    .hidden anycuda_mark
    .type anycuda_mark, %object
    .size anycuda_mark, 4
anycuda_mark:
    .long 0
    .popsection
)");

// Volatile: the file is changed after it was linked.
extern "C" __attribute__((visibility("hidden"))) const volatile std::uint32_t anycuda_mark;

namespace anycuda {

constexpr std::uint32_t kQuiet = 1;

bool is_marked_quiet() { return (anycuda_mark & kQuiet) != 0; }

}  // namespace anycuda
