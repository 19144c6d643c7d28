// SPDX-License-Identifier: Apache-2.0

// How far the start of the process has come.
#pragma once

namespace anycuda {

// Can libc and the dynamic linker be used? Not yet while the dynamic linker relocates the program
// and the libraries that it starts with: a resolver of an indirect function (IFUNC) runs then, and
// may call anything. Thread-local variables have no values yet, so libc crashes when it reads its
// locale (dlerror, printf), and the constructors of an opened library would run before libc's.
bool process_has_started();

}  // namespace anycuda
