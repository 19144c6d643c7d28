// SPDX-License-Identifier: Apache-2.0

// What a Program compiles.
#pragma once

#include <string>
#include <vector>

#include "anycuda/linker/program.h"

namespace anycuda::linker {

struct Source {
  std::string text;
  std::string name;
  std::vector<Header> headers;
  std::vector<std::string> expressions;
};

}  // namespace anycuda::linker
