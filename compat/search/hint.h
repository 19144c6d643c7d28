// What a person can do about a failure: pure functions of what is known of it.
#pragma once

#include "compat/search/report.h"

namespace anycuda {

// After a search that found nothing usable. Text in `arena`.
const char* hint_for(const Report& report, Arena* arena);

// Where the library is open and its function is missing, or must not be called, for this caller.
enum class FunctionHint { own_major, newer_library };
FunctionHint function_hint(const LibraryDescriptor& library, int caller_major, int library_major);

}  // namespace anycuda
