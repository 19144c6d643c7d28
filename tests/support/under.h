// SPDX-License-Identifier: Apache-2.0

// Programs that cannot run as they are, or are to be watched: qemu runs those of another machine
// (preset aarch64-units), valgrind those of this build (preset memcheck). AddressSanitizer is in
// the programs, and gets its options (preset asan).
#pragma once

#include "process.h"

namespace anycuda::test {

// Puts what runs the program before it, or what it is to know, where this build has such a thing.
void run_under(ProcessSpec& spec);

}  // namespace anycuda::test
