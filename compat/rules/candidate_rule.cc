// SPDX-License-Identifier: Apache-2.0
#include "compat/rules/candidate_rule.h"

#include <algorithm>

namespace anycuda {

namespace {

// The driver's branch never counts: a driver that supports CUDA M is of the branch that M came with
// or of a later one, and that branch is the minimum for all of M (docs/decisions.md).
Verdict ask_driver(const CandidateQuery& q) {
  const DriverVerdict verdict =
      evaluate_driver(q.driver, q.candidate.version, q.forward_compatibility);
  return verdict == DriverVerdict::too_old ? Verdict::driver_too_old : Verdict::accepted;
}

bool driver_counts(const CandidateQuery& q) {
  return q.library.driver_bound && q.mode != Mode::off && !q.candidate.loaded;
}

// The minor does not matter if the major differs from the driver's.
bool minor_counts(const CandidateQuery& q) {
  const int newest = std::max(q.candidate.version.major, q.candidate.newest_major);
  return driver_counts(q) && q.driver.present && q.candidate.version.major <= q.driver.cuda.major &&
         q.driver.cuda.major <= newest;
}

// Outside strict mode a minor is refused only if its major may be newer than the driver's.
bool a_minor_is_refused(const CandidateQuery& q) {
  return q.mode == Mode::strict || q.candidate.newest_major > q.driver.cuda.major;
}

// Refused by a rule that does not depend on the driver or the exact version.
bool refused_for_good(Verdict verdict) {
  return verdict == Verdict::newer_than_known || verdict == Verdict::other_major ||
         verdict == Verdict::other_loaded;
}

bool is_callers_own(const CandidateQuery& q) {
  const int newest = std::max(q.caller_major, q.caller_newest_major);
  const int major = q.candidate.version.major;
  return q.caller_major <= major && major <= newest && !q.candidate.is_later;
}

// Two CUDA runtimes in one process; in strict mode also where it brings none with it.
bool is_of_another_runtime(const CandidateQuery& q) {
  if (q.runtime_major == 0) return false;
  if (q.candidate.needs_runtime != 0) return q.candidate.needs_runtime != q.runtime_major;
  return q.mode == Mode::strict && !q.candidate.may_be_of(q.runtime_major);
}

}  // namespace

Verdict evaluate(const CandidateQuery& q) {
  const int major = q.candidate.version.major;
  const bool unversioned = q.caller_major == kUnversionedCaller;
  if (!unversioned && major > q.library.newest_known_major) return Verdict::newer_than_known;
  if (!unversioned && q.cross_major == CrossMajor::reject && !is_callers_own(q)) {
    return Verdict::other_major;
  }
  // A library that the process has loaded is in use already: refusing it would only add a second
  // one.
  if (q.candidate.loaded) return Verdict::accepted;
  if (q.library.one_per_process && q.loaded_major != 0) return Verdict::other_loaded;
  if (q.group_major != 0 && !q.candidate.may_be_of(q.group_major)) return Verdict::other_group;
  if (is_of_another_runtime(q)) return Verdict::other_runtime;
  if (q.mode == Mode::strict && driver_counts(q) && q.driver.error != 0) {
    return Verdict::driver_failed;
  }
  if (q.mode == Mode::strict && minor_counts(q) && !q.candidate.exact) return Verdict::no_metadata;
  return driver_counts(q) ? ask_driver(q) : Verdict::accepted;
}

bool needs_driver_version(const CandidateQuery& q) {
  return driver_counts(q) && !refused_for_good(evaluate(q));
}

bool needs_exact_version(const CandidateQuery& q) {
  return minor_counts(q) && !q.candidate.exact && a_minor_is_refused(q) &&
         !refused_for_good(evaluate(q));
}

}  // namespace anycuda
