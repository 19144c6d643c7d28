// SPDX-License-Identifier: Apache-2.0

// Mode x metadata, the whole table: each kind of component, with and without metadata.
#include <gtest/gtest.h>

#include "guard_rails_machine.h"
#include "tests/support/case_names.h"

namespace anycuda::compat::test {
namespace {

enum class Is { ofTheDriver, elsewhere, ofAToolkit };
enum class Toolkit { known, unknown };
enum class Driver { serves, tooOld, branchNeeded, absent };

struct Row {
  Is component;
  Toolkit toolkit;
  Driver driver;
  const char* strict;
  const char* best_effort;
  const char* off;
};

constexpr const char* kYes = "accepted";
constexpr const char* kMetadata = "InsufficientMetadataError";
constexpr const char* kNoDriver = "DriverQueryError";
constexpr const char* kTooOld = "DriverToolkitError";

// Whole: three kinds of component, two states of metadata, four of the driver, three modes.
constexpr Row kTable[] = {
    {Is::ofTheDriver, Toolkit::known, Driver::serves, kYes, kYes, kYes},
    {Is::ofTheDriver, Toolkit::known, Driver::tooOld, kYes, kYes, kYes},
    {Is::ofTheDriver, Toolkit::known, Driver::branchNeeded, kYes, kYes, kYes},
    {Is::ofTheDriver, Toolkit::known, Driver::absent, kYes, kYes, kYes},
    {Is::ofTheDriver, Toolkit::unknown, Driver::serves, kYes, kYes, kYes},
    {Is::ofTheDriver, Toolkit::unknown, Driver::tooOld, kYes, kYes, kYes},
    {Is::ofTheDriver, Toolkit::unknown, Driver::branchNeeded, kYes, kYes, kYes},
    {Is::ofTheDriver, Toolkit::unknown, Driver::absent, kYes, kYes, kYes},
    {Is::elsewhere, Toolkit::known, Driver::serves, kMetadata, kYes, kYes},
    {Is::elsewhere, Toolkit::known, Driver::tooOld, kMetadata, kYes, kYes},
    {Is::elsewhere, Toolkit::known, Driver::branchNeeded, kMetadata, kYes, kYes},
    {Is::elsewhere, Toolkit::known, Driver::absent, kMetadata, kYes, kYes},
    {Is::elsewhere, Toolkit::unknown, Driver::serves, kMetadata, kYes, kYes},
    {Is::elsewhere, Toolkit::unknown, Driver::tooOld, kMetadata, kYes, kYes},
    {Is::elsewhere, Toolkit::unknown, Driver::branchNeeded, kMetadata, kYes, kYes},
    {Is::elsewhere, Toolkit::unknown, Driver::absent, kMetadata, kYes, kYes},
    {Is::ofAToolkit, Toolkit::known, Driver::serves, kYes, kYes, kYes},
    {Is::ofAToolkit, Toolkit::known, Driver::tooOld, kTooOld, kTooOld, kYes},
    {Is::ofAToolkit, Toolkit::known, Driver::branchNeeded, kMetadata, kYes, kYes},
    {Is::ofAToolkit, Toolkit::known, Driver::absent, kNoDriver, kNoDriver, kYes},
    {Is::ofAToolkit, Toolkit::unknown, Driver::serves, kMetadata, kYes, kYes},
    {Is::ofAToolkit, Toolkit::unknown, Driver::tooOld, kMetadata, kYes, kYes},
    {Is::ofAToolkit, Toolkit::unknown, Driver::branchNeeded, kMetadata, kYes, kYes},
    {Is::ofAToolkit, Toolkit::unknown, Driver::absent, kMetadata, kYes, kYes},
};

class ModeAndMetadata : public testing::TestWithParam<Row> {
 protected:
  std::string in(Mode mode) {
    const Row& row = GetParam();
    const char* const name = row.component == Is::ofTheDriver ? "cuda"
                             : row.component == Is::elsewhere ? "nccl"
                                                              : "nvrtc";
    machine_.library(name, row.toolkit == Toolkit::known ? "12.9" : "");
    if (row.driver == Driver::serves) machine_.driver("12.9");
    if (row.driver == Driver::tooOld) machine_.driver("11.4", 470);
    if (row.driver == Driver::branchNeeded) machine_.driver("12.2");
    GuardRailsImpl rails = machine_.rails(with_mode(mode));
    const std::string result = outcome([&] { rails.load(name); });
    // What is accepted is opened, and nothing else is.
    EXPECT_EQ(machine_.times_asked("open"), result == kYes ? 1 : 0);
    return result;
  }

  RailsMachine machine_;
};

TEST_P(ModeAndMetadata, InStrict) { EXPECT_EQ(in(Mode::strict), GetParam().strict); }
TEST_P(ModeAndMetadata, InBestEffort) { EXPECT_EQ(in(Mode::best_effort), GetParam().best_effort); }
TEST_P(ModeAndMetadata, InOffWithoutQueries) {
  EXPECT_EQ(in(Mode::off), GetParam().off);
  EXPECT_EQ(machine_.times_asked("read") + machine_.times_asked("driver") +
                machine_.times_asked("branch"),
            0);
}

void PrintTo(const Row& row, std::ostream* out) {
  const char* const components[] = {"driversLibrary", "otherLibrary", "toolkitsLibrary"};
  const char* const toolkits[] = {"versionKnown", "versionUnknown"};
  const char* const drivers[] = {"driverServes", "driverTooOld", "branchNeeded", "noDriver"};
  *out << components[static_cast<int>(row.component)] << ", "
       << toolkits[static_cast<int>(row.toolkit)] << ", " << drivers[static_cast<int>(row.driver)];
}

INSTANTIATE_TEST_SUITE_P(WholeTable, ModeAndMetadata, testing::ValuesIn(kTable),
                         anycuda::test::kPrintedName);

TEST(BestEffort, EnforcesKnownFactsBesideUnknownOnes) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "").library("cublas", "12.9").library("cufft", "13.5");
  GuardRailsImpl rails = machine.rails(with_mode(Mode::best_effort));
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "accepted");
  EXPECT_EQ(outcome([&] { rails.load("cufft"); }), "ToolkitMismatchError");
}

TEST(BestEffort, Constraint_AcceptsAnUnknownVersion) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "").library("cublas", "13.5");
  Options options = with_mode(Mode::best_effort);
  options.constraint = "<13";
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "ToolkitMismatchError");
}

TEST(Off, ChecksNothingNotEvenTwoRuntimes) {
  RailsMachine machine;
  machine.no_driver().loaded("cudart", "12.9", "libcudart.so.12");
  machine.loaded("cudart", "13.5", "libcudart.so.13").headers("cudart", "11.8");
  Options options = with_mode(Mode::off);
  options.constraint = "==12.9";
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("cudart"); }), "accepted");
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "cudart"); }), "accepted");
  EXPECT_EQ(outcome([&] { rails.declare({"nvrtc", "nvJitLink", {Format::ltoir}}); }), "accepted");
}

}  // namespace
}  // namespace anycuda::compat::test
