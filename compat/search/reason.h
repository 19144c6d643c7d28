// SPDX-License-Identifier: Apache-2.0

// Describes why a candidate is not used: the texts of catalogue/outcomes.toml, filled in with the
// facts of a search. Pure functions of a report; texts in `arena`.
#pragma once

#include "compat/search/search_report.h"

namespace anycuda {

struct Subject {
  const Report& report;
  const Candidate* candidate;  // nullptr for a text about no file
  Arena* arena;
};

// `form`: a row (text::row). nullptr without memory; a text without values needs none.
const char* fill(const char* form, const Subject& subject);

const char* reason_of(const Candidate& candidate, const Report& report, Arena* arena);
// The same as a line at `warn`.
void log_passed_over(const Candidate& candidate, const Report& report, Arena* arena);

// Why `passed`, which the rules accept, too, was not taken in place of `chosen`.
const char* reason_of_preference(const Candidate& chosen, const Candidate& passed,
                                 const Report& report, Arena* arena);

// "LIBCUDA does not report which CUDA it supports (cuDriverGetVersion: error 803)"; `status` is
// Driver::status. nullptr without memory.
const char* describe_failed_driver(const char* path, int status, Arena* arena);

// "an" of NVRTC and nvJitLink, whose names begin with spoken letters, else "a".
const char* article_of(const char* product);

// The first invalid setting, because of which nothing is searched; "" if all are valid.
const char* refused_setting(const Report& report, Arena* arena);

}  // namespace anycuda
