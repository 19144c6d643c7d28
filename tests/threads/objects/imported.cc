// SPDX-License-Identifier: Apache-2.0

// An object that a program opens: its constructor and destructor are the program's.
#include "../programs/hooks.h"

namespace {
__attribute__((constructor)) void constructor() {
  if (in_import != nullptr) in_import();
}
__attribute__((destructor)) void destructor() {
  if (in_removal != nullptr) in_removal();
}
}  // namespace
