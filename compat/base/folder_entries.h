// SPDX-License-Identifier: Apache-2.0

// Folders and the names in them.
#pragma once

namespace anycuda {

class Arena;

// nullptr: unknown.
const char* current_folder(Arena* arena);

// realpath(3), nullptr: unknown.
[[gnu::visibility("hidden")]] const char* real_path(const char* path, Arena* arena);

bool is_folder(const char* path);

// Is there a file, a folder or a link of that name, wherever the link leads?
bool is_entry(const char* path);

// May every user create files in it, as in /tmp? Also true for a folder that cannot be examined:
// its contents cannot be trusted.
bool is_world_writable(const char* folder);

// Calls visit(entry name) for the entries of `folder` that start with `prefix`. False: it cannot be
// read.
bool each_entry(const char* folder, const char* prefix, Arena* arena,
                void (*visit)(const char*, void*), void* argument);

}  // namespace anycuda
