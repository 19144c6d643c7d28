// SPDX-License-Identifier: Apache-2.0

// Calls one function a given number of times, bound through the procedure linkage table as in any
// program that was linked to its library. FUNCTION is given at compile time; the same object file
// is linked once per library, so nothing differs between two programs but the library. A second
// argument is a library that the process holds before the first call. FIRST_ARGUMENT is a number
// that the function is given in place of a buffer.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

extern "C" int FUNCTION(void*, void*, void*);

#ifdef FIRST_ARGUMENT
#define FIRST reinterpret_cast<void*>(FIRST_ARGUMENT)
#else
#define FIRST output
#endif

int main(int argc, char** argv) {
  static char output[8192];
  const long count = argc > 1 ? atol(argv[1]) : 0;
  if (argc > 2 && dlopen(argv[2], RTLD_NOW) == nullptr) return 2;
  int result = 0;
  for (long i = 0; i < count; ++i) result = FUNCTION(FIRST, output + 1024, output + 2048);
  dprintf(1, "result %d\n", result);
  _exit(0);
}
