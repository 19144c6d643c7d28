// SPDX-License-Identifier: Apache-2.0

// One call through a stub: call FILE VERSION FUNCTION prints the status and the number that it
// gave. VERSION is the symbol version, "-" for none. cuInit() takes the number itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** words) {
  if (count != 4) return 2;
  void* library = dlopen(words[1], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  void* function =
      strcmp(words[2], "-") == 0 ? dlsym(library, words[3]) : dlvsym(library, words[3], words[2]);
  if (function == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int first = 0, second = 0;
  int status;
  if (strcmp(words[3], "cuInit") == 0) {
    status = ((int (*)(unsigned))(uintptr_t)function)(0);
  } else {
    status = ((int (*)(int*, int*))(uintptr_t)function)(&first, &second);
  }
  printf("%d: %d %d\n", status, first, second);
  return 0;
}
