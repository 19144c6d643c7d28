// SPDX-License-Identifier: Apache-2.0
#include "compat/search/hint.h"

#include "compat/base/text.h"
#include "compat/outcome_texts.h"
#include "compat/search/reason.h"

namespace anycuda {
namespace {

// The first file of that outcome in a tier that the search came to.
const Candidate* find(const Report& report, FileState state, Verdict verdict = Verdict::accepted) {
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    const bool same = state != FileState::usable || c->verdict == verdict;
    if (report.reached(*c) && c->image.state == state && same) return c;
  }
  return nullptr;
}

// The file that ended the search, since it could not be closed, or that the process had before;
// nullptr: none did.
const Candidate* file_that_stays(const Report& report) {
  const Candidate* c = report.candidates();
  while (c != nullptr && !c->stays_open && !report.is_in_the_way(*c)) c = c->next;
  return c;
}

// The hint of the first outcome that has one; nullptr: none has.
const char* form_of_outcomes(const Report& report, const Candidate** candidate) {
  for (int i = 0; i < kVerdictCount + kStateCount; ++i) {
    const bool is_verdict = i < kVerdictCount;
    const auto verdict = is_verdict ? static_cast<Verdict>(i) : Verdict::accepted;
    const auto state = is_verdict ? FileState::usable : static_cast<FileState>(i - kVerdictCount);
    const char* const form =
        is_verdict ? text::row(kVerdictHints, verdict) : text::row(kStateHints, state);
    *candidate = *form != '\0' ? find(report, state, verdict) : nullptr;
    if (*candidate != nullptr) return form;
  }
  return nullptr;
}

}  // namespace

const char* hint_for(const Report& report, Arena* arena) {
  const Candidate* candidate = nullptr;
  const char* form = nullptr;
  const auto take = [&](Hint hint) { form = text::row(kHintHints, hint); };
  if (report.request.policy.wrong_count != 0) {
    take(Hint::setting);
  } else if (report.variable_names_a_file()) {
    const bool is_second = find(report, FileState::usable, Verdict::other_loaded) != nullptr;
    take(is_second ? Hint::second_file : Hint::named_file);
  } else if ((candidate = file_that_stays(report)) != nullptr) {
    take(Hint::stays_open);
  } else if ((form = form_of_outcomes(report, &candidate)) == nullptr) {
    take(Hint::nothing);
  }
  const char* const text = fill(form, {report, candidate, arena});
  return text != nullptr ? text : report.library().install_hint;
}

}  // namespace anycuda
