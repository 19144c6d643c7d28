# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the headers that the CUDA wheels include but do not hold.

The C library's and the graphics APIs' headers would come from whatever machine the tool runs on;
with these few lines the result depends on NVIDIA's files alone. Only sizes matter to an ABI, so
they are the published types of each API and nothing more.
"""

import shutil
from pathlib import Path

_HOST_DEFINES = """
#pragma once
#define __CUDA_ARCH_HAS_FEATURE__(f) 0
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __annotate__(a)
#define __location__(a)
#define __no_return__
#define __forceinline__ static __inline__
#define __inline_hint__
#define __specialization_static static
#define __thread__
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __cluster_dims__(...)
#define __launch_bounds__(...)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
"""

_STDDEF = """
#pragma once
typedef unsigned long size_t;
typedef long ptrdiff_t;
#ifdef __cplusplus
#define NULL nullptr
#else
typedef int wchar_t;
#define NULL ((void *)0)
#endif
#define offsetof(t, f) __builtin_offsetof(t, f)
"""

_STDINT = """
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
#define UINT64_MAX 18446744073709551615UL
"""

_LIMITS = """
#pragma once
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
"""

_GL = """
#pragma once
typedef unsigned int GLenum;
typedef unsigned int GLuint;
"""

_EGL = """
#pragma once
#include <stdint.h>
typedef int32_t EGLint;
typedef void *EGLImageKHR;
typedef void *EGLStreamKHR;
typedef void *EGLSyncKHR;
"""

_VDPAU = """
#pragma once
#include <stdint.h>
typedef uint32_t VdpDevice;
typedef uint32_t VdpVideoSurface;
typedef uint32_t VdpOutputSurface;
typedef uint32_t VdpFuncId;
typedef int VdpStatus;
typedef VdpStatus VdpGetProcAddress(VdpDevice device, VdpFuncId id, void **function);
"""

# Only half-precision numbers' sizes matter here; the real headers are C++ with an implementation.
_FP16 = """
#pragma once
#include "vector_types.h"
typedef struct __attribute__((aligned(2))) __half { unsigned short __x; } __half;
typedef struct __attribute__((aligned(4))) __half2 { __half x, y; } __half2;
typedef __half half;
"""

_BF16 = """
#pragma once
typedef struct __attribute__((aligned(2))) __nv_bfloat16 { unsigned short __x; } __nv_bfloat16;
typedef struct __attribute__((aligned(4))) __nv_bfloat162 { __nv_bfloat16 x, y; } __nv_bfloat162;
"""

_STDIO = """
#pragma once
#include <stddef.h>
typedef struct _IO_FILE FILE;
"""

_MATH = """
#pragma once
float fabsf(float);
float sqrtf(float);
double fabs(double);
double sqrt(double);
"""

_STDBOOL = """
#pragma once
#ifndef __cplusplus
#define bool _Bool
#define true 1
#define false 0
#endif
"""

_STDALIGN = """
#pragma once
#ifndef __cplusplus
#define alignas _Alignas
#define alignof _Alignof
#endif
"""

_EMPTY = "#pragma once\n"

FILES = {
    "crt/host_defines.h": _HOST_DEFINES,
    "crt/host_config.h": _EMPTY,
    "stddef.h": _STDDEF,
    "stdint.h": _STDINT,
    "stdlib.h": _STDDEF,
    "string.h": _STDDEF,
    "limits.h": _LIMITS,
    "inttypes.h": _STDINT,
    "stdio.h": _STDIO,
    "stdalign.h": _STDALIGN,
    "stdbool.h": _STDBOOL,
    "math.h": _MATH,
    "assert.h": _EMPTY,
    "time.h": _EMPTY,
    "cstdint": _STDINT,
    "cstddef": _STDDEF,
    "cuda_fp16.h": _FP16,
    "cuda_bf16.h": _BF16,
    "cuda_fp8.h": _EMPTY,
    "cuda_fp4.h": _EMPTY,
    "GL/gl.h": _GL,
    "EGL/egl.h": _EGL,
    "EGL/eglext.h": _EGL,
    "vdpau/vdpau.h": _VDPAU,
    # Only its C++ part uses what the wheels lack; the interop headers want it for its types.
    "cuda_runtime.h": '#pragma once\n#include "cuda_runtime_api.h"\n#include "library_types.h"\n',
}


def write(folder: Path, own: Path) -> None:
    """Put the stand-ins below `folder`, the first place where the parser looks; those in `own`, the library's, too."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if own.is_dir():
        shutil.copytree(own, folder, dirs_exist_ok=True)
