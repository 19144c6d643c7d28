// SPDX-License-Identifier: Apache-2.0

// What a shortage (compat/base/shortage.h) is called, and what helps.
#pragma once

namespace anycuda {

struct ShortageText {
  const char* cause;   // "file descriptors have run out (EMFILE)"
  const char* remedy;  // "raise ulimit -n or close files"
};
ShortageText describe_shortage(int error);

}  // namespace anycuda
