// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/python_options.h"

#include <cstring>

namespace anycuda {
namespace {

// One word of short options, "-Es". False: what follows are the program's own arguments.
// `skips`: the next word is this one's value.
bool parse_word(const char* letter, PythonOptions* options, bool* skips) {
  for (; *letter != '\0'; ++letter) {
    switch (*letter) {
      case 'E':
        options->ignores_environment = true;
        break;
      case 's':
        options->no_user_site = true;
        break;
      case 'S':
        options->no_site = true;
        break;
      case 'I':
        options->ignores_environment = options->no_user_site = true;
        break;
      case 'c':
      case 'm':
        return false;
      case 'W':
      case 'X':
        *skips = letter[1] == '\0';
        return true;
      default:
        break;
    }
  }
  return true;
}

}  // namespace

PythonOptions parse_python_options(const char* arguments, std::size_t size) {
  PythonOptions options;
  const char* const end = arguments + size;
  bool skips = true;  // the program's name
  while (arguments < end) {
    const char* word = arguments;
    const void* const zero = std::memchr(word, '\0', static_cast<std::size_t>(end - word));
    if (zero == nullptr) break;  // cut off
    arguments = static_cast<const char*>(zero) + 1;
    if (skips) {
      skips = false;
      continue;
    }
    if (word[0] != '-' || word[1] == '\0' || std::strcmp(word, "--") == 0) break;
    skips = std::strcmp(word, "--check-hash-based-pycs") == 0;
    if (word[1] != '-' && !parse_word(word + 1, &options, &skips)) break;
  }
  return options;
}

}  // namespace anycuda
