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

// Where calls of such a function go that the library has: to the library, if it knows every error
// of the caller's CUDA; else to a function that asks the library first, and the database for an
// error that the library does not know.
void* error_text_function(const SymbolRow& symbol, int symbol_version, void* function);

}  // namespace anycuda
