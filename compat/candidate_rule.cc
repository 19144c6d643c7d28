#include "compat/candidate_rule.h"

namespace anycuda {

int minimum_branch(int cuda_major) {
  switch (cuda_major) {
    case 11:
      return 450;
    case 12:
      return 525;
    case 13:
      return 580;
    default:
      return 0;
  }
}

Verdict judge_driver(const DriverFacts& driver, Version toolkit) {
  if (!driver.present || !driver.cuda.known() || !toolkit.known()) return Verdict::accepted;
  if (driver.cuda.major > toolkit.major) return Verdict::accepted;
  if (driver.cuda.major < toolkit.major) return Verdict::driver_too_old;
  if (toolkit.minor <= driver.cuda.minor) return Verdict::accepted;
  // The same major with a newer minor: minor-version compatibility, from a branch on.
  const int minimum = minimum_branch(toolkit.major);
  if (minimum == 0) return Verdict::driver_major_unknown;
  if (driver.branch != 0 && driver.branch < minimum) return Verdict::driver_branch_short;
  return Verdict::accepted;
}

Verdict judge(const Question& q) {
  const int major = q.candidate.version.major;
  const bool native = q.caller_major == kNativeCaller;
  if (!native && major > q.library.newest_known_major) return Verdict::newer_than_known;
  if (!native && q.cross_major == CrossMajor::reject && major != q.caller_major) {
    return Verdict::other_major;
  }
  // What the process has loaded already runs already: refusing it would only bring a second one.
  if (q.candidate.loaded) return Verdict::accepted;
  if (q.library.one_per_process && q.loaded_major != 0) return Verdict::other_loaded;
  return q.library.driver_bound ? judge_driver(q.driver, q.candidate.version) : Verdict::accepted;
}

bool newer(Version a, Version b) {
  return a.major != b.major ? a.major > b.major : a.minor > b.minor;
}

}  // namespace anycuda
