// Which release a candidate is: exactly, where an authoritative source tells it; else at least.
#pragma once

#include "compat/search/state.h"

namespace anycuda {

// Reads of which toolkit the candidate's file is, once. What is told and the file's own symbols
// must agree; where they do not, the version is not known and the problem says so.
void read_toolkit_version(Search* search, Candidate* candidate);

// The same for all usable candidates, for a report that names them.
void read_toolkit_versions(Search* search);

}  // namespace anycuda
