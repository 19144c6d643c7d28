// The Python that this process is, if it is one: which prefixes its packages are in. Told from what
// the program is and how it was called, without asking Python itself.
#pragma once

#include "compat/base/arena.h"

namespace anycuda {

struct Interpreter {
  const char* executable = nullptr;  // the file that runs, behind all links
  const char* version = "";          // "python3.11", "" where its name does not tell (or no Python)
  const char* prefix = nullptr;      // of the name it was called by: a virtual environment's
  const char* base_prefix = nullptr;  // of the file itself
};

// What the running file and the name it was called by tell; texts in `arena`. The prefixes and the
// version stay empty for a program that is no Python, `prefix` also where the name leads elsewhere.
Interpreter interpreter_of(const char* executable, const char* called, Arena* arena);

// The same for this process.
Interpreter this_interpreter(Arena* arena);

// Is `prefix` a virtual environment that sees nothing of the Python it was made from?
// (PREFIX/pyvenv.cfg; Python's documentation of venv, "include-system-site-packages")
bool is_isolated(const char* prefix, Arena* arena);

}  // namespace anycuda
