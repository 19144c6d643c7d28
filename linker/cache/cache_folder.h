// SPDX-License-Identifier: Apache-2.0

// Which folder a cache has. Pure.
#pragma once

#include <string>

#include "linker/cache/problem.h"

namespace anycuda::linker {

// nullptr: not set.
struct CacheVariables {
  const char* cache = nullptr;  // ANYCUDA_CODE_CACHE
  const char* xdg = nullptr;    // XDG_CACHE_HOME
  const char* home = nullptr;   // HOME
};

struct CacheFolder {
  std::string path = {};  // absolute; "": the cache is off
  Problem problem = Problem::none;
};

// `given`: of the program, absolute or "".
CacheFolder choose_folder(const std::string& given, const CacheVariables& variables);

}  // namespace anycuda::linker
