// SPDX-License-Identifier: Apache-2.0

// Included instead of linking if the project neither names a CUDA major nor has a target whose
// headers tell it, such as with Meson's dependency('anycuda', method: 'cmake').
#error \
    "no CUDA major is known for this anycuda library: link anycuda::cudart_12 (or _11, _13), the major of the headers in use, \
or set ANYCUDA_MAJOR, in Meson cmake_args: ['-DANYCUDA_MAJOR=12']"
