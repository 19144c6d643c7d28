// SPDX-License-Identifier: Apache-2.0

// Decisions about a library whose SONAME several majors of CUDA have (libcusparse.so.12 is of 12
// and 13), and about one that is tied to what the process has loaded.
#include <gtest/gtest.h>

#include "compat/rules/preference.h"
#include "tests/compat/rules/verdicts.h"

namespace anycuda {
namespace {

// Of CUDA 12 or 13, unknown which, on a driver of CUDA 12.
CandidateQuery shared() {
  CandidateQuery q;
  q.library = {13, true, false};
  q.candidate.version = {12, -1};
  q.candidate.newest_major = 13;
  q.caller_major = 12;
  q.caller_newest_major = 13;
  q.driver = driver_of(12020);
  return q;
}

TEST(SharedSoname, OfAnyMajor_IsTheCallers) {
  CandidateQuery q = shared();
  q.driver = {};
  q.cross_major = CrossMajor::reject;
  for (const int major : {12, 13}) {
    q.candidate.version = {major, 0};
    q.candidate.newest_major = major;
    EXPECT_EQ(evaluate(q), Verdict::accepted) << major;
  }
  q.candidate.version = {11, 8};
  q.candidate.newest_major = 11;
  EXPECT_EQ(evaluate(q), Verdict::other_major);
}

// cuDNN 9 for a program of cuDNN 8: of the same CUDA, and not what the program was built for.
TEST(SharedSoname, LaterMajor_IsRefusedWithRejectOnly) {
  CandidateQuery q = shared();
  q.driver = {};
  q.candidate.is_later = true;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
  q.cross_major = CrossMajor::reject;
  EXPECT_EQ(evaluate(q), Verdict::other_major);
  q.candidate.is_later = false;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
}

TEST(SharedSoname, DriverOfOneOfItsMajors_NeedsTheVersion) {
  CandidateQuery q = shared();
  EXPECT_TRUE(needs_exact_version(q));
  q.driver = driver_of(13000, 580);
  EXPECT_FALSE(needs_exact_version(q)) << "the driver runs both";
  q.driver = driver_of(11080);
  EXPECT_FALSE(needs_exact_version(q)) << "too new, whichever it is";
  EXPECT_EQ(evaluate(q), Verdict::driver_too_old);
}

TEST(SharedSoname, UnknownMajor_IsRefusedInStrictModeOnly) {
  CandidateQuery q = shared();
  EXPECT_EQ(evaluate(q), Verdict::accepted);
  q.mode = Mode::strict;
  EXPECT_EQ(evaluate(q), Verdict::no_metadata);
}

TEST(SharedSoname, KnownMajor_IsHeldAgainstTheDriver) {
  CandidateQuery q = shared();
  q.candidate.version = {13, -1};
  q.candidate.newest_major = 13;
  EXPECT_EQ(evaluate(q), Verdict::driver_too_old);
}

TEST(Group, MemberOfAnotherMajor_IsRefusedInEveryMode) {
  CandidateQuery q;
  q.library = {13, true, false};
  q.candidate.version = {13, -1};
  q.group_major = 12;
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    q.mode = mode;
    EXPECT_EQ(evaluate(q), Verdict::other_group);
  }
  q.candidate.version = {12, 4};
  EXPECT_EQ(evaluate(q), Verdict::accepted);
}

TEST(Group, MemberThatMayBeOfItsMajor_IsAccepted) {
  CandidateQuery q = shared();
  q.driver = {};
  for (const int major : {12, 13}) {
    q.group_major = major;
    EXPECT_EQ(evaluate(q), Verdict::accepted) << major;
  }
  q.group_major = 11;
  EXPECT_EQ(evaluate(q), Verdict::other_group);
}

TEST(Group, MemberThatIsLoaded_IsAdopted) {
  CandidateQuery q;
  q.candidate.version = {13, -1};
  q.candidate.loaded = true;
  q.group_major = 12;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
}

TEST(Runtime, LibraryThatNeedsAnother_IsRefused) {
  CandidateQuery q;
  q.candidate.version = {13, -1};
  q.candidate.needs_runtime = 13;
  EXPECT_EQ(evaluate(q), Verdict::accepted) << "none is loaded";
  q.runtime_major = 13;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
  q.runtime_major = 12;
  EXPECT_EQ(evaluate(q), Verdict::other_runtime);
}

TEST(Runtime, LibraryWithoutRuntime_StrictModeRefusesAnotherMajor) {
  CandidateQuery q;
  q.candidate.version = {13, -1};
  q.runtime_major = 12;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
  q.mode = Mode::strict;
  EXPECT_EQ(evaluate(q), Verdict::other_runtime);
}

TEST(Runtime, ItsMajorComesBeforeTheNewest) {
  PreferenceContext context;
  const LibraryRules library{13, true, false};
  const auto goes_first = [&](Version a, Version b) {
    return preference(rank_of(library, a, context), rank_of(library, b, context));
  };
  EXPECT_EQ(goes_first({13, 5}, {12, 9}), Preference::newest);
  context.process_major = 12;
  EXPECT_EQ(goes_first({13, 5}, {12, 9}), Preference::none);
  EXPECT_EQ(goes_first({12, 4}, {13, 5}), Preference::process_major);
  EXPECT_EQ(goes_first({12, 9}, {12, 4}), Preference::newest);
}

}  // namespace
}  // namespace anycuda
