// What a message tells its reader to do.
#include "compat/search/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Seen {
  SearchTier tier;
  Verdict verdict;
};

std::string advice(std::initializer_list<Seen> candidates, const char* wrong_variable = nullptr,
                   Output output = Output::none, const char* mode_variable = kModeVariable) {
  LibraryDescriptor library = kLibrary;
  library.rules.output = output;
  unit::TestSearch search(library, nullptr, unit::kNoDriver);
  search.request.caller_major = 12;
  search.driver = {true, {12, 2}, 0};
  search.request.policy.mode_variable = mode_variable;
  if (wrong_variable != nullptr) {
    search.request.policy.wrong[search.request.policy.wrong_count++] = {wrong_variable, "on",
                                                                        "off"};
  }
  for (const Seen& seen : candidates) {
    Candidate* candidate = search.add(seen.tier, "/opt/libtest.so.13");
    candidate->image.state = FileState::usable;
    candidate->verdict = seen.verdict;
  }
  return advice_after(search, &search.arena);
}

TEST(Advice, WhereThereIsNothingIsToInstall) {
  EXPECT_THAT(advice({}), HasSubstr("install the test library"));
  EXPECT_THAT(advice({}), HasSubstr("set ANYCUDA_TESTLIB"));
}

// Candidates of tiers that the search did not come to are in a report for its readers.
TEST(Advice, IsAboutWhatTheSearchReachedOnly) {
  unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
  search.tiers[static_cast<int>(SearchTier::system)].searched = false;
  Candidate* candidate = search.add(SearchTier::system, "/opt/libtest.so.13");
  candidate->image.state = FileState::usable;
  candidate->verdict = Verdict::driver_too_old;
  EXPECT_THAT(advice_after(search, &search.arena), HasSubstr("install the test library"));
}

TEST(Advice, ForAFileThatTheUserNamedIsAboutTheVariable) {
  EXPECT_THAT(advice({{SearchTier::variable, Verdict::accepted}}),
              HasSubstr("correct ANYCUDA_TESTLIB or unset it"));
}

TEST(Advice, ForASecondMajorIsToUnsetTheVariable) {
  EXPECT_THAT(advice({{SearchTier::variable, Verdict::other_loaded}}),
              HasSubstr("unset ANYCUDA_TESTLIB: the process has its test library already"));
}

TEST(Advice, ForADriverThatIsTooOldIsToUpdateIt) {
  EXPECT_THAT(advice({{SearchTier::system, Verdict::driver_too_old}}),
              HasSubstr("update the driver, or install a test library of CUDA 12 or older"));
}

// What it makes may be for another machine than this one.
TEST(Advice, ForACompilerAndAnOldDriverNamesTheWayWithoutTheDriver) {
  for (const Output output : {Output::ptx, Output::cubin}) {
    EXPECT_THAT(advice({{SearchTier::system, Verdict::driver_too_old}}, nullptr, output),
                HasSubstr("for another machine, ANYCUDA_COMPAT=off"));
  }
  EXPECT_THAT(advice({{SearchTier::system, Verdict::driver_too_old}}),
              Not(HasSubstr("ANYCUDA_COMPAT")));
}

TEST(Advice, NamesTheModeVariableInForce) {
  const char* const variable = "ANYCUDA_STUB_COMPAT";
  EXPECT_THAT(
      advice({{SearchTier::system, Verdict::driver_too_old}}, nullptr, Output::ptx, variable),
      HasSubstr("for another machine, ANYCUDA_STUB_COMPAT=off"));
  EXPECT_THAT(advice({{SearchTier::system, Verdict::no_metadata}}, nullptr, Output::none, variable),
              HasSubstr("unset ANYCUDA_STUB_COMPAT"));
}

TEST(Advice, ForWhatStrictWantsToKnowIsToUnsetItOrToInstallWhatTheDriverServes) {
  for (const Verdict verdict : {Verdict::no_metadata, Verdict::driver_branch_unknown}) {
    EXPECT_THAT(advice({{SearchTier::system, verdict}}),
                AllOf(HasSubstr("unset ANYCUDA_COMPAT"),
                      HasSubstr("a test library of CUDA 12.2 or older with its metadata")));
  }
}

TEST(Advice, ForAMajorWithoutAKnownMinimumIsToUpdate) {
  EXPECT_THAT(advice({{SearchTier::system, Verdict::driver_major_unknown}}),
              HasSubstr("update the driver or anycuda, or install a test library of CUDA 12.2"));
}

TEST(Advice, UnderRejectIsToInstallTheCallersMajor) {
  EXPECT_THAT(advice({{SearchTier::system, Verdict::other_major}}),
              HasSubstr("install a test library of CUDA 12, or unset ANYCUDA_CROSS_MAJOR"));
}

TEST(Advice, ForAWrongSettingIsAboutThatAlone) {
  EXPECT_THAT(advice({{SearchTier::system, Verdict::driver_too_old}}, "ANYCUDA_CROSS_MAJOR"),
              HasSubstr("set ANYCUDA_CROSS_MAJOR to adapt or reject, or unset it"));
  EXPECT_THAT(advice({}, "ANYCUDA_COMPAT"),
              HasSubstr("set ANYCUDA_COMPAT to strict, best_effort or off, or unset it"));
  EXPECT_THAT(advice({}, "ANYCUDA_STUB_COMPAT"),
              HasSubstr("set ANYCUDA_STUB_COMPAT to strict, best_effort or off, or unset it"));
  EXPECT_THAT(advice({}, "ANYCUDA_DRIVER_COMPAT"),
              HasSubstr("set ANYCUDA_DRIVER_COMPAT to assume_forward_compat, or unset it"));
}

TEST(Advice, ForAFunctionIsAboutTheMajorOnlyWhereMajorsDiffer) {
  EXPECT_EQ(advice_for(12, 13), FunctionAdvice::own_major);
  EXPECT_EQ(advice_for(13, 12), FunctionAdvice::own_major);
  EXPECT_EQ(advice_for(12, 12), FunctionAdvice::newer_library);
  EXPECT_EQ(advice_for(kNativeCaller, 12), FunctionAdvice::newer_library);
}

}  // namespace
}  // namespace anycuda
