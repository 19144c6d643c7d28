// From candidates to a choice: what the rules (compat/) need to know is gathered, no more than
// they ask for, and they are asked.
#pragma once

#include "compat/preference.h"
#include "loader/candidate.h"

namespace anycuda {

// What the process has loaded that LTO-IR could come from, or go to: a fact for the preference.
void gather_partners(Search* search);

// Gives each usable candidate of a place its verdict.
void judge_place(Search* search, Place place);

// Of those that are accepted and were not tried, the one to try next; nullptr: there is none.
Candidate* best_untried(const Search& search, Place place);

// Why `a` goes before `b`, of the same place; `none`: it does not, or it is a matter of file names.
Preference preference_of(const Search& search, const Candidate& a, const Candidate& b);

}  // namespace anycuda
