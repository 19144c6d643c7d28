// SPDX-License-Identifier: Apache-2.0

// The user's remedies for a failure: pure functions of its facts.
#pragma once

#include "compat/search/search_report.h"

namespace anycuda {

// After a search that found nothing usable. Text in `arena`.
const char* hint_for(const Report& report, Arena* arena);

// For an open library whose function is missing, or must not be called by this caller.
enum class FunctionHint { own_major, newer_library };
FunctionHint function_hint(const LibraryDescriptor& library, int caller_major, int library_major);

}  // namespace anycuda
