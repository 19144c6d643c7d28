// SPDX-License-Identifier: Apache-2.0

// A driver that has texture and surface references, and a runtime that has kernels, for the tests
// of references: they record their calls, one line each.
#pragma once

#include <string>
#include <vector>

#include "stubs/cudart/adapters/references_registry.h"
#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda::test {

using Lines = std::vector<std::string>;

// What they say; tests change it.
struct ReferencesDriver {
  Status ready = 0;                   // of the runtime
  Status kernel = 0;                  // of looking a kernel up
  Status reference = 0;               // of looking a reference up in its module
  Status told = 0;                    // of every call that sets a reference
  Status memory = 0;                  // of asking for an allocation
  unsigned long long base = 0x10000;  // which begins there
  std::size_t range = 4096;
  unsigned format = 32;  // of arrays: floats
  unsigned channels = 1;
  Status array = 0;
  unsigned long long context = 0xc0;  // the current one; 0: none
  int texture_alignment = 512;
  int pitch_alignment = 32;
  Lines lines;
  int launches = 0;
};
extern ReferencesDriver references_driver;

// Everything as above, and nothing missing.
void reset_references_driver();
// What was written down, which is then forgotten.
Lines told();

// Where launches were led: by name.
void* launch_led(const std::string& name);

}  // namespace anycuda::test
