// SPDX-License-Identifier: Apache-2.0

// The mark that `anycuda repair` writes into the stubs of a wheel
// (packaging/python/anycuda/elf/mark.py): a note of the owner "anycuda" and the type 1, whose
// descriptor is four bytes of flags.
#pragma once

namespace anycuda {

// A quiet stub writes messages only where ANYCUDA_LOG is set.
bool is_marked_quiet();

}  // namespace anycuda
