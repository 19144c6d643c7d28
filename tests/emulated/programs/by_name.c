// SPDX-License-Identifier: Apache-2.0

// A caller without symbol versions: it opens a library by name, as ctypes does.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** words) {
  void* library = dlopen(words[count - 1], RTLD_NOW);
  if (library == NULL) {
    puts(dlerror());
    return 1;
  }
  int (*version)(int*) = (int (*)(int*))dlsym(library, "cudaRuntimeGetVersion");
  const char* (*text)(int) = (const char* (*)(int))dlsym(library, "cudaGetErrorString");
  int number = -1;
  const int status = version(&number);
  printf("runtime %d %d\n35 %s\n", status, number, text(35));
  return 0;
}
