// SPDX-License-Identifier: Apache-2.0

// The one interface from a search to the machine. `Machine{}` is this process on this computer,
// without a driver; this_machine() (driver/driver_lookup.h) has the driver, too; a test replaces
// the functions that it controls. Files are read below the paths that this interface gives.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include "anycuda/compat/driver.h"
#include "compat/search/machine/interpreter.h"

namespace anycuda {

struct Driver {
  DriverFacts facts;       // without the branch
  const char* path = "";   // "" without a driver
  void* handle = nullptr;  // of dlopen
  int status = 0;          // of cuDriverGetVersion, or one of these
  static constexpr int kNoFile = -1;
  static constexpr int kNoFunction = -2;
  static constexpr int kNoVersion = -3;  // it returned success without a CUDA version
};

// The result of opening a library. `error` is the dynamic linker's text, valid until it is called
// again; nullptr if there is a handle.
struct OpenResult {
  void* handle;
  const char* error;
};
// RTLD_NOW: a library with an undefined symbol is refused here, where the next can still be tried;
// with lazy binding it would end the program in the middle of a call.
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL;
constexpr int kLazyFlags =
    RTLD_LAZY | RTLD_LOCAL;  // where may_bind_lazily() (compat/search/binding.h)
// dlopen; clears dlerror() after a failure: the program must not see this search's errors.
OpenResult open_shared_library(const char* path, int flags);

// The objects that the program starts with, up to libc and the dynamic linker. They are the first
// of the list of loaded objects, and stay: they are read without the lock of dl_iterate_phdr(),
// which a child that is forked meanwhile never gets (tests/threads/README.md). Both nullptr: not
// known, or the caller is in another namespace (dlmopen).
struct StartObjects {
  const link_map* first;
  const link_map* last;
};
StartObjects start_objects();  // this_process.cc

// The kernel's object, whose names LoadedNames cannot read from its entry in that list.
bool is_vdso(const link_map& object);

// The object that was loaded after this one; nullptr: it is the last.
inline const link_map* next_object(const link_map& object) {
  return __atomic_load_n(&object.l_next, __ATOMIC_ACQUIRE);
}

// The folders of LD_LIBRARY_PATH that the dynamic linker has since the process's start, as "a:b",
// in `arena`; nullptr: none. Source: dlinfo(3), RTLD_DI_SERINFO, of an object without run path.
const char* library_path_of_start(Arena* arena);  // library_path.cc

// All functions are thread-safe.
struct Machine {
  Machine();

  // The folder that stands for "/" in the search tier `system`, "" for "/" itself.
  const char* (*root)();
  // A variable's value; nullptr: unset, empty, or without authority over this process.
  const char* (*variable)(const char* name);
  const char* (*start_path)(Arena* arena);
  // Does the process have privileges that its caller does not have? Then only the system is
  // searched.
  bool (*privileged)();
  // The loaded objects, as dl_iterate_phdr(3) shows them, under the dynamic linker's lock.
  int (*loaded_objects)(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument);
  // The first of them, which are read without this lock.
  StartObjects (*start_objects)();
  // The Python that this process is, if it is one. Texts in `arena`.
  Interpreter (*interpreter)(Arena* arena);
  OpenResult (*open)(const char* path, int flags);
  // The driver's facts, asked for when the first candidate depends on them; nullptr: no driver rule
  // applies. It gives the same answer at every call, except after a shortage; what it returns
  // lives for ever.
  const Driver& (*driver)();
  // The oldest GPU that the machine may have: a compute capability, 75 for 7.5; 0: not known.
  int (*oldest_gpu)();
};

}  // namespace anycuda
