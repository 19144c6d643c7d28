// SPDX-License-Identifier: Apache-2.0

// Describes why the driver does not answer. Stubs do not use it, so it has a separate file. Texts
// in it must not end in the name of a library: the linker would merge the stub's copy of that name
// into the text, and `anycuda check` recognises a stub by such names.
#pragma once

#include "compat/search/driver/driver_lookup.h"

namespace anycuda {

// "" if it has answered. Text in `arena`, or static.
const char* driver_problem(const DriverLookup& lookup, Arena* arena);

}  // namespace anycuda
