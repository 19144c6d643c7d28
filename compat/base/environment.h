// The environment as a stub may see it: nothing at all in a privileged process.
#pragma once

namespace anycuda {

// The variable's value, nullptr if it is unset, empty, or the process runs with privileges that
// its caller does not have (AT_SECURE): then no variable may steer what is loaded.
const char* environment_variable(const char* name);

// ANYCUDA_SYSTEM_ROOT: the folder that stands for "/" when the system's own places are looked
// through (a mounted image, a test's machine); "" where it is unset.
const char* system_root();

}  // namespace anycuda
