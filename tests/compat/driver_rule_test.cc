// SPDX-License-Identifier: Apache-2.0

// The whole decision table driver x toolkit of compat/rules/driver_rule.cc.
//
// Sources:
// - which CUDA a driver branch reports: CUDA Toolkit release notes, "CUDA Toolkit and Corresponding
//   Driver Versions" (each release comes with the first driver of its branch); 565 reports 12.7, of
//   which no toolkit was made;
// - which toolkits a driver serves: NVIDIA, "CUDA Compatibility": the driver is backward
//   compatible; "Minor Version Compatibility", table 1: CUDA 11 from driver 450 on, 12 from 525,
//   13 from 580; "Forward Compatibility".
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "anycuda/compat/driver.h"
#include "tests/support/case_names.h"

namespace anycuda {

void PrintTo(DriverVerdict verdict, std::ostream* out) {
  const char* const names[] = {"served",
                               "served_by_minor_version",
                               "served_by_declaration",
                               "nothing_known",
                               "too_old",
                               "branch_short",
                               "branch_unknown",
                               "major_unknown"};
  *out << names[static_cast<int>(verdict)];
}
void PrintTo(Version version, std::ostream* out) {
  *out << version.major << '.' << (version.minor < 0 ? "x" : std::to_string(version.minor));
}

namespace {

// Every CUDA Toolkit from 11.0 on, the columns of the table.
const std::vector<Version> kToolkits = {{11, 0}, {11, 1}, {11, 2}, {11, 3}, {11, 4}, {11, 5},
                                        {11, 6}, {11, 7}, {11, 8}, {12, 0}, {12, 1}, {12, 2},
                                        {12, 3}, {12, 4}, {12, 5}, {12, 6}, {12, 8}, {12, 9},
                                        {13, 0}, {13, 1}, {13, 2}, {13, 3}, {13, 4}, {13, 5}};

struct Row {
  int branch;
  Version cuda;  // what cuDriverGetVersion of that branch says
  // A letter per toolkit: s served, m by minor-version compatibility, b branch too small for it,
  // o driver too old; blanks between majors.
  const char* cells;
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << (row.branch < 0 ? "driver of a negative branch" : "driver " + std::to_string(row.branch))
       << " of CUDA " << row.cuda.major << '.' << row.cuda.minor;
}

// clang-format off
const Row kRows[] = {
    //               11.0 - 11.8  12.0 - 12.9   13.0 - 13.5
    {418, {10, 1},  "ooooooooo    ooooooooo     oooooo"},
    {440, {10, 2},  "ooooooooo    ooooooooo     oooooo"},
    {450, {11, 0},  "smmmmmmmm    ooooooooo     oooooo"},
    {455, {11, 1},  "ssmmmmmmm    ooooooooo     oooooo"},
    {460, {11, 2},  "sssmmmmmm    ooooooooo     oooooo"},
    {465, {11, 3},  "ssssmmmmm    ooooooooo     oooooo"},
    {470, {11, 4},  "sssssmmmm    ooooooooo     oooooo"},
    {495, {11, 5},  "ssssssmmm    ooooooooo     oooooo"},
    {510, {11, 6},  "sssssssmm    ooooooooo     oooooo"},
    {515, {11, 7},  "ssssssssm    ooooooooo     oooooo"},
    {520, {11, 8},  "sssssssss    ooooooooo     oooooo"},
    {525, {12, 0},  "sssssssss    smmmmmmmm     oooooo"},
    {530, {12, 1},  "sssssssss    ssmmmmmmm     oooooo"},
    {535, {12, 2},  "sssssssss    sssmmmmmm     oooooo"},
    {545, {12, 3},  "sssssssss    ssssmmmmm     oooooo"},
    {550, {12, 4},  "sssssssss    sssssmmmm     oooooo"},
    {555, {12, 5},  "sssssssss    ssssssmmm     oooooo"},
    {560, {12, 6},  "sssssssss    sssssssmm     oooooo"},
    {565, {12, 7},  "sssssssss    sssssssmm     oooooo"},
    {570, {12, 8},  "sssssssss    ssssssssm     oooooo"},
    {575, {12, 9},  "sssssssss    sssssssss     oooooo"},
    {580, {13, 0},  "sssssssss    sssssssss     smmmmm"},
    {590, {13, 1},  "sssssssss    sssssssss     ssmmmm"},
    {595, {13, 2},  "sssssssss    sssssssss     sssmmm"},
    {610, {13, 3},  "sssssssss    sssssssss     ssssmm"},
    {615, {13, 4},  "sssssssss    sssssssss     sssssm"},
    // Drivers that do not exist: one that knows all, one of the next major, some below the minimum.
    {998, {13, 5},  "sssssssss    sssssssss     ssssss"},
    {999, {14, 0},  "sssssssss    sssssssss     ssssss"},
    {449, {11, 0},  "sbbbbbbbb    ooooooooo     oooooo"},
    {449, {11, 3},  "ssssbbbbb    ooooooooo     oooooo"},
    {524, {12, 0},  "sssssssss    sbbbbbbbb     oooooo"},
    {524, {12, 8},  "sssssssss    ssssssssb     oooooo"},
    {579, {13, 0},  "sssssssss    sssssssss     sbbbbb"},
    {579, {13, 4},  "sssssssss    sssssssss     sssssb"},
    {1,   {12, 2},  "sssssssss    sssbbbbbb     oooooo"},
    {-1,  {12, 2},  "sssssssss    sssbbbbbb     oooooo"},
};
// clang-format on

DriverVerdict verdict_of(char cell) {
  switch (cell) {
    case 's':
      return DriverVerdict::served;
    case 'm':
      return DriverVerdict::served_by_minor_version;
    case 'b':
      return DriverVerdict::branch_short;
    case 'o':
      return DriverVerdict::too_old;
    default:
      ADD_FAILURE() << "no such cell: " << cell;
      return DriverVerdict::nothing_known;
  }
}

class DriverTable : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    for (const char* at = GetParam().cells; *at != '\0'; ++at) {
      if (*at != ' ') cells.push_back(*at);
    }
    ASSERT_EQ(cells.size(), kToolkits.size());
  }
  DriverFacts driver() const { return {true, GetParam().cuda, GetParam().branch}; }
  std::vector<char> cells;
};

TEST_P(DriverTable, IsAsNvidiaStatesIt) {
  for (std::size_t i = 0; i < kToolkits.size(); ++i) {
    EXPECT_EQ(evaluate_driver(driver(), kToolkits[i]), verdict_of(cells[i]))
        << testing::PrintToString(kToolkits[i]);
  }
}

// "Forward Compatibility": the cuda-compat package brings a newer major to an older driver.
TEST_P(DriverTable, ForwardCompatibilityRelaxesTooOldAndNothingElse) {
  for (std::size_t i = 0; i < kToolkits.size(); ++i) {
    EXPECT_EQ(evaluate_driver(driver(), kToolkits[i], true),
              cells[i] == 'o' ? DriverVerdict::served_by_declaration : verdict_of(cells[i]))
        << testing::PrintToString(kToolkits[i]);
  }
}

TEST_P(DriverTable, UnknownBranch_OnlyItsDecisionsAreUnknown) {
  DriverFacts unasked = driver();
  unasked.branch = 0;
  for (std::size_t i = 0; i < kToolkits.size(); ++i) {
    const bool hangs_on_it = cells[i] == 'm' || cells[i] == 'b';
    for (const bool forward : {false, true}) {
      EXPECT_EQ(evaluate_driver(unasked, kToolkits[i], forward),
                hangs_on_it ? DriverVerdict::branch_unknown
                            : evaluate_driver(driver(), kToolkits[i], forward))
          << testing::PrintToString(kToolkits[i]);
    }
    EXPECT_EQ(needs_branch(unasked, kToolkits[i]), hangs_on_it);
    EXPECT_EQ(needs_branch(driver(), kToolkits[i]), hangs_on_it);
  }
}

// "Minor Version Compatibility": an older driver takes CUBIN, but does not compile newer PTX.
TEST_P(DriverTable, PtxNeedsADriverAsNewAsTheToolkit) {
  for (std::size_t i = 0; i < kToolkits.size(); ++i) {
    EXPECT_EQ(compiles_ptx_of(driver(), kToolkits[i]), cells[i] == 's')
        << testing::PrintToString(kToolkits[i]);
  }
}

// A SONAME has only a major, which counts as that major's oldest minor.
TEST_P(DriverTable, UnknownMinorIsEvaluatedAsTheFirstOfItsMajor) {
  for (std::size_t i = 0; i < kToolkits.size(); ++i) {
    if (kToolkits[i].minor != 0) continue;
    EXPECT_EQ(evaluate_driver(driver(), {kToolkits[i].major, -1}), verdict_of(cells[i]));
  }
}

TEST_P(DriverTable, AMissingDriverRefusesNothing) {
  DriverFacts absent = driver();
  absent.present = false;
  for (const Version toolkit : kToolkits) {
    EXPECT_EQ(evaluate_driver(absent, toolkit), DriverVerdict::nothing_known);
    EXPECT_EQ(evaluate_driver(absent, toolkit, true), DriverVerdict::nothing_known);
    EXPECT_FALSE(needs_branch(absent, toolkit));
    EXPECT_TRUE(compiles_ptx_of(absent, toolkit));
  }
}

TEST_P(DriverTable, UnknownToolkitIsNotRefused) {
  for (const Version toolkit : {Version{}, Version{0, 5}, Version{-1, 0}}) {
    EXPECT_EQ(evaluate_driver(driver(), toolkit), DriverVerdict::nothing_known);
    EXPECT_FALSE(needs_branch(driver(), toolkit));
    EXPECT_TRUE(compiles_ptx_of(driver(), toolkit));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, DriverTable, testing::ValuesIn(kRows), test::kPrintedName);

TEST(DriverRule, ADriverOfUnknownCudaRefusesNothing) {
  for (const Version toolkit : kToolkits) {
    EXPECT_EQ(evaluate_driver({true, {}, 580}, toolkit), DriverVerdict::nothing_known);
    EXPECT_FALSE(needs_branch({true, {}, 0}, toolkit));
    EXPECT_TRUE(compiles_ptx_of({true, {}, 0}, toolkit));
  }
}

// Majors that the table of minimum branches does not have: only what backward compatibility gives.
struct OtherMajor {
  DriverFacts driver;
  Version toolkit;
  DriverVerdict expected;
};
void PrintTo(const OtherMajor& c, std::ostream* out) {
  *out << "driver " << c.driver.branch << " of CUDA " << testing::PrintToString(c.driver.cuda)
       << ", toolkit " << testing::PrintToString(c.toolkit);
}
class OtherMajors : public testing::TestWithParam<OtherMajor> {};

TEST_P(OtherMajors, HaveNoMinorVersionCompatibility) {
  const OtherMajor& c = GetParam();
  EXPECT_EQ(evaluate_driver(c.driver, c.toolkit), c.expected);
  DriverFacts unasked = c.driver;
  unasked.branch = 0;
  EXPECT_EQ(evaluate_driver(unasked, c.toolkit), c.expected);
  EXPECT_FALSE(needs_branch(c.driver, c.toolkit));
}

INSTANTIATE_TEST_SUITE_P(
    Table, OtherMajors,
    testing::Values(OtherMajor{{true, {14, 0}, 700}, {14, 0}, DriverVerdict::served},
                    OtherMajor{{true, {14, 1}, 700}, {14, 0}, DriverVerdict::served},
                    OtherMajor{{true, {14, 0}, 700}, {14, 1}, DriverVerdict::major_unknown},
                    OtherMajor{{true, {14, 9}, 700}, {14, 10}, DriverVerdict::major_unknown},
                    OtherMajor{{true, {14, 0}, 700}, {14, -1}, DriverVerdict::served},
                    OtherMajor{{true, {14, 0}, 700}, {15, 0}, DriverVerdict::too_old},
                    OtherMajor{{true, {13, 5}, 620}, {14, 0}, DriverVerdict::too_old},
                    OtherMajor{{true, {10, 1}, 418}, {10, 1}, DriverVerdict::served},
                    OtherMajor{{true, {10, 1}, 418}, {10, 2}, DriverVerdict::major_unknown},
                    OtherMajor{{true, {10, 2}, 440}, {9, 2}, DriverVerdict::served}),
    test::kPrintedName);

// ---- whatever the table says

// How much a verdict gives.
int worth(DriverVerdict verdict) {
  switch (verdict) {
    case DriverVerdict::served:
      return 2;
    case DriverVerdict::served_by_minor_version:
      return 1;
    default:
      return 0;
  }
}

TEST(DriverRule, ANewerDriverNeverServesLess) {
  for (int major = 10; major <= 14; ++major) {
    for (int minor = 0; minor <= 9; ++minor) {
      for (int branch = 400; branch <= 700; ++branch) {
        const DriverFacts driver{true, {major, minor}, branch};
        for (const Version toolkit : kToolkits) {
          const int now = worth(evaluate_driver(driver, toolkit));
          DriverFacts newer = driver;
          ++newer.branch;
          ASSERT_GE(worth(evaluate_driver(newer, toolkit)), now) << major << '.' << minor;
          newer = driver;
          ++newer.cuda.minor;
          ASSERT_GE(worth(evaluate_driver(newer, toolkit)), now) << major << '.' << minor;
          newer.cuda = {major + 1, 0};
          ASSERT_GE(worth(evaluate_driver(newer, toolkit)), now) << major << '.' << minor;
        }
      }
    }
  }
}

TEST(DriverRule, ANewerToolkitIsNeverServedBetter) {
  for (const Row& row : kRows) {
    const DriverFacts driver{true, row.cuda, row.branch};
    for (std::size_t i = 1; i < kToolkits.size(); ++i) {
      EXPECT_LE(worth(evaluate_driver(driver, kToolkits[i])),
                worth(evaluate_driver(driver, kToolkits[i - 1])));
    }
  }
}

TEST(DriverVerdicts, ServeOrDoNot) {
  for (const DriverVerdict verdict :
       {DriverVerdict::served, DriverVerdict::served_by_minor_version,
        DriverVerdict::served_by_declaration, DriverVerdict::nothing_known}) {
    EXPECT_TRUE(serves(verdict)) << testing::PrintToString(verdict);
  }
  for (const DriverVerdict verdict :
       {DriverVerdict::too_old, DriverVerdict::branch_short, DriverVerdict::branch_unknown,
        DriverVerdict::major_unknown}) {
    EXPECT_FALSE(serves(verdict)) << testing::PrintToString(verdict);
  }
}

TEST(MinimumBranch, IsKnownForTheKnownMajorsOnly) {
  EXPECT_EQ(minimum_branch(11), 450);
  EXPECT_EQ(minimum_branch(12), 525);
  EXPECT_EQ(minimum_branch(13), 580);
  for (const int major : {-1, 0, 9, 10, 14, 110}) EXPECT_EQ(minimum_branch(major), 0) << major;
}

}  // namespace
}  // namespace anycuda
