// SPDX-License-Identifier: Apache-2.0

// The caller's folders: those above its file, and those of its run paths.
#pragma once

#include <sys/types.h>

#include "compat/search/machine/machine.h"

namespace anycuda {

// A folder that may be the site-packages that the caller was installed into.
struct CallerFolder {
  const char* path;
  // It lies above the caller's own folder and above the site-packages that it is in, and only its
  // place suggests it.
  bool guessed;
  const char* file;  // the caller's: what its owner has put there is trusted
  bool is_prefix;    // of the caller, PREFIX of PREFIX/bin/program
};

using CallerFolderVisitor = bool (*)(const CallerFolder& folder, void* argument);

// The file that this code is in.
const char* own_file(const Interpreter& program, Arena* arena);

// Visits the folders above the object that holds `caller`, the nearest first; the virtual
// environment whose link started the program, if that is the caller; the folders above this code's
// own. False ends the visits.
void each_caller_folder(const Interpreter& program, const void* caller, Arena* arena,
                        CallerFolderVisitor visit, void* argument);

// Visits the site-packages folders that loaded objects come from.
void each_loaded_site(const Machine& machine, Arena* arena, bool (*visit)(const char*, void*),
                      void* argument);

// Visits the folders of the DT_RPATH, or the DT_RUNPATH, of the object that holds `caller`, as the
// dynamic linker sees them (ld.so(8)): a DT_RPATH beside a DT_RUNPATH does not count, $ORIGIN, $LIB
// and $PLATFORM are expanded. Relative entries are left out.
enum class RunPath : bool { rpath, runpath };
void each_run_path_folder(const Interpreter& program, const void* caller, RunPath which,
                          Arena* arena, bool (*visit)(const char*, void*), void* argument);

}  // namespace anycuda
