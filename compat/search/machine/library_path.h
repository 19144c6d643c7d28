// SPDX-License-Identifier: Apache-2.0

// LD_LIBRARY_PATH. The dynamic linker keeps the value of the process's start, also for a program
// that removes the variable then, so that the programs which it starts do not have it.
#pragma once

#include "compat/search/machine/machine.h"

namespace anycuda {

// Calls visit(path, begins, argument) for each folder in it, until visit() returns false: the
// variable's, or, if it is not set, those of the start. All of them are one environment: modules
// put their folders into it in any order. `program`: whose folder $ORIGIN stands for; nullptr: it
// is asked for.
void each_library_path_folder(const Machine& machine, const Interpreter* program, Arena* arena,
                              bool (*visit)(const char* path, bool begins, void* argument),
                              void* argument);

}  // namespace anycuda
