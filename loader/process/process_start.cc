// SPDX-License-Identifier: Apache-2.0
#include "loader/process/process_start.h"

#include <locale.h>

namespace anycuda {

// The thread's locale is a thread-local variable of libc that is never null once it has a value.
bool process_has_started() { return uselocale(nullptr) != nullptr; }

}  // namespace anycuda
