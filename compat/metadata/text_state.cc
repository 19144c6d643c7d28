// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/text_state.h"

#include <cerrno>

namespace anycuda {

const char* describe_state(TextState state, int error) {
  switch (state) {
    case TextState::read:
      return "is there";
    case TextState::missing:
      return "is not there";
    case TextState::unreadable:
      return error == EACCES ? "cannot be read (permission denied)" : "cannot be read";
    case TextState::not_a_file:
      return "is not a regular file";
    case TextState::too_large:
      return "is too large and was not read";
    case TextState::no_memory:
      return "cannot be read (out of memory)";
  }
  return "";
}

}  // namespace anycuda
