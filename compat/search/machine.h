// What a search asks of the world and does not look for itself. Whoever starts a search passes one
// in.
#pragma once

#include "anycuda/compat/driver.h"

namespace anycuda {

struct Driver {
  DriverFacts facts;       // without the branch
  const char* path = "";   // "" without a driver
  void* handle = nullptr;  // of dlopen
  int status = 0;          // of cuDriverGetVersion, or one of these
  static constexpr int kNoFile = -1;
  static constexpr int kNoFunction = -2;
};

// The driver's branch, or why it is unknown.
struct Branch {
  int number = 0;
  const char* cause = "";
};

// The driver's facts, asked for when the first candidate depends on them; nullptr: no driver rule
// applies. Both functions are thread-safe and give the same answer at every call; what they return
// lives for ever.
struct Machine {
  const Driver& (*driver)() = nullptr;
  const Branch& (*branch)() = nullptr;
};

}  // namespace anycuda
