// The names in a folder.
#pragma once

namespace anycuda {

// Calls visit(entry name) for the entries of `folder` that start with `prefix`.
void each_entry(const char* folder, const char* prefix, void (*visit)(const char*, void*),
                void* argument);

}  // namespace anycuda
