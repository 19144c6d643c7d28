// Where pip installs, as seen from a process that may or may not be Python.
#pragma once

#include "compat/base/arena.h"
#include "compat/search/machine/machine.h"

namespace anycuda {

using PathVisitor = void (*)(const char* path, void* argument);

// Every site-packages folder of this environment, and every folder that may be one: above the
// calling object and above this code's own file, those of what the process has loaded; PYTHONPATH;
// CONDA_PREFIX; VIRTUAL_ENV and, when the program is Python, its own. One may come more than once.
void each_site(const Machine& machine, Arena* arena, const void* caller, PathVisitor site,
               void* argument);

// Is this process a Python? Texts that it needs go back to `arena`.
bool is_python(const Machine& machine, Arena* arena);

}  // namespace anycuda
