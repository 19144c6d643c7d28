// SPDX-License-Identifier: Apache-2.0

// The options of a Python's command line that decide where its packages are. Pure.
//
// Source: Python documentation, "Command line and environment", "Interface options" and
// "Miscellaneous options" (-E, -I, -s, -S).
#pragma once

#include <cstddef>

namespace anycuda {

struct PythonOptions {
  bool ignores_environment = false;  // -E, -I: PYTHONPATH and the like do not count
  bool no_user_site = false;         // -s, -I
  bool no_site = false;              // -S: no site-packages at all
  bool by_python = false;  // Python's own word, variables included; else read from a command line
};

// `arguments`: as in /proc/self/cmdline, each ends with a null byte; the first is the program's
// name.
PythonOptions parse_python_options(const char* arguments, std::size_t size);

}  // namespace anycuda
