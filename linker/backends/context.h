// The calling thread's current context.
#pragma once

#include <string>

namespace anycuda::linker {

// Why there is none: no driver, cuInit was not called, none is current; "" where there is one.
// Quiet.
std::string why_no_context();

// "sm_90" of its device. Throws OptionError: Options::arch must be given then.
std::string arch_of_context();

}  // namespace anycuda::linker
