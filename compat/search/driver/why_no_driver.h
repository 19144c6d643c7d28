// A driver that was not found, in words. In a file of its own, since stubs do not need it. No text
// in it ends in the name of a library: the linker would merge that name into the text, and `anycuda
// check` knows a stub by such names.
#pragma once

#include "compat/search/driver/driver.h"

namespace anycuda {

// Why a look-up found no driver library. Text in `arena`, or for ever.
const char* why_no_driver(const DriverLookup& lookup, Arena* arena);

}  // namespace anycuda
