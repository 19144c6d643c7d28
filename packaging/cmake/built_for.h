// SPDX-License-Identifier: Apache-2.0

// The calls of a program that is compiled for one CUDA and linked for another would be adapted
// wrongly. Include this after CUDA's headers: it compares their version with ANYCUDA_BUILT_FOR, the
// major of the linked library, which anycuda's CMake targets and pkg-config files define.
// NOLINTNEXTLINE(llvm-header-guard): a compiler's -include, so #pragma once is enough
#pragma once

#ifndef ANYCUDA_BUILT_FOR
#error \
    "ANYCUDA_BUILT_FOR is not defined: it is the major (11, 12, 13) of the anycuda library that this is linked with"
#elif defined(CUDART_VERSION)
#define ANYCUDA_HEADERS_OF (CUDART_VERSION / 1000)
#elif defined(CUDA_VERSION)
#define ANYCUDA_HEADERS_OF (CUDA_VERSION / 1000)
#elif defined(__CUDACC_VER_MAJOR__)
#define ANYCUDA_HEADERS_OF __CUDACC_VER_MAJOR__
#endif

#if defined(ANYCUDA_HEADERS_OF) && defined(ANYCUDA_BUILT_FOR) && \
    ANYCUDA_HEADERS_OF != ANYCUDA_BUILT_FOR
#error \
    "these are the headers of another CUDA major than the anycuda library to link with (ANYCUDA_BUILT_FOR): \
include the headers of that major, or link the library for these headers, in CMake anycuda::cudart_<major> or \
set(ANYCUDA_MAJOR <major>). If only another library of the project uses CUDA, let that library link anycuda PRIVATE"
#endif
