// Libraries that are open for a moment only, to be looked at: other threads see them loaded.
#pragma once

#include "compat/search/machine/machine.h"

namespace anycuda {

// While it lives, this thread may have a library open that it closes again.
class Probe {
 public:
  Probe();
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
};

// Waits for a thread that is just opening it.
bool is_loaded(const Machine& machine, const char* path);

// Is it loaded, and not by a probe? Other threads' probes are waited for, but not for ever: this
// thread may be in the middle of one (a library's constructor that calls the stub).
bool stays_loaded(const Machine& machine, const char* path);

}  // namespace anycuda
