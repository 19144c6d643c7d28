// SPDX-License-Identifier: Apache-2.0

// Small readers for facts about the machine. A path may lead to anything: none of them blocks on a
// pipe, follows a file without an end or allocates.
#pragma once

#include <cstddef>

namespace anycuda::doctor {

// Reads the beginning of a regular file as a text into `buffer`, which it always terminates. It
// reads to the file's end, as compat/base/text_file.h does not: files in /proc and /sys have no
// size. Returns 0, or the errno of what failed; EINVAL for what is not a regular file.
int read_text(const char* path, char* buffer, std::size_t size);

// May the folder be entered and listed? 0, or the errno.
int enter_folder(const char* path);

// Writes into `blocker` (PATH_MAX bytes) the first folder on the way to `path`, or `path` itself,
// that this process may not enter; "" if none is.
void find_blocker(const char* path, char* blocker);

// Writes into `target` (PATH_MAX bytes) the file that a dangling link leads to and that does not
// exist; "" for a path that is not a dangling link.
void find_missing_target(const char* path, char* target);

}  // namespace anycuda::doctor
