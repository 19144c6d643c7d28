// Where a CUDA library may be, class by class (spec: a user's own choice first, the system last).
#pragma once

#include "loader/candidate.h"

namespace anycuda {

// Adds the candidates of one class. `caller` is an address in the object that made the call; the
// wheels beside that object belong to its environment.
void gather_place(Search* search, Place place, const void* caller);

}  // namespace anycuda
