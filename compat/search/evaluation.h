// SPDX-License-Identifier: Apache-2.0

// Evaluates candidates: gathers the facts that the rules need, and no others.
#pragma once

#include "compat/rules/preference.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/search_state.h"

namespace anycuda {

// Notes what a loaded library is beside a candidate: the peer that gives or takes LTO-IR, a fact
// for the preference; a relative, whose CUDA must, or should, be the candidate's.
void note_relation(Search* search, const LoadedCopy& copy);

// Reads the versions of those libraries that their names do not tell.
void know_relations(Search* search);

// Gives each usable candidate of the search's present environment its verdict.
void evaluate_environment(Search* search);

// Evaluates a candidate again once it is open as `path`: another thread may have opened a relative
// of another CUDA in the meantime. Of the two the one that the dynamic linker loaded first stays,
// so that each of two such threads comes to the same end.
void evaluate_opened(Search* search, Candidate* candidate, const char* path);

// Evaluates a candidate again, with the version that the opened library reports.
Verdict evaluate_reported(Search* search, Candidate* candidate, Version reported);

// The accepted candidates of that environment as a list by Candidate::next_by_rank, the best
// first; nullptr if none.
Candidate* accepted_by_rank(Search* search);

// Why `a` goes before `b`, of the same environment; `none`: it does not, or it is a matter of file
// names.
Preference preference_of(const Report& report, const Candidate& a, const Candidate& b);

}  // namespace anycuda
