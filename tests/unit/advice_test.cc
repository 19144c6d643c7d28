// What a message tells its reader to do.
#include "loader/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test_tables.h"

namespace anycuda {
namespace {

using ::testing::HasSubstr;

struct Seen {
  Place place;
  Verdict verdict;
};

std::string advice(std::initializer_list<Seen> candidates, const char* wrong_setting = nullptr) {
  Search search(kLibrary);
  search.caller_major = 12;
  search.driver = {true, {12, 2}, 0};
  search.wrong_setting = wrong_setting;
  for (const Seen& seen : candidates) {
    Candidate* candidate = search.add(seen.place, "/opt/libtest.so.13");
    candidate->image.state = FileState::usable;
    candidate->verdict = seen.verdict;
  }
  return advice_after(&search);
}

TEST(Advice, WhereThereIsNothingIsToInstall) {
  EXPECT_THAT(advice({}), HasSubstr("install the test library"));
  EXPECT_THAT(advice({}), HasSubstr("set ANYCUDA_TESTLIB"));
}

TEST(Advice, ForAFileThatTheUserNamedIsAboutTheVariable) {
  EXPECT_THAT(advice({{Place::variable, Verdict::accepted}}),
              HasSubstr("correct ANYCUDA_TESTLIB or unset it"));
}

TEST(Advice, ForASecondMajorIsToUnsetTheVariable) {
  EXPECT_THAT(advice({{Place::variable, Verdict::other_loaded}}),
              HasSubstr("unset ANYCUDA_TESTLIB: the process has its test library already"));
}

TEST(Advice, ForADriverThatIsTooOldIsToUpdateIt) {
  EXPECT_THAT(advice({{Place::system, Verdict::driver_too_old}}),
              HasSubstr("update the driver, or install a test library of CUDA 12 or older"));
}

TEST(Advice, UnderRejectIsToInstallTheCallersMajor) {
  EXPECT_THAT(advice({{Place::system, Verdict::other_major}}),
              HasSubstr("install a test library of CUDA 12, or unset ANYCUDA_CROSS_MAJOR"));
}

TEST(Advice, ForAWrongSettingIsAboutThatAlone) {
  EXPECT_THAT(advice({{Place::system, Verdict::driver_too_old}}, "foo"),
              HasSubstr("set ANYCUDA_CROSS_MAJOR to adapt"));
}

TEST(Advice, ForAFunctionIsAboutTheMajorOnlyWhereMajorsDiffer) {
  EXPECT_EQ(advice_for(12, 13), FunctionAdvice::own_major);
  EXPECT_EQ(advice_for(13, 12), FunctionAdvice::own_major);
  EXPECT_EQ(advice_for(12, 12), FunctionAdvice::newer_library);
  EXPECT_EQ(advice_for(kNativeCaller, 12), FunctionAdvice::newer_library);
}

}  // namespace
}  // namespace anycuda
