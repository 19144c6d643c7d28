// SPDX-License-Identifier: Apache-2.0

// The stub's errors must be visible in the library's last-error functions. Programs call these very
// often, so their slots point straight at the library's functions until the stub's first error, and
// at the stub's functions from then on.
#pragma once

#include <cstdint>

#include "loader/tables.h"

namespace anycuda {

// Makes `status` this thread's last error. Does nothing for a library without last-error functions.
void remember_error(std::int32_t status);

// Reads this thread's last error in the library and keeps it; and restores this thread's last error
// after the stub's own calls of the library have changed it.
std::int32_t library_last_error();
void restore_library_error(std::int32_t before);

// Has any error been remembered in this process? Then the slots of last-error functions hold the
// stub's functions.
bool any_error_remembered();

constexpr bool is_last_error(SpecialFunction special) {
  return special == SpecialFunction::get_last_error || special == SpecialFunction::peek_last_error;
}
// The stub's function for such a symbol.
void* last_error_function(SpecialFunction special);

}  // namespace anycuda
