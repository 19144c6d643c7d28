// SPDX-License-Identifier: Apache-2.0

// The choice of one Linker: gathers the facts, only those that the table needs, and applies the
// table (anycuda/linker/choice.h).
#pragma once

#include <string>

#include "anycuda/linker/options.h"

namespace anycuda::linker {

struct Selection {
  Backend backend;
  std::string reason;
  Version driver;
  Version nvjitlink;
  std::string no_nvjitlink;  // "; " and why it is not usable, or ""
};

// Throws BackendError.
Selection select_backend(const Options& options, bool lto_ir_input);

}  // namespace anycuda::linker
