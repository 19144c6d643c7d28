// SPDX-License-Identifier: Apache-2.0

// The driver of this process: found, opened and asked. cuInit is not called. Thread-safe without a
// lock: threads that arrive at the same time all ask.
#pragma once

#include "compat/search/machine/machine.h"
#include "compat/search/search_report.h"

namespace anycuda {

struct DriverLookup {
  Driver driver;                   // its path lives in the arena
  const Report* report = nullptr;  // of the search; nullptr: out of memory
};
// Looks for the driver library and asks it which CUDA it supports, now. Without `keeps` the
// search closes its own handle: the driver stays as long as the process's other handles keep it.
DriverLookup look_up_driver(Arena* arena, bool keeps = true);

// The driver that kDriver describes, asked once per process. A failure is not cached if descriptors
// or memory had run out (base/shortage.h).
const Driver& driver_of_process();

// This process on this computer, with these.
Machine this_machine();

}  // namespace anycuda
