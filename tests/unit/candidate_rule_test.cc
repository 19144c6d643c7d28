// The whole decision table of compat/candidate_rule.h.
#include "compat/candidate_rule.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace anycuda {

void PrintTo(Verdict verdict, std::ostream* out) {
  const char* const names[] = {
      "accepted",       "newer_than_known",    "other_major",         "other_loaded",
      "driver_too_old", "driver_branch_short", "driver_major_unknown"};
  *out << names[static_cast<int>(verdict)];
}

namespace {

DriverFacts driver_of(int number, int branch = 0) {
  return {true, version_from_cuda_number(number), branch};
}

// ---- the driver rule alone

struct DriverCase {
  const char* sentence;
  DriverFacts driver;
  Version toolkit;
  Verdict expected;
};
void PrintTo(const DriverCase& c, std::ostream* out) { *out << c.sentence; }

class DriverRule : public testing::TestWithParam<DriverCase> {};

TEST_P(DriverRule, Says) {
  EXPECT_EQ(judge_driver(GetParam().driver, GetParam().toolkit), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Table, DriverRule,
    testing::Values(
        DriverCase{"no driver refuses nothing", {}, {13, 5}, Verdict::accepted},
        DriverCase{
            "a driver of unknown CUDA refuses nothing", {true, {}, 0}, {13, 5}, Verdict::accepted},
        DriverCase{"an unknown toolkit is not refused", driver_of(12020), {}, Verdict::accepted},
        DriverCase{
            "a newer major runs older runtimes", driver_of(13000, 580), {12, 9}, Verdict::accepted},
        DriverCase{"two majors newer as well", driver_of(13000, 580), {11, 8}, Verdict::accepted},
        DriverCase{"an older major runs no newer runtime",
                   driver_of(12020, 535),
                   {13, 0},
                   Verdict::driver_too_old},
        DriverCase{"whatever its branch", driver_of(11080, 999), {12, 0}, Verdict::driver_too_old},
        DriverCase{"the same version runs", driver_of(12020, 535), {12, 2}, Verdict::accepted},
        DriverCase{"an older minor runs", driver_of(12020, 535), {12, 0}, Verdict::accepted},
        DriverCase{
            "an unknown minor is the oldest", driver_of(12020, 1), {12, -1}, Verdict::accepted},
        DriverCase{"a newer minor runs from the minimum branch on",
                   driver_of(12000, 525),
                   {12, 9},
                   Verdict::accepted},
        DriverCase{
            "and not below it", driver_of(12000, 524), {12, 9}, Verdict::driver_branch_short},
        DriverCase{
            "an older minor needs no branch", driver_of(12000, 524), {12, 0}, Verdict::accepted},
        DriverCase{
            "an unknown branch is given the benefit", driver_of(12000), {12, 9}, Verdict::accepted},
        DriverCase{
            "CUDA 11 asks for 450", driver_of(11000, 449), {11, 8}, Verdict::driver_branch_short},
        DriverCase{"CUDA 11 has it at 450", driver_of(11000, 450), {11, 8}, Verdict::accepted},
        DriverCase{
            "CUDA 13 asks for 580", driver_of(13000, 579), {13, 5}, Verdict::driver_branch_short},
        DriverCase{"CUDA 13 has it at 580", driver_of(13000, 580), {13, 5}, Verdict::accepted},
        DriverCase{"of a major without a known minimum no newer minor is trusted",
                   driver_of(14000, 700),
                   {14, 1},
                   Verdict::driver_major_unknown},
        DriverCase{"but its own minor is", driver_of(14010, 700), {14, 1}, Verdict::accepted}));

TEST(MinimumBranch, IsKnownForTheKnownMajorsOnly) {
  EXPECT_EQ(minimum_branch(11), 450);
  EXPECT_EQ(minimum_branch(12), 525);
  EXPECT_EQ(minimum_branch(13), 580);
  EXPECT_EQ(minimum_branch(10), 0);
  EXPECT_EQ(minimum_branch(14), 0);
}

// ---- callers and majors, without a driver

struct CallerCase {
  int caller;
  int candidate;
  bool loaded;
  Verdict adapt;   // ANYCUDA_CROSS_MAJOR=adapt
  Verdict reject;  // ANYCUDA_CROSS_MAJOR=reject
};
void PrintTo(const CallerCase& c, std::ostream* out) {
  *out << "caller of " << c.caller << ", candidate of " << c.candidate
       << (c.loaded ? ", loaded" : "");
}

class CallerRule : public testing::TestWithParam<CallerCase> {};

Question question_of(const CallerCase& c, CrossMajor mode) {
  Question q;
  q.library = {13, true, true};
  q.candidate.version = {c.candidate, -1};
  q.candidate.loaded = c.loaded;
  q.caller_major = c.caller;
  q.cross_major = mode;
  return q;
}

TEST_P(CallerRule, Says) {
  EXPECT_EQ(judge(question_of(GetParam(), CrossMajor::adapt)), GetParam().adapt) << "adapt";
  EXPECT_EQ(judge(question_of(GetParam(), CrossMajor::reject)), GetParam().reject) << "reject";
}

constexpr Verdict yes = Verdict::accepted;
constexpr Verdict other = Verdict::other_major;
constexpr Verdict unknown = Verdict::newer_than_known;

INSTANTIATE_TEST_SUITE_P(
    Table, CallerRule,
    testing::Values(
        // A native caller takes what there is, in either mode.
        CallerCase{kNativeCaller, 11, false, yes, yes},
        CallerCase{kNativeCaller, 12, false, yes, yes},
        CallerCase{kNativeCaller, 13, false, yes, yes},
        CallerCase{kNativeCaller, 14, false, yes, yes},
        CallerCase{kNativeCaller, 14, true, yes, yes},
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
        CallerCase{13, 14, true, unknown, unknown}));

// ---- what is loaded, and the rules' order

Question plain_question() {
  Question q;
  q.library = {13, true, true};
  q.candidate.version = {12, -1};
  q.caller_major = 12;
  return q;
}

TEST(Judge, ASecondOneInTheProcessIsRefusedOfWhateverMajor) {
  Question q = plain_question();
  for (const int loaded : {11, 12, 13}) {
    q.loaded_major = loaded;
    EXPECT_EQ(judge(q), Verdict::other_loaded) << loaded;
  }
  q.loaded_major = 0;
  EXPECT_EQ(judge(q), Verdict::accepted);
}

TEST(Judge, ASecondOneIsNoMatterForALibraryThatBearsIt) {
  Question q = plain_question();
  q.library.one_per_process = false;
  q.loaded_major = 13;
  EXPECT_EQ(judge(q), Verdict::accepted);
}

TEST(Judge, ANativeCallerGetsNoSecondOneEither) {
  Question q = plain_question();
  q.caller_major = kNativeCaller;
  q.loaded_major = 13;
  EXPECT_EQ(judge(q), Verdict::other_loaded);
}

TEST(Judge, TheDriverRuleIsForDriverBoundLibrariesOnly) {
  Question q = plain_question();
  q.candidate.version = {13, -1};
  q.caller_major = 13;
  q.driver = driver_of(12020, 535);
  EXPECT_EQ(judge(q), Verdict::driver_too_old);
  q.library.driver_bound = false;
  EXPECT_EQ(judge(q), Verdict::accepted);
}

TEST(Judge, WhatRunsAlreadyIsNotRefusedForItsDriverOrCompany) {
  Question q = plain_question();
  q.candidate.version = {13, -1};
  q.candidate.loaded = true;
  q.driver = driver_of(12020, 535);
  q.loaded_major = 12;
  EXPECT_EQ(judge(q), Verdict::accepted);
}

// Everything is wrong with this candidate; as each rule is satisfied, the next one speaks.
TEST(Judge, TheFirstRuleThatFailsNamesTheVerdict) {
  Question q = plain_question();
  q.candidate.version = {14, -1};
  q.cross_major = CrossMajor::reject;
  q.loaded_major = 11;
  q.driver = driver_of(12020, 535);
  EXPECT_EQ(judge(q), Verdict::newer_than_known);
  q.library.newest_known_major = 14;
  EXPECT_EQ(judge(q), Verdict::other_major);
  q.cross_major = CrossMajor::adapt;
  EXPECT_EQ(judge(q), Verdict::other_loaded);
  q.loaded_major = 0;
  EXPECT_EQ(judge(q), Verdict::driver_too_old);
  q.driver = driver_of(14000, 1);
  EXPECT_EQ(judge(q), Verdict::accepted);  // the candidate's minor is not known
  q.candidate.version.minor = 1;
  EXPECT_EQ(judge(q), Verdict::driver_major_unknown);
}

TEST(Newer, OrdersByMajorThenMinorAndAnUnknownMinorIsTheOldest) {
  EXPECT_TRUE(newer({13, -1}, {12, 9}));
  EXPECT_FALSE(newer({12, 9}, {13, -1}));
  EXPECT_TRUE(newer({12, 10}, {12, 9}));
  EXPECT_TRUE(newer({12, 0}, {12, -1}));
  EXPECT_FALSE(newer({12, 9}, {12, 9}));
}

}  // namespace
}  // namespace anycuda
