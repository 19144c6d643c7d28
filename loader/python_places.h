// Where pip and conda put NVIDIA's libraries, as seen from a process that may or may not be Python.
#pragma once

#include "loader/candidate.h"

namespace anycuda {

// Adds the candidates of this environment: wheels beside the calling object, beside this stub and
// beside what the process has loaded from a site-packages folder; PYTHONPATH, VIRTUAL_ENV,
// CONDA_PREFIX; the interpreter's own folders when the program is Python.
void gather_python_places(Search* search, const void* caller);

}  // namespace anycuda
