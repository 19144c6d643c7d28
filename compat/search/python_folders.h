// Where pip and conda install, as seen from a process that may or may not be Python. Nothing here
// knows what is looked for there.
#pragma once

#include "compat/base/arena.h"

namespace anycuda {

using PathVisitor = void (*)(const char* path, void* argument);

// Every site-packages folder of this environment, and every folder that may be one: above the
// calling object and above this code's own file, those of what the process has loaded; PYTHONPATH;
// CONDA_PREFIX; VIRTUAL_ENV and, when the program is Python, its own. One may come more than once.
void each_site(Arena* arena, const void* caller, PathVisitor site, void* argument);

// CONDA_PREFIX, and the folders in it that have a toolkit's layout (lib/, include/).
void each_conda_folder(Arena* arena, PathVisitor root, void* argument);

}  // namespace anycuda
