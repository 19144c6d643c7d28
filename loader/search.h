// One search: class by class, the newest candidate that the policy accepts and that opens.
#pragma once

#include "loader/candidate.h"

namespace anycuda {

// A library that dlopen has given. `path` and `candidate` live in the search's arena.
struct Found {
  void* handle = nullptr;
  Version version;  // the best that is known of it (candidate_version.h)
  const char* path = nullptr;
  const Candidate* candidate = nullptr;
};

// Looks through the classes of places from `first_place` to `last_place`. What the policy needs of
// the driver is asked for when the first candidate depends on it.
Found run_search(Search* search, const void* caller, Place first_place, Place last_place);

}  // namespace anycuda
