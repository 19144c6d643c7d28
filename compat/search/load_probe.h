// SPDX-License-Identifier: Apache-2.0

// Libraries that are open only for a moment, to be examined: other threads see them loaded.
#pragma once

#include "compat/search/machine/machine.h"

namespace anycuda {

// While it lives, this thread may have a library open that it closes again.
class LoadProbe {
 public:
  LoadProbe();
  ~LoadProbe();
  LoadProbe(const LoadProbe&) = delete;
  LoadProbe& operator=(const LoadProbe&) = delete;
};

// If another thread is opening the library, it waits for that.
bool is_loaded(const Machine& machine, const char* path);

// Is it loaded, and not by a probe? It waits for other threads' probes, but for a limited time:
// this thread may be in the middle of one (a library's constructor that calls the stub).
bool stays_loaded(const Machine& machine, const char* path);

}  // namespace anycuda
