// SPDX-License-Identifier: Apache-2.0

// Everything about a link that is known before it starts.
#pragma once

#include <string>
#include <vector>

#include "linker/backends/translate.h"
#include "linker/inputs/check.h"
#include "linker/select_backend.h"

namespace anycuda::linker {

struct Plan {
  Options options = {};  // `arch` as the backend needs it
  std::vector<Item> items = {};
  Selection selection = {};
  std::vector<std::string> nvjitlink = {};  // the options of nvJitLinkCreate
  DriverOptions driver = {};                // those of cuLinkCreate
};

// Wrong inputs and values are reported before the backend is selected, the backend's limits after
// it. Throws as which_backend() documents.
Plan plan_of(std::vector<Input> inputs, Options options);

}  // namespace anycuda::linker
