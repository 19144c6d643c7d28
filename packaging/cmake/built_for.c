// SPDX-License-Identifier: Apache-2.0

/* Compiled as part of every target that links an anycuda library, with that target's own flags: it
   fails where the headers that the target finds are of another major. Without headers there is
   nothing to compare. */
#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#elif __has_include(<cuda.h>)
#include <cuda.h>
#endif
#endif
#include "built_for.h"

typedef int anycuda_built_for; /* a file with nothing in it is no C */
