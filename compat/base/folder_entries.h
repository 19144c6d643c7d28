// Folders and the names in them.
#pragma once

namespace anycuda {

bool is_folder(const char* path);

// Calls visit(entry name) for the entries of `folder` that start with `prefix`.
void each_entry(const char* folder, const char* prefix, void (*visit)(const char*, void*),
                void* argument);

}  // namespace anycuda
