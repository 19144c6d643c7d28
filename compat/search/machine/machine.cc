#include "compat/search/machine/machine.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "compat/base/environment.h"
#include "compat/base/shortage.h"

namespace anycuda {
namespace {

// Called, and not pointed at: the address of a function of libc is one more symbol to look up when
// a stub is loaded.
int walk_loaded_objects(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  return dl_iterate_phdr(visit, argument);
}

// Is there no address space for the file? The dynamic linker only says that it "failed to map
// segment", as it does of a file on a volume without execution, and in the user's language.
void note_shortage_of_space(const char* path) {
  struct stat status;
  if (stat(path, &status) != 0 || status.st_size <= 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const space =
      mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return note_shortage(ENOMEM);
  munmap(space, size);
}

}  // namespace

OpenResult open_shared_library(const char* path, int flags) {
  void* handle = dlopen(path, flags);
  if (handle != nullptr) return {handle, nullptr};
  const char* error = dlerror();
  if (error != nullptr) note_shortage(error);
  if ((flags & RTLD_NOLOAD) == 0) note_shortage_of_space(path);
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
