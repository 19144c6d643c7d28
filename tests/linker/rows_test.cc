// SPDX-License-Identifier: Apache-2.0

// The table end to end: real drivers and real nvJitLinks, every row in one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "computer.h"
#include "tests/support/case_names.h"

using namespace anycuda::test;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

// What becomes of: PTX; PTX with lto asked (nothing to optimise: refused before the choice);
// LTO-IR; LTO-IR into PTX.
struct Expected {
  const char* plain;
  const char* lto;
  const char* ir;
  const char* ptx;
};
constexpr Expected kByNvJitLink = {"nvJitLink gives CUBIN", "OptionError", "nvJitLink gives CUBIN",
                                   "nvJitLink gives PTX"};
// The driver is asked and has no context here: the error of the link is clear.
constexpr Expected kDriverOrNothing = {"driver, BackendError", "OptionError", "BackendError",
                                       "BackendError"};

std::string run(Computer& computer, const std::string& release) {
  return computer.child({"rows", modules_of(release.empty() ? "12.9" : release)});
}

// which_backend() answers what the Linker then does.
std::string asked(const std::string& expected) {
  if (expected.rfind("nvJitLink", 0) == 0) return "nvJitLink";
  if (expected.rfind("driver", 0) == 0) return "the driver's linker";
  return expected == "BackendError" ? "none: " : expected;
}

void expect_link(const std::string& out, const std::string& link, const std::string& expected) {
  EXPECT_EQ(after(out, link + " | "), expected) << out;
  EXPECT_THAT(after(out, "which_backend of " + link + " | "), StartsWith(asked(expected))) << out;
}

void expect_rule(const std::string& out, const std::string& rule, const Expected& expected) {
  expect_link(out, rule + " | PTX", expected.plain);
  expect_link(out, rule + " | PTX, lto asked", expected.lto);
  expect_link(out, rule + " | LTO-IR", expected.ir);
  expect_link(out, rule + " | LTO-IR, PTX asked", expected.ptx);
}

struct Cell {
  int driver;
  const char* nvjitlink;
  Expected expected;  // of both rules: no driver here is newer than an nvJitLink
  const char* says;
};

void PrintTo(const Cell& cell, std::ostream* out) {
  const std::string driver = std::to_string(cell.driver);
  *out << (cell.driver == 0 ? "no driver" : "driver " + driver) << ", "
       << (*cell.nvjitlink == 0 ? "no nvJitLink" : std::string("nvJitLink ") + cell.nvjitlink);
}

class Rows : public testing::TestWithParam<Cell> {};

TEST_P(Rows, AreTheTable) {
  const Cell& cell = GetParam();
  NEEDS_ARTIFACTS("driver-535", "driver-550", "nvjitlink-12.9", "nvjitlink-13.5", "nvrtc-12.9",
                  "nvrtc-13.5");
  Computer computer;
  computer.with_driver(cell.driver).with_nvjitlink(cell.nvjitlink);
  const std::string out = run(computer, cell.nvjitlink);
  expect_rule(out, "same_major", cell.expected);
  expect_rule(out, "newer_driver", cell.expected);
  EXPECT_THAT(out, HasSubstr(cell.says));
  EXPECT_THAT(after(out, "which_backend of forced nvJitLink | "),
              StartsWith(*cell.nvjitlink == 0 || (cell.driver != 0 && cell.nvjitlink[1] == '3')
                             ? "none: Options::backend forces nvJitLink, but no nvJitLink"
                             : "nvJitLink"));
}

const Cell kCells[] = {
    {0, "", kDriverOrNothing,
     "nvJitLink does not need one; no nvJitLink (device-code linker) can be used"},
    {0, "12.9", kByNvJitLink, "driver unknown, nvJitLink 12.9"},
    {0, "13.5", kByNvJitLink, "driver unknown, nvJitLink 13.5"},
    // Without an nvJitLink nothing depends on the driver's version, so it is not asked.
    {535, "", kDriverOrNothing, "driver unknown, nvJitLink unknown"},
    {535, "12.9", kByNvJitLink, "driver 12.2, nvJitLink 12.9"},
    {535, "13.5", kDriverOrNothing, "nvJitLink is 13.5, the driver supports CUDA 12.2"},
    {550, "", kDriverOrNothing, "cuCtxGetCurrent failed: CUDA_ERROR_NOT_INITIALIZED"},
    {550, "12.9", kByNvJitLink, "driver 12.4, nvJitLink 12.9"},
    {550, "13.5", kDriverOrNothing, "install nvJitLink 12.x"},
};
INSTANTIATE_TEST_SUITE_P(Table, Rows, testing::ValuesIn(kCells), kPrintedName);

// A driver for CUDA 13 is not available without its GPU: a fake one returns only that version.
TEST(Rows, ANewerDriverIsWhereTheRulesDiffer) {
  NEEDS_ARTIFACTS("nvjitlink-12.9", "nvrtc-12.9");
  Computer computer;
  computer.with_fake_driver("context", "13000").with_nvjitlink("12.9");
  const std::string out = run(computer, "12.9");
  expect_rule(out, "same_major", kDriverOrNothing);
  expect_rule(out, "newer_driver", kByNvJitLink);
  EXPECT_THAT(out, HasSubstr("nvJitLink is 12.9, the driver supports CUDA 13.0"));
  EXPECT_THAT(out, HasSubstr("this thread has no current context"));
}

// Options that only nvJitLink has work with a newer driver, without a context.
TEST(Rows, NewerDriver_KeepsTheOptionsOfNvJitLink) {
  NEEDS_ARTIFACTS("nvjitlink-13.5", "nvrtc-13.5");
  Computer computer;
  computer.with_fake_driver("context", "14000").with_nvjitlink("13.5");
  const std::string out = computer.child({"options", modules_of("13.5"), "plain"});
  for (const char* name : {"time", "ptxas_options", "nvvm_options", "split_compile",
                           "jump_table_density", "incremental"}) {
    EXPECT_EQ(after(out, name + std::string(": ")), "ok") << out;
  }
  EXPECT_EQ(after(out, "cache_mode: "), "UnsupportedOptionError") << out;
}

// PTX of CUDA 13.5 for nvJitLink 12.9, and a driver that may link it.
TEST(Rows, NewerDriver_IsARemedyForNewerPtx) {
  NEEDS_ARTIFACTS("nvjitlink-12.9", "nvrtc-13.5");
  const auto told = [](const char* driver) {
    Computer computer;
    computer.with_fake_driver("context", driver).with_nvjitlink("12.9");
    const std::string out = run(computer, "13.5");
    EXPECT_EQ(after(out, "newer_driver | PTX | "), "nvJitLink, LinkError") << out;
    EXPECT_THAT(out, HasSubstr("what to do: update nvJitLink to CUDA 13."));
    return out;
  };
  const char* remedy = "or set Options::backend to the driver's linker: it has PTX 9.";
  EXPECT_THAT(told("14000"), HasSubstr(remedy));
  EXPECT_THAT(told("13000"), Not(HasSubstr(remedy)));
}

TEST(Rows, TooOldNvJitLinkIsUnusable) {
  NEEDS_ARTIFACTS("nvjitlink-12.0", "nvrtc-12.9");
  Computer computer;
  computer.with_nvjitlink("12.0");
  const std::string out = run(computer, "");
  expect_rule(out, "newer_driver", kDriverOrNothing);
  EXPECT_THAT(out, HasSubstr("is too old: it lacks nvJitLinkVersion, which came with 12.3"));
}

// The user declares forward compatibility: then the driver's version does not matter.
TEST(Rows, DeclaredForwardCompatibilityCounts) {
  NEEDS_ARTIFACTS("driver-550", "nvjitlink-13.5", "nvrtc-13.5");
  Computer computer;
  computer.with_driver(550).with_nvjitlink("13.5").env("ANYCUDA_DRIVER_COMPAT",
                                                       "assume_forward_compat");
  expect_rule(run(computer, "13.5"), "newer_driver", kByNvJitLink);
}

}  // namespace
