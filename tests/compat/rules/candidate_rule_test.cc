// SPDX-License-Identifier: Apache-2.0

// The decision table of compat/rules/candidate_rule.h: callers, majors, what is loaded.
// mode_rule_test.cc has the driver, metadata and modes.
#include "compat/rules/candidate_rule.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/compat/rules/verdicts.h"
#include "tests/support/case_names.h"

namespace anycuda {

namespace {

// ---- callers and majors, without a driver

struct CallerCase {
  int caller;
  int candidate;
  bool loaded;
  Verdict adapt;   // ANYCUDA_CROSS_MAJOR=adapt
  Verdict reject;  // ANYCUDA_CROSS_MAJOR=reject
};
void PrintTo(const CallerCase& c, std::ostream* out) {
  const std::string caller = std::to_string(c.caller);
  *out << (c.caller == kUnversionedCaller ? "unversioned caller" : "caller of " + caller)
       << ", candidate of " << c.candidate << (c.loaded ? ", loaded" : "");
}

class CallerRule : public testing::TestWithParam<CallerCase> {};

CandidateQuery question_of(const CallerCase& c, CrossMajor mode) {
  CandidateQuery q;
  q.library = {13, true, true};
  q.candidate.version = {c.candidate, -1};
  q.candidate.loaded = c.loaded;
  q.caller_major = c.caller;
  q.cross_major = mode;
  return q;
}

TEST_P(CallerRule, Says) {
  EXPECT_EQ(evaluate(question_of(GetParam(), CrossMajor::adapt)), GetParam().adapt) << "adapt";
  EXPECT_EQ(evaluate(question_of(GetParam(), CrossMajor::reject)), GetParam().reject) << "reject";
}

constexpr Verdict yes = Verdict::accepted;
constexpr Verdict other = Verdict::other_major;
constexpr Verdict unknown = Verdict::newer_than_known;

INSTANTIATE_TEST_SUITE_P(
    Table, CallerRule,
    testing::Values(
        // An unversioned caller accepts every major, in either mode.
        CallerCase{kUnversionedCaller, 11, false, yes, yes},
        CallerCase{kUnversionedCaller, 12, false, yes, yes},
        CallerCase{kUnversionedCaller, 13, false, yes, yes},
        CallerCase{kUnversionedCaller, 14, false, yes, yes},
        CallerCase{kUnversionedCaller, 14, true, yes, yes},
        // A caller of a major is served by each known one, or by its own alone.
        CallerCase{11, 11, false, yes, yes}, CallerCase{11, 12, false, yes, other},
        CallerCase{11, 13, false, yes, other}, CallerCase{12, 11, false, yes, other},
        CallerCase{12, 12, false, yes, yes}, CallerCase{12, 13, false, yes, other},
        CallerCase{13, 11, false, yes, other}, CallerCase{13, 12, false, yes, other},
        CallerCase{13, 13, false, yes, yes},
        // A major that the database does not know serves none of them.
        CallerCase{11, 14, false, unknown, unknown}, CallerCase{12, 14, false, unknown, unknown},
        CallerCase{13, 14, false, unknown, unknown},
        // Being loaded changes neither of these two.
        CallerCase{12, 12, true, yes, yes}, CallerCase{12, 13, true, yes, other},
        CallerCase{13, 14, true, unknown, unknown}),
    test::kPrintedName);

// ---- what is loaded, and the rules' order

CandidateQuery plain_question() {
  CandidateQuery q;
  q.library = {13, true, true};
  q.candidate.version = {12, -1};
  q.caller_major = 12;
  return q;
}

TEST(Evaluate, SecondInTheProcess_IsRefusedForEveryMajor) {
  CandidateQuery q = plain_question();
  for (const int loaded : {11, 12, 13}) {
    q.loaded_major = loaded;
    EXPECT_EQ(evaluate(q), Verdict::other_loaded) << loaded;
  }
  q.loaded_major = 0;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
}

TEST(Evaluate, SecondOfAnUnrestrictedLibrary_IsAccepted) {
  CandidateQuery q = plain_question();
  q.library.one_per_process = false;
  q.loaded_major = 13;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
}

TEST(Evaluate, UnversionedCaller_GetsNoSecond) {
  CandidateQuery q = plain_question();
  q.caller_major = kUnversionedCaller;
  q.loaded_major = 13;
  EXPECT_EQ(evaluate(q), Verdict::other_loaded);
}

TEST(Evaluate, DriverRuleIsOnlyForDriverBoundLibraries) {
  CandidateQuery q = plain_question();
  q.candidate.version = {13, -1};
  q.caller_major = 13;
  q.driver = driver_of(12020, 535);
  EXPECT_EQ(evaluate(q), Verdict::driver_too_old);
  q.library.driver_bound = false;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
}

TEST(Evaluate, Loaded_IsAcceptedForAnyDriverAndPeer) {
  CandidateQuery q = plain_question();
  q.candidate.version = {13, -1};
  q.candidate.loaded = true;
  q.driver = driver_of(12020, 535);
  q.loaded_major = 12;
  EXPECT_EQ(evaluate(q), Verdict::accepted);
}

// This candidate fails every rule; as each rule is satisfied, the next one decides.
TEST(Evaluate, FirstFailingRuleGivesTheVerdict) {
  CandidateQuery q = plain_question();
  q.candidate.version = {14, -1};
  q.cross_major = CrossMajor::reject;
  q.loaded_major = 11;
  q.driver = driver_of(12020, 535);
  EXPECT_EQ(evaluate(q), Verdict::newer_than_known);
  q.library.newest_known_major = 14;
  EXPECT_EQ(evaluate(q), Verdict::other_major);
  q.cross_major = CrossMajor::adapt;
  EXPECT_EQ(evaluate(q), Verdict::other_loaded);
  q.loaded_major = 0;
  EXPECT_EQ(evaluate(q), Verdict::driver_too_old);
  q.driver = driver_of(14000, 1);
  q.candidate.version.minor = 1;
  EXPECT_EQ(evaluate(q), Verdict::accepted) << "a newer minor than the driver's";
}

TEST(Newer, OrderIsMajorMinorUnknownMinorLast) {
  EXPECT_TRUE(newer({13, -1}, {12, 9}));
  EXPECT_FALSE(newer({12, 9}, {13, -1}));
  EXPECT_TRUE(newer({12, 10}, {12, 9}));
  EXPECT_TRUE(newer({12, 0}, {12, -1}));
  EXPECT_FALSE(newer({12, 9}, {12, 9}));
}

}  // namespace
}  // namespace anycuda
