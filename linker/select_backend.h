// SPDX-License-Identifier: Apache-2.0

// The choice of one Linker: gathers the facts, only those that the table needs, and applies the
// table (anycuda/linker/choice.h).
#pragma once

#include <string>

#include "anycuda/linker/options.h"
#include "anycuda/linker/which_backend.h"

namespace anycuda::linker {

struct Selection {
  BackendReport report = {};
  std::string no_nvjitlink = {};  // "; " and why it is not usable, or ""
};

// Throws BackendError if a probe fails. A refusal is in the report.
Selection select_backend(const Options& options, bool lto_ir_input);

}  // namespace anycuda::linker
