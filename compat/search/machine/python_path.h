// SPDX-License-Identifier: Apache-2.0

// The folders of packages that a Python process has, in the order of its sys.path.
//
// Source: Python documentation, "The initialization of the sys.path module search path" and "site":
// PYTHONPATH; then the site-packages of sys.prefix, the user's, those of sys.base_prefix (the last
// two not in a closed virtual environment), each followed by what its .pth files name.
#pragma once

#include "compat/search/machine/machine.h"

namespace anycuda {

// `begins`: the folder begins a new entry, which comes before those that follow. Several folders of
// one prefix (site-packages and dist-packages) are one entry. False ends the visits.
using FolderVisitor = bool (*)(const char* path, bool begins, void* argument);

// Visits the folders that exist; what a Python adds to sys.path while it runs is not seen. The
// packages of another version of Python are left out.
void each_python_folder(const Machine& machine, const Interpreter& python, Arena* arena,
                        FolderVisitor visit, void* argument);

// The folders that PYTHONPATH names by their full path, for a program that is not Python.
void each_pythonpath_folder(const Machine& machine, Arena* arena, FolderVisitor visit,
                            void* argument);

// The site-packages of any Python in `prefix`.
void each_packages_folder(const char* prefix, Arena* arena, FolderVisitor visit, void* argument);

}  // namespace anycuda
