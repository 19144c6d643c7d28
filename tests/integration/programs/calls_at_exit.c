// SPDX-License-Identifier: Apache-2.0

/* Has what a static object of C++ has: a constructor, which registers a destructor. The destructor
 * calls CUDA. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaGetDeviceCount(int* count);

static const char* is_loaded(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    found = found || strstr(line, RUNTIME) != NULL || strstr(line, "/libcudart.so.") != NULL;
  }
  if (maps != NULL) fclose(maps);
  return found ? "loaded" : "not loaded";
}

int call(void) {
  int count = 0;
  return cudaGetDeviceCount(&count);
}

static void at_exit(void) { printf("destructor: %d\n", call()); }

__attribute__((constructor)) static void at_start(void) {
  printf("constructor: %s\n", is_loaded());
  atexit(at_exit);
}

int main(void) {
  printf("call: %d\n", call());
  return 0;
}
