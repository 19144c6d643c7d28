// SPDX-License-Identifier: Apache-2.0

/* What the library is, its SONAME and its version definition say (guard_rails.cmake). */
int anycuda_test_fake(void) { return 1; }
