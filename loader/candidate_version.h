// Which release a candidate is: exactly, where an authoritative source tells it; else at least.
#pragma once

#include "loader/candidate.h"

namespace anycuda {

// Reads of which toolkit the candidate's file is, once. What is told and the file's own symbols
// must agree; where they do not, the version is not known and the problem says so.
void read_toolkit_version(Search* search, Candidate* candidate);

// The exact version where one is known; else the major, and a minor that it is at least.
Version known_version(const Candidate& candidate);

// "CUDA 12.9, says wheel nvidia-cuda-runtime-cu12 12.9.79", "CUDA 12.8 or later", "CUDA 12".
const char* version_in_words(const Candidate& candidate, Arena* arena);

}  // namespace anycuda
