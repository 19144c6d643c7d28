// SPDX-License-Identifier: Apache-2.0

// The stub's own rows, which stubs/tools/generate/entries.py writes.
#include "loader/symbols/variables.h"

extern "C" __attribute__((visibility("hidden"))) const anycuda::VariableRow anycuda_variables[];

extern "C" void anycuda_fill_variables(void* library) {
  anycuda::fill_variables(anycuda_variables, library);
}
