// Where a CUDA library may be, class by class (spec: a user's own choice first, the system last).
#pragma once

#include "loader/candidate.h"
#include "loader/python_places.h"

namespace anycuda {

// Adds the candidates of one class. `caller` is an address in the object that made the call; the
// wheels beside that object belong to its environment.
void gather_place(Search* search, Place place, const void* caller);

// The toolkits that variables name; they need not exist.
void each_variable_root(PathVisitor root, void* argument);
// The toolkits that the system has (usr/local/cuda*, opt/cuda), below ANYCUDA_SYSTEM_ROOT.
void each_system_root(Arena* arena, PathVisitor root, void* argument);

}  // namespace anycuda
