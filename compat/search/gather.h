// SPDX-License-Identifier: Apache-2.0

// Gathers the candidates of a search tier: the files in it that are named like the library.
#pragma once

#include "compat/search/search_state.h"

namespace anycuda {

// Called when an environment's candidates are complete (Search::environment is its number). True
// ends the gathering.
using EnvironmentEnd = bool (*)(Search* search);

// Adds them to the search, with the facts of each file, without loading any. Environment by
// environment, the nearest first. Returns whether `ends` returned true; nullptr: gather all.
bool gather_tier(Search* search, SearchTier tier, EnvironmentEnd ends = nullptr);

// The candidates of the tier `loaded`, and the loaded libraries that are related to the library.
// Separate, since they are facts for the rules of every search tier; gather_tier() adds nothing for
// it.
void gather_loaded(Search* search);

}  // namespace anycuda
