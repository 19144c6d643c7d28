// Errors that the stub makes itself must show in the library's own last-error functions. Those are
// among the most called of all, so their slots point straight at the real ones until the first
// such error, and at ours from then on.
#pragma once

#include <cstdint>

#include "loader/tables.h"

namespace anycuda {

// Makes `status` this thread's last error. Does nothing for a library without last-error functions.
void remember_error(std::int32_t status);

// The library's own last error of this thread, left as it is. After our own calls of the library
// have changed it: makes this thread's last error what it was before.
std::int32_t library_last_error();
void restore_library_error(std::int32_t before);

// Has any error been remembered in this process? Then slots of last-error functions are ours.
bool any_error_remembered();

constexpr bool is_last_error(SpecialFunction special) {
  return special == SpecialFunction::get_last_error || special == SpecialFunction::peek_last_error;
}
// Ours, for such a symbol.
void* last_error_function(SpecialFunction special);

}  // namespace anycuda
