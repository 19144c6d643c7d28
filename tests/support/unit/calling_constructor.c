// SPDX-License-Identifier: Apache-2.0

/* A library whose constructor calls the function whose address is in a variable: code that runs
   while its thread holds the dynamic linker's lock. */
#include <stdlib.h>

__attribute__((constructor)) static void call(void) {
  const char* address = getenv("ANYCUDA_TEST_CONSTRUCTOR");
  if (address != NULL) ((void (*)(void))strtoull(address, NULL, 16))();
}
