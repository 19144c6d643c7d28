// SPDX-License-Identifier: Apache-2.0

// A failed search in at most five lines: what failed, what was looked for, why it is not usable,
// what to do. `anycuda doctor` shows the rest.
#pragma once

#include "compat/search/search_report.h"
#include "loader/message.h"

namespace anycuda {

struct FailedCall {
  const char* function;
  int caller_major;
  bool is_question;
};

// True if the search shows that the machine has no file of the library: the user did not name a
// file, every setting is valid, and all files found are anycuda stubs or deleted files that are
// still in ld.so.cache.
bool found_no_file(const Report& report);

// The folders that the search looked into.
int folder_count(const Report& report);

// "libcudart.so.13, libcudart.so.12, libcudart.so.11.0".
void add_sonames(Message* message, const LibraryDescriptor& library);

void add_short_report(Message* message, const Report& report, const char* function, Arena* arena);

}  // namespace anycuda
