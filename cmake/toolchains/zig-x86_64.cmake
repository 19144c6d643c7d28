# SPDX-License-Identifier: Apache-2.0

# glibc 2.17 on x86_64, as manylinux2014 has it.
set(ANYCUDA_ZIG_CPU x86_64)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
