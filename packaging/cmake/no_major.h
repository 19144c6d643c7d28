// SPDX-License-Identifier: Apache-2.0

// Included in place of linking, where the project that found anycuda names no CUDA major and has no
// target whose headers tell it: Meson's dependency('anycuda', method: 'cmake').
#error \
    "no CUDA major is known for this anycuda library: link anycuda::cudart_12 (or _11, _13), the major of the headers in use, \
or set ANYCUDA_MAJOR, in Meson cmake_args: ['-DANYCUDA_MAJOR=12']"
