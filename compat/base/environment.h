// SPDX-License-Identifier: Apache-2.0

// The environment as a stub may see it: nothing at all in a privileged process.
#pragma once

namespace anycuda {

// Does the process run with privileges that its caller does not have (AT_SECURE)? Then no variable
// may affect which files are loaded.
bool is_privileged();

// The variable's value, nullptr if it is unset, empty, or the process is privileged. Read from the
// copy if there is one, else from the process's environment as it is now.
const char* environment_variable(const char* name);

// Copies the whole environment, at the first call only: environment_variable() reads that copy from
// then on, and later changes have no effect. The stubs call it before they read any setting, since
// no other thread of the program expects a failing CUDA call to read the environment while it calls
// setenv(). The C++ library reads each variable anew. Without memory for a copy nothing changes,
// and the next call copies.
void keep_environment();
// Is there such a copy? Then a variable's value never changes.
bool is_environment_kept();

// ANYCUDA_SYSTEM_ROOT: the folder that stands for "/" when the system's own places are searched (a
// mounted image, a test's machine); "" where it is unset.
const char* system_root();
// The invalid value of ANYCUDA_SYSTEM_ROOT, nullptr if it is valid.
const char* wrong_system_root();

}  // namespace anycuda
