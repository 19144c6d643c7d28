// SPDX-License-Identifier: Apache-2.0

// May a library be bound lazily, function by function at its first call? It saves most of what
// opening the library costs, but has two dangers: a missing function ends the program in the middle
// of a call, and a function may be another library's by then (docs/first-call.md).
#pragma once

#include "compat/search/machine/machine.h"

namespace anycuda {

// True where neither can happen: libc or the dynamic linker of this process has every function that
// lazy binding leaves for later, in the needed version, and the library needs no library but
// libc's. False too where that cannot be read. Temporary memory is taken from `arena`.
bool may_bind_lazily(const char* path, const Machine& machine, Arena* arena);

}  // namespace anycuda
