// SPDX-License-Identifier: Apache-2.0

/* Opens libraries and calls functions in them:
     first_call FILE|NAME...
   A FILE, with a slash, is opened. A NAME is a function of the file that was opened last. The steps
   are between the marks that system_calls.py reads, and make no system call of the program itself.
   At the end the program prints the last function's result. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int Function(void* into, unsigned size);

int main(int argc, char** argv) {
  static char into[80]; /* for functions that return a number or a text */
  void* library = NULL;
  int status = 0;
  access("/anycuda-mark/begin", F_OK);
  for (int i = 1; i < argc; ++i) {
    if (strchr(argv[i], '/') != NULL) {
      library = dlopen(argv[i], RTLD_NOW);
    } else {
      Function* const function = (Function*)dlsym(library, argv[i]);
      if (function == NULL) library = NULL;
      if (function != NULL) status = function(into, sizeof into);
    }
    if (library == NULL) {
      fprintf(stderr, "first_call: %s: %s\n", argv[i], dlerror());
      return 1;
    }
  }
  access("/anycuda-mark/end", F_OK);
  printf("%d\n", status);
  return 0;
}
