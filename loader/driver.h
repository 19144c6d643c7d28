// The driver as the policy needs to know it.
#pragma once

#include "compat/candidate_rule.h"

namespace anycuda {

struct Driver {
  DriverFacts facts;
  const char* path = "";   // "" where there is none
  void* handle = nullptr;  // of dlopen
};

// Looks the driver library up once per process and asks it for its CUDA version; cuInit is not
// called. Thread-safe without a lock: threads that come together ask together.
const Driver& driver_of_process();

}  // namespace anycuda
