// Evaluates candidates: gathers the facts that the rules need, and no others.
#pragma once

#include "compat/rules/preference.h"
#include "compat/search/state.h"

namespace anycuda {

// What the process has loaded that LTO-IR could come from, or go to: a fact for the preference.
void gather_peers(Search* search);

// What the process has loaded of the libraries whose CUDA must, or should, be the candidate's.
void gather_relatives(Search* search);

// Gives each usable candidate of the search's present environment its verdict.
void evaluate_environment(Search* search);

// Evaluates a candidate again, with the version that the opened library reports.
Verdict evaluate_reported(Search* search, Candidate* candidate, Version reported);

// The accepted candidates of that environment as a list by Candidate::next_by_rank, the best
// first; nullptr if none.
Candidate* accepted_by_rank(const Search& search);

// Why `a` goes before `b`, of the same environment; `none`: it does not, or it is a matter of file
// names.
Preference preference_of(const Report& report, const Candidate& a, const Candidate& b);

}  // namespace anycuda
