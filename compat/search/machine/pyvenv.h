// SPDX-License-Identifier: Apache-2.0

// The pyvenv.cfg of a Python virtual environment. Pure.
//
// Sources: Python documentation, "venv", "site"; PEP 405. Lines of "key = value"; keys in any case.
#pragma once

#include <string_view>

namespace anycuda {

struct Pyvenv {
  bool closed = false;       // include-system-site-packages is set, and not to "true"
  std::string_view home;     // the folder of the Python that it was made from
  std::string_view version;  // "3.11.4"; virtualenv and uv call it version_info
};

Pyvenv parse_pyvenv(std::string_view text);

}  // namespace anycuda
