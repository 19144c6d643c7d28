// The environment as a stub may see it: nothing at all in a privileged process.
#pragma once

namespace anycuda {

// Does the process run with privileges that its caller does not have (AT_SECURE)? Then no variable
// may steer what is loaded.
bool is_privileged();

// The variable's value, nullptr if it is unset, empty, or the process is privileged.
const char* environment_variable(const char* name);

// ANYCUDA_SYSTEM_ROOT: the folder that stands for "/" when the system's own places are searched (a
// mounted image, a test's machine); "" where it is unset.
const char* system_root();

}  // namespace anycuda
