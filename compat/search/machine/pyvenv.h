// SPDX-License-Identifier: Apache-2.0

// The pyvenv.cfg of a Python virtual environment. Pure.
//
// Sources: Python documentation, "venv", "site"; PEP 405. Lines of "key = value"; keys in any case.
#pragma once

#include <string_view>

namespace anycuda {

// The rows "venv with 12.9; `pip install --user` left 13.5 in ~/.local" and "venv
// --system-site-packages without CUDA; its base has wheel 12.9" (docs/setups.md).
//
// Sees the environment nothing of the Python that it was made from: include-system-site-packages is
// set, and not to "true"?
bool is_closed(std::string_view pyvenv);

}  // namespace anycuda
