// SPDX-License-Identifier: Apache-2.0

// The calling thread's current context.
#pragma once

#include <string>

namespace anycuda::linker {

// Why this thread has no current context: no driver, cuInit was not called, none is current; "" if
// it has one. Prints nothing.
std::string why_no_context();

// "sm_90" of its device. Throws OptionError: Options::arch must be given then.
std::string arch_of_context();

}  // namespace anycuda::linker
