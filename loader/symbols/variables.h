// SPDX-License-Identifier: Apache-2.0

// Variables that a library exports and that programs read without a call: cuTENSOR's descriptors
// of computations. The stub has variables of the same names, and gives them the values of the
// library's when it opens the library. So it opens such a library at load time, before the program
// can read them.
#pragma once

#include <cstddef>

namespace anycuda {

// A variable under one symbol version. `address`: where the dynamic linker finds it for callers of
// that version, which may be a program's copy of it.
struct VariableRow {
  const char* name;  // nullptr: the end
  void* address;
  std::size_t size;
};

// A variable that the library lacks stays as it is.
void fill_variables(const VariableRow* rows, void* library);

}  // namespace anycuda

// Of the stub's own rows. Only the stubs of libraries with variables have it: nullptr in the
// others.
extern "C" __attribute__((weak, visibility("hidden"))) void anycuda_fill_variables(void* library);
