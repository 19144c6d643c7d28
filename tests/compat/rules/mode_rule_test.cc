// SPDX-License-Identifier: Apache-2.0

// The decision table of compat/rules/candidate_rule.h: mode x metadata x driver, and which facts it
// needs.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "compat/rules/candidate_rule.h"
#include "tests/compat/rules/verdicts.h"
#include "tests/support/case_names.h"

namespace anycuda {
namespace {

struct ModeCase {
  const char* candidate;
  Version version;
  bool exact;
  int driver;  // as cuDriverGetVersion reports it; 0: no driver
  int branch;
  Verdict strict;
  Verdict best_effort;
  Verdict declared;  // best_effort, with forward compatibility declared
};
void PrintTo(const ModeCase& c, std::ostream* out) {
  *out << c.candidate << " on ";
  if (c.driver == 0) {
    *out << "no driver";
  } else {
    *out << "a driver of CUDA " << c.driver / 1000 << '.' << c.driver % 1000 / 10
         << (c.branch == 0 ? ", unknown branch" : ", branch " + std::to_string(c.branch));
  }
}

class ModeRule : public testing::TestWithParam<ModeCase> {};

CandidateQuery question_of(const ModeCase& c, Mode mode) {
  CandidateQuery q;
  q.library = {13, true, true};
  q.candidate.version = c.version;
  q.candidate.exact = c.exact;
  q.mode = mode;
  if (c.driver != 0) q.driver = driver_of(c.driver, c.branch);
  return q;
}

TEST_P(ModeRule, Says) {
  const ModeCase& c = GetParam();
  EXPECT_EQ(evaluate(question_of(c, Mode::strict)), c.strict) << "strict";
  EXPECT_EQ(evaluate(question_of(c, Mode::best_effort)), c.best_effort) << "best_effort";
  EXPECT_EQ(evaluate(question_of(c, Mode::off)), Verdict::accepted) << "off";
  CandidateQuery declared = question_of(c, Mode::best_effort);
  declared.forward_compatibility = true;
  EXPECT_EQ(evaluate(declared), c.declared) << "forward compatibility";
}

// A loaded library is accepted, and a library that is not bound to a driver needs no facts.
TEST_P(ModeRule, LoadedOrUnboundLibrary_IsAccepted) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    CandidateQuery loaded = question_of(GetParam(), mode);
    loaded.candidate.loaded = true;
    EXPECT_EQ(evaluate(loaded), Verdict::accepted);
    EXPECT_FALSE(needs_driver_version(loaded) || needs_exact_version(loaded));
    CandidateQuery unbound = question_of(GetParam(), mode);
    unbound.library.driver_bound = false;
    EXPECT_EQ(evaluate(unbound), Verdict::accepted);
    EXPECT_FALSE(needs_driver_version(unbound) || needs_exact_version(unbound));
  }
}

// A fact that the rule does not need must not matter: when it is given, nothing changes.
TEST_P(ModeRule, DependsOnlyOnRequestedFacts) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    const CandidateQuery q = question_of(GetParam(), mode);
    CandidateQuery branch = q;
    branch.driver.branch = 1;
    EXPECT_EQ(evaluate(branch), evaluate(q)) << "the branch, in mode " << name_of(mode);
    if (!needs_exact_version(q)) {
      CandidateQuery more = q;
      more.candidate.exact = true;
      EXPECT_EQ(evaluate(more), evaluate(q)) << "that it is exact, in mode " << name_of(mode);
    }
  }
}

constexpr Verdict yes = Verdict::accepted;
constexpr Verdict too_old = Verdict::driver_too_old;
constexpr Verdict no_metadata = Verdict::no_metadata;

INSTANTIATE_TEST_SUITE_P(
    Table, ModeRule,
    testing::Values(
        // Without a driver there is nothing to refuse.
        ModeCase{"13.5", {13, 5}, true, 0, 0, yes, yes, yes},
        ModeCase{"some 13", {13, -1}, false, 0, 0, yes, yes, yes},
        // Of an older major any minor is served.
        ModeCase{"11.8", {11, 8}, true, 12020, 0, yes, yes, yes},
        ModeCase{"some 11", {11, -1}, false, 12020, 0, yes, yes, yes},
        // Of the driver's own: up to its minor, and above it.
        ModeCase{"12.1", {12, 1}, true, 12020, 0, yes, yes, yes},
        ModeCase{"12.2", {12, 2}, true, 12020, 0, yes, yes, yes},
        ModeCase{"12.3", {12, 3}, true, 12020, 535, yes, yes, yes},
        ModeCase{"12.9", {12, 9}, true, 12020, 525, yes, yes, yes},
        ModeCase{"12.9", {12, 9}, true, 12020, 524, yes, yes, yes},
        ModeCase{"12.9", {12, 9}, true, 12020, 0, yes, yes, yes},
        ModeCase{"11.8", {11, 8}, true, 11000, 450, yes, yes, yes},
        ModeCase{"13.5", {13, 5}, true, 13000, 580, yes, yes, yes},
        ModeCase{"14.1", {14, 1}, true, 14000, 999, yes, yes, yes},
        // The minor is unknown: strict refuses it, best_effort assumes the lowest.
        ModeCase{"some 12", {12, -1}, false, 12020, 0, no_metadata, yes, yes},
        ModeCase{"some 12", {12, -1}, false, 12020, 1, no_metadata, yes, yes},
        ModeCase{"at least 12.1", {12, 1}, false, 12020, 535, no_metadata, yes, yes},
        ModeCase{"at least 12.9", {12, 9}, false, 12020, 535, no_metadata, yes, yes},
        ModeCase{"at least 12.9", {12, 9}, false, 12020, 0, no_metadata, yes, yes},
        ModeCase{"at least 12.9", {12, 9}, false, 12020, 1, no_metadata, yes, yes},
        // Of a newer major none, whatever its minor, unless that is declared.
        ModeCase{"13.5", {13, 5}, true, 12020, 535, too_old, too_old, yes},
        ModeCase{"some 13", {13, -1}, false, 12020, 535, too_old, too_old, yes},
        ModeCase{"12.9", {12, 9}, true, 11080, 520, too_old, too_old, yes}),
    test::kPrintedName);

CandidateQuery plain_question() {
  CandidateQuery q;
  q.library = {13, true, true};
  q.candidate.version = {12, -1};
  q.caller_major = 12;
  return q;
}

TEST(Mode, OffKeepsTheRulesThatProtectMemory) {
  CandidateQuery q = plain_question();
  q.mode = Mode::off;
  q.candidate.version = {14, -1};
  EXPECT_EQ(evaluate(q), Verdict::newer_than_known);
  q.candidate.version = {13, -1};
  q.cross_major = CrossMajor::reject;
  EXPECT_EQ(evaluate(q), Verdict::other_major);
  q.cross_major = CrossMajor::adapt;
  q.loaded_major = 13;
  EXPECT_EQ(evaluate(q), Verdict::other_loaded);
}

// ---- the facts that the rules need

TEST(Needs, NoFactsForARefusedCandidate) {
  for (const Mode mode : {Mode::strict, Mode::best_effort}) {
    CandidateQuery q = plain_question();
    q.mode = mode;
    q.candidate.version = {12, 9};
    q.driver = driver_of(12020);
    EXPECT_TRUE(needs_driver_version(q));
    EXPECT_EQ(needs_exact_version(q), mode == Mode::strict) << "else no minor is refused";
    q.loaded_major = 11;
    EXPECT_FALSE(needs_driver_version(q) || needs_exact_version(q));
    q.loaded_major = 0;
    q.caller_major = 11;
    q.cross_major = CrossMajor::reject;
    EXPECT_FALSE(needs_driver_version(q) || needs_exact_version(q));
    q.cross_major = CrossMajor::adapt;
    q.library.newest_known_major = 11;
    EXPECT_FALSE(needs_driver_version(q) || needs_exact_version(q));
  }
}

}  // namespace
}  // namespace anycuda
