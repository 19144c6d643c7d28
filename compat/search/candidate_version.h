// SPDX-License-Identifier: Apache-2.0

// The release of a candidate: exact if an authoritative source states it; else a lower bound.
#pragma once

#include "compat/search/search_state.h"

namespace anycuda {

// Reads the toolkit of the candidate's file, once. The recorded version and the file's own symbols
// must agree; otherwise the version is unknown, and the problem says so.
void read_toolkit_version(Search* search, Candidate* candidate);

// Of an image whose SONAME is of several majors: those that the record leaves.
void narrow(const ToolkitVersion& recorded, ImageFacts* image);

// The same for all usable candidates, for a report that names them.
void read_toolkit_versions(Search* search);

}  // namespace anycuda
