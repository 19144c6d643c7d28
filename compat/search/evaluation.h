// From candidates to a choice: the facts that the rules ask for, and no others, are gathered, and
// the rules are asked.
#pragma once

#include "compat/rules/preference.h"
#include "compat/search/state.h"

namespace anycuda {

// What the process has loaded that LTO-IR could come from, or go to: a fact for the preference.
void gather_peers(Search* search);

// Gives each usable candidate of a search tier its verdict.
void evaluate_tier(Search* search, SearchTier tier);

// The best accepted candidate that was not tried yet; nullptr: none is left.
Candidate* best_untried(const Search& search, SearchTier tier);

// Why `a` goes before `b`, of the same search tier; `none`: it does not, or it is a matter of file
// names.
Preference preference_of(const Report& report, const Candidate& a, const Candidate& b);

}  // namespace anycuda
