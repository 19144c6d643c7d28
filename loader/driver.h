// The driver as the policy needs to know it: asked once per process, and no more than is needed.
// cuInit is not called. Thread-safe without a lock: threads that come together ask together.
#pragma once

#include "compat/candidate_rule.h"
#include "loader/candidate.h"

namespace anycuda {

struct Driver {
  DriverFacts facts;       // without the branch
  const char* path = "";   // "" where there is none
  void* handle = nullptr;  // of dlopen
  int status = 0;          // of cuDriverGetVersion, or one of these
  static constexpr int kNoFile = -1;
  static constexpr int kNoFunction = -2;
};

// Looks for the driver library and asks it which CUDA it supports, now. `search` is of the driver's
// descriptor and has every candidate afterwards; the path lives in it.
Driver look_up_driver(Search* search);

// The same once per process. `library`: the driver's descriptor, in whose place nobody has another.
const Driver& driver_of_process(const LibraryDescriptor& library = kDriver);

// Its branch, or why nobody could say it; asked at the first call.
struct Branch {
  int number = 0;
  const char* cause = "";
};
const Branch& branch_of_process(const Driver& driver);

}  // namespace anycuda
