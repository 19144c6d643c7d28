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

// Does the library's function know every error of the caller's CUDA? Then no call of it needs the
// database.
bool knows_all_errors(const SymbolRow& symbol, int symbol_version, void* function);

// Answers the call if it asks for an error that the caller's CUDA has and the library does not
// know. False: it is the library's to answer.
bool give_newer_error_text(const SymbolRow& symbol, int symbol_version, void* function,
                           Frame* frame);

}  // namespace anycuda
