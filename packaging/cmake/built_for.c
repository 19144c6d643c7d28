// SPDX-License-Identifier: Apache-2.0

/* Compiled as part of every target with C or C++ sources that links an anycuda library, with that
   target's own flags: it fails where the headers that the target finds are of another major. There
   is nothing to compare without headers, and in a configuration that does not link the library. */
#if defined(__has_include) && defined(ANYCUDA_BUILT_FOR)
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#elif __has_include(<cuda.h>)
#include <cuda.h>
#endif
#include "built_for.h"
#endif

typedef int anycuda_built_for; /* a file with nothing in it is no C */
