#include "compat/search/machine/machine.h"

#include "compat/base/environment.h"

namespace anycuda {
namespace {

// Called, and not pointed at: the address of a function of libc is one more symbol to look up when
// a stub is loaded.
int walk_loaded_objects(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  return dl_iterate_phdr(visit, argument);
}

}  // namespace

OpenResult open_shared_library(const char* path, int flags) {
  void* handle = dlopen(path, flags);
  if (handle != nullptr) return {handle, nullptr};
  const char* error = dlerror();
  return {nullptr, error != nullptr ? error : "no reason given"};
}

// One function, and not initial values in the header: those would be data with relocations.
Machine::Machine()
    : root(system_root),
      variable(environment_variable),
      privileged(is_privileged),
      loaded_objects(walk_loaded_objects),
      interpreter(this_interpreter),
      open(open_shared_library),
      driver(nullptr),
      branch(nullptr) {}

}  // namespace anycuda
