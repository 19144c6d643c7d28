// SPDX-License-Identifier: Apache-2.0

// The registers of a call that the resolver holds up, as the entry template of each CPU saves them
// (stubs/tools/generate/templates). Elsewhere the loader knows a CPU by its names alone (folders,
// the machine of an ELF file).
//
// Each CPU's Frame has, beside the registers:
//   argument(location)  0 to 7 an integer register, from 8 on an eight-byte slot of the stack
//                       (which argument is where is known to stubs/tools/generate/cpu.py)
//   structure_result()  where the caller wants a result that is too large for registers
//   return_address()    a place in the calling object
//   result              what the caller gets when there is nothing to jump to
//
// Beside it lazy_offset(slot): where in anycuda_lazy the slot's first target is.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef __GLIBC__
#error "anycuda supports only Linux with glibc (2.17 or later)"
#endif

#if defined(__x86_64__)
#include "loader/frame_x86_64.h"
#elif defined(__aarch64__)
#include "loader/frame_aarch64.h"
#else
#error "anycuda supports Linux on x86_64 and aarch64; other CPUs need an entry template and a Frame"
#endif
