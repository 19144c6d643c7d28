// SPDX-License-Identifier: Apache-2.0

// The C++ half of the comparison shims (see measure/shims.py): on the first call of a function the
// real library is opened, if it is not open yet, and the function is looked up by its name.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

extern "C" {
extern const char* const shim_names[] __attribute__((visibility("hidden")));
extern void* shim_table[] __attribute__((visibility("hidden")));

__attribute__((visibility("hidden"))) void shim_resolve(unsigned long index) {
  static void* library = nullptr;
  if (library == nullptr) library = dlopen(REAL_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
  if (library == nullptr) {
    fprintf(stderr, "shim: cannot open %s: %s\n", REAL_LIBRARY, dlerror());
    abort();
  }
  void* function = dlsym(library, shim_names[index]);
  if (function == nullptr) {
    fprintf(stderr, "shim: no function %s\n", shim_names[index]);
    abort();
  }
  shim_table[index] = function;
}
}
