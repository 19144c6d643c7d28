# SPDX-License-Identifier: Apache-2.0

# glibc 2.17 on aarch64, as manylinux2014 has it.
set(ANYCUDA_ZIG_CPU aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
