// The folders and files of each search tier.
#pragma once

#include "compat/search/python_folders.h"
#include "compat/search/state.h"

namespace anycuda {

// Adds the candidates of one tier.
void gather_tier(Search* search, SearchTier tier);

// The toolkits that variables name; they need not exist.
void each_variable_root(PathVisitor root, void* argument);
// The toolkits that the system has (usr/local/cuda*, opt/cuda), below ANYCUDA_SYSTEM_ROOT.
void each_system_root(Arena* arena, PathVisitor root, void* argument);

}  // namespace anycuda
