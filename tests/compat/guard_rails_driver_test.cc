// SPDX-License-Identifier: Apache-2.0

// The driver rule in the guard rails: the driver is queried lazily, once, and only if a decision
// needs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard_rails_machine.h"

namespace anycuda::compat::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TheDriver, IsNotAskedBeforeAComponentNeedsIt) {
  RailsMachine machine;
  machine.driver("13.5").library("cuda", "").headers("cudart", "12.9");
  GuardRailsImpl rails = machine.rails();
  rails.load("cuda");
  EXPECT_EQ(machine.times_asked("driver"), 0);
  rails.locate(Kind::headers, "cudart");
  EXPECT_EQ(machine.times_asked("driver"), 1);
}

TEST(TheDriver, AsNewAsTheToolkit_BranchIsNotQueried) {
  for (const char* toolkit : {"12.9", "12.2", "11.8"}) {
    RailsMachine machine;
    machine.driver("12.9").library("nvrtc", toolkit);
    GuardRailsImpl rails = machine.rails();
    EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted") << toolkit;
    EXPECT_EQ(machine.times_asked("branch"), 0) << toolkit;
  }
}

TEST(TheDriver, OfAnOlderMajor_BranchIsNotQueried) {
  RailsMachine machine;
  machine.driver("12.9").library("nvrtc", "13.0");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "DriverToolkitError");
  EXPECT_EQ(machine.times_asked("branch"), 0);
}

TEST(TheDriver, SameMajor_ServesANewerMinorFromItsBranchOn) {
  for (const auto& [branch, expected] : {std::pair{525, "accepted"},
                                         {535, "accepted"},
                                         {524, "DriverToolkitError"},
                                         {470, "DriverToolkitError"}}) {
    RailsMachine machine;
    machine.driver("12.0", branch).library("nvrtc", "12.9");
    GuardRailsImpl rails = machine.rails();
    EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), expected) << branch;
    EXPECT_EQ(machine.times_asked("branch"), 1);
  }
}

TEST(TheDriver, WhoseBranchIsTooOld_ErrorHasItsFullVersion) {
  RailsMachine machine;
  machine.driver("12.0", 470).library("nvrtc", "12.9");
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }),
              HasSubstr("driver: supports up to CUDA 12.0, branch 470 (470.58.03)\n"));
}

TEST(TheDriver, OfAMajorWithoutAKnownMinimumIsRefused) {
  RailsMachine machine;
  machine.driver("14.0", 900).library("nvrtc", "14.1");
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }),
              HasSubstr("no driver branch is known that serves every CUDA 14.x"));
}

TEST(TheDriver, UnknownBranch_IsInsufficientMetadataWithTheCause) {
  RailsMachine machine;
  machine.driver("12.2").library("nvrtc", "12.9");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "InsufficientMetadataError");
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }),
              AllOf(HasSubstr("driver branch: unknown: NVML is not there"),
                    HasSubstr("branch 525 or newer"), HasSubstr("best_effort")));
}

TEST(TheDriver, Failing_IsADriverErrorNotMissingMetadata) {
  for (const Mode mode : {Mode::strict, Mode::best_effort}) {
    RailsMachine machine;
    machine.no_driver().library("nvrtc", "12.9");
    GuardRailsImpl rails = machine.rails(with_mode(mode));
    EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "DriverQueryError");
    EXPECT_THAT(message([&] { rails.load("nvrtc"); }),
                AllOf(HasSubstr("driver: libcuda.so.1: no such file"),
                      HasSubstr("found: nvrtc (dynamic library) of CUDA 12.9"),
                      HasSubstr("Options::driver")));
    EXPECT_EQ(machine.times_asked("open"), 0);
  }
}

TEST(TheDriver, NewerToolkit_IsRefusedWithTheForwardCompatibilityHint) {
  RailsMachine machine;
  machine.driver("12.2", 535).library("nvrtc", "13.5");
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }),
              AllOf(HasSubstr("CUDA 13.5 is of a newer major than the driver's CUDA 12.2"),
                    HasSubstr("update the driver to branch 580 or newer"),
                    HasSubstr("ANYCUDA_DRIVER_COMPAT=assume_forward_compat")));
}

TEST(ForwardCompatibility, RelaxesTheNewerMajorAndNothingElse) {
  struct Row {
    const char* driver;
    int branch;
    const char* toolkit;
    const char* expected;
  };
  const Row rows[] = {{"12.2", 535, "13.5", "accepted"},
                      {"12.0", 520, "12.9", "DriverToolkitError"},
                      {"12.0", 0, "12.9", "InsufficientMetadataError"},
                      {"14.0", 900, "14.1", "DriverToolkitError"},
                      {"12.2", 535, "", "InsufficientMetadataError"}};
  for (const Row& row : rows) {
    RailsMachine machine;
    machine.driver(row.driver, row.branch).library("nvrtc", row.toolkit);
    Options options;
    options.driver_compat = DriverCompat::assume_forward_compat;
    GuardRailsImpl rails = machine.rails(options);
    EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), row.expected) << row.driver << row.toolkit;
  }
}

TEST(ForwardCompatibility, DoesNotLetMajorsMix) {
  RailsMachine machine;
  machine.driver("12.2", 535).library("nvrtc", "13.5").library("cublas", "12.9");
  Options options;
  options.driver_compat = DriverCompat::assume_forward_compat;
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "ToolkitMismatchError");
}

TEST(GivenFacts, AreUsedWithoutQueries) {
  for (const auto& [cuda, expected] :
       {std::pair{"12.2", "DriverToolkitError"}, {"13.5", "accepted"}}) {
    RailsMachine machine;
    machine.no_driver().library("nvrtc", "13.5");
    Options options;
    options.driver = DriverFacts{true, version(cuda), 535};
    GuardRailsImpl rails = machine.rails(options);
    EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), expected);
    EXPECT_EQ(machine.times_asked("driver") + machine.times_asked("branch"), 0);
  }
}

TEST(GivenFacts, WithoutABranch_BranchIsQueriedIfNeeded) {
  RailsMachine machine;
  machine.driver("11.0", 535).library("nvrtc", "12.9");
  Options options;
  options.driver = DriverFacts{true, version("12.2"), 0};
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
  EXPECT_EQ(machine.times_asked("driver"), 0);
  EXPECT_EQ(machine.times_asked("branch"), 1);
}

TEST(GivenFacts, NoDriver_RefusesNothing) {
  RailsMachine machine;
  machine.no_driver().library("nvrtc", "13.5");
  Options options;
  options.driver = DriverFacts{};
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
  EXPECT_EQ(machine.times_asked("driver"), 0);
}

TEST(GivenFacts, DriverWithoutItsCuda_IsAnErrorAtOnce) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    RailsMachine machine;
    Options options = with_mode(mode);
    options.driver = DriverFacts{true, {}, 535};
    EXPECT_EQ(outcome([&] { machine.rails(options); }), "SettingError");
  }
}

TEST(GivenFacts, WithABranch_NothingIsQueried) {
  RailsMachine machine;
  machine.no_driver().library("nvrtc", "12.9");
  Options options;
  options.driver = DriverFacts{true, version("12.2"), 535};
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
  EXPECT_EQ(machine.times_asked("branch"), 0);
}

}  // namespace
}  // namespace anycuda::compat::test
