// SPDX-License-Identifier: Apache-2.0
#include "linker/cache/cache_folder.h"

#include <string_view>

namespace anycuda::linker {
namespace {

bool is_absolute(const char* path) { return path != nullptr && *path == '/'; }

}  // namespace

CacheFolder choose_folder(const std::string& given, const CacheVariables& variables) {
  if (variables.cache != nullptr) {
    if (std::string_view(variables.cache) == "off") return {"", Problem::switched_off};
    if (!is_absolute(variables.cache)) return {"", Problem::wrong_variable};
  }
  if (!given.empty()) return {given};
  if (variables.cache != nullptr) return {variables.cache};
  // "All paths [...] must be absolute": the specification ignores others.
  if (is_absolute(variables.xdg)) return {variables.xdg + std::string("/anycuda/code")};
  if (is_absolute(variables.home)) return {variables.home + std::string("/.cache/anycuda/code")};
  return {"", Problem::no_folder};
}

}  // namespace anycuda::linker
