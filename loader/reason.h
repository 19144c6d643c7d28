// Facts into words: why a candidate cannot be taken. Used by the stubs' one message and its steps.
#pragma once

#include "loader/candidate.h"

namespace anycuda {

const char* reason_of(const Candidate& candidate, Search* search);

}  // namespace anycuda
