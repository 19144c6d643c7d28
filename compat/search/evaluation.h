// SPDX-License-Identifier: Apache-2.0

// Evaluates candidates by the rules: the gathered facts, which stay as they are, give verdicts and
// an order.
#pragma once

#include "compat/rules/preference.h"
#include "compat/search/search_report.h"

namespace anycuda {

Verdict evaluate(const Report& report, const Candidate& candidate);

// Might the driver's CUDA version, then the candidate's exact version, change its verdict or its
// rank?
bool needs_driver_version(const Report& report, const Candidate& candidate);
bool needs_exact_version(const Report& report, const Candidate& candidate);
// Might the machine's GPUs change the order of an environment's accepted candidates?
bool needs_gpus(const Report& report, Candidate* environment);

// The best of an environment's accepted candidates, nullptr: none is. Where nothing else
// distinguishes two files, their names are looked at.
Candidate* best_accepted(const Report& report, Candidate* environment, Arena* arena);

// May it be of the CUDA that the process has, if the process has one?
bool is_of_process(const Report& report, const Candidate& candidate);

// Why `a` goes before `b`, of the same environment; `none`: it does not, or it is a matter of file
// names.
Preference preference_of(const Report& report, const Candidate& a, const Candidate& b);

}  // namespace anycuda
