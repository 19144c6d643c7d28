// SPDX-License-Identifier: Apache-2.0

/* An object that calls a function, so that its own run path is the caller's. */
#include <stddef.h>

int call_from_here(int (*function)(void*, size_t, size_t, size_t), void* argument);
int call_from_here(int (*function)(void*, size_t, size_t, size_t), void* argument) {
  volatile int result = function(argument, 8, 0, 0); /* no tail call: the return address counts */
  return result;
}
