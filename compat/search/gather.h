// SPDX-License-Identifier: Apache-2.0

// Gathers the candidates of a search tier: the files in it that are named like the library.
#pragma once

#include "compat/search/gathered.h"

namespace anycuda {

// Called when an environment's candidates are complete. True ends the gathering.
struct EnvironmentEnd {
  bool (*ends)(void* argument);
  void* argument;
};

// Adds the candidates, with the facts of each file, without loading any. Environment by
// environment, the nearest first. Returns whether `end` returned true.
bool gather_tier(Gathered* gathered, SearchTier tier, EnvironmentEnd end);

// The candidates of the tier `loaded`, and the loaded libraries that are related to the library:
// peers, which give or take LTO-IR, and relatives, whose CUDA must, or should, be the candidate's.
// Separate, since they are facts for the rules of every search tier; gather_tier() adds nothing for
// it.
void gather_loaded(Gathered* gathered);

// The CUDA that the process has: of its runtime, else of the first loaded library whose SONAME
// tells it, else of a file that a variable names. After gather_loaded().
void gather_process(Gathered* gathered);

// Once a library is open as `path`: the relatives that the dynamic linker loaded before it. Another
// thread may have opened one of another CUDA in the meantime; of the two the one that was loaded
// first stays, so that each of two such threads comes to the same end.
void gather_relatives_before(const char* path, Gathered* gathered);

}  // namespace anycuda
