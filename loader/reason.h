// Facts into words: why a candidate cannot be taken. Used by the stubs' one message and its steps.
#pragma once

#include "loader/candidate.h"

namespace anycuda {

const char* reason_of(const Candidate& candidate, Search* search);

// Why `passed`, which may serve too and is newer, was not taken in place of `chosen`.
const char* reason_of_preference(const Candidate& chosen, const Candidate& passed, Search* search);

}  // namespace anycuda
