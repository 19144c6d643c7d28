// SPDX-License-Identifier: Apache-2.0

// Names and texts of errors, from the ABI database: for calls without a library, and for
// errors that came after the loaded library.
#pragma once

#include "loader/frame.h"
#include "loader/tables.h"

namespace anycuda {

constexpr bool gives_error_text(SpecialFunction special) {
  return special == SpecialFunction::error_name || special == SpecialFunction::error_string;
}

// Answers such a call without a library: `const char* f(error)`, or `status f(error, &text)`.
void give_error_text(const SymbolRow& symbol, Frame* frame);

// The target of such a function that the library has: the library's function, if it knows every
// error of the caller's CUDA; else a function that asks the library first, and the database for
// errors that the library does not know.
void* error_text_function(const SymbolRow& symbol, int symbol_version, void* function);

}  // namespace anycuda
