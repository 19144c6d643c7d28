// SPDX-License-Identifier: Apache-2.0

// The Python that this process is, if it is one: its version, its prefixes, the options that it was
// started with.
#pragma once

#include "compat/base/arena.h"

namespace anycuda {

// How it was started (Python documentation, "Command line and environment").
struct PythonOptions {
  bool no_user_site = false;  // -s, -I, PYTHONNOUSERSITE
  bool no_site = false;       // -S: no site-packages at all
};

struct Interpreter {
  const char* executable = nullptr;   // the file that runs, behind all links; of any program
  const char* version = "";           // "python3.11", "" if unknown
  const char* prefix = nullptr;       // sys.prefix: a virtual environment's
  const char* base_prefix = nullptr;  // sys.base_prefix
  // A virtual environment that sees nothing of the Python it was made from (pyvenv.cfg).
  bool closed = false;
  bool is_embedded = false;           // in a program that is not Python itself (Blender, uWSGI)
  const char* search_path = nullptr;  // PYTHONPATH as Python has read it, then its own library
  PythonOptions options;

  bool is_python() const { return base_prefix != nullptr; }
  // Not a program that embeds it.
  bool is_interpreter() const { return is_python() && !is_embedded; }
};

// How a process was started; nullptr where unknown.
struct ProcessNames {
  const char* executable = nullptr;  // the file, behind all links
  bool embeds_python = false;        // a program of another name in which Python is started
  const char* by_python = nullptr;   // Py_GetProgramFullPath(), sys.executable; "": unknown to it
  const char* python_prefix = nullptr;  // Py_GetPrefix(): sys.base_prefix; from 3.14 on sys.prefix
  const char* python_path = nullptr;    // Py_GetPath(): sys.path before the module site adds to it
  const char* started = nullptr;        // what the kernel was given (AT_EXECFN)
  const char* first_folder = nullptr;   // PWD, as the program was started with
  PythonOptions options;
};

// The prefixes are those that Python's documentation of the modules sys and site gives: the folder
// above the one that the program was called in, if it has a pyvenv.cfg; else the folder above the
// file's own. Paths are taken as text, as Python does. Texts in `arena`.
Interpreter interpreter_of(const ProcessNames& names, Arena* arena);

// The same for this process.
Interpreter this_interpreter(Arena* arena);

}  // namespace anycuda
