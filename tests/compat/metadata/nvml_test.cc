// SPDX-License-Identifier: Apache-2.0

// The display driver's branch: its number in NVML's version text, and NVML's functions called so
// that every success of init meets one shutdown.
#include "compat/metadata/driver/nvml.h"
#include "tests/support/case_names.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>

namespace anycuda {

void PrintTo(NvmlStep step, std::ostream* out) {
  const char* const names[] = {"none", "functions", "init", "driver_version", "text", "shutdown"};
  *out << names[static_cast<int>(step)];
}

namespace {

TEST(BranchOf, IsTheNumberBeforeTheFirstDot) {
  EXPECT_EQ(branch_of("535.309.01"), 535);
  EXPECT_EQ(branch_of("550.163.01"), 550);
  EXPECT_EQ(branch_of("580.65.06"), 580);
  EXPECT_EQ(branch_of("450.80"), 450);
  EXPECT_EQ(branch_of("1000.1"), 1000);
}

TEST(BranchOf, InvalidText_HasNoBranch) {
  for (const char* text : {"", ".", "535", "535.", ".535", "535.x", "x535.1", " 535.1", "-535.1",
                           "+535.1", "0.1", "000.1", "535 .1", "535,309", "N/A", "100000.1",
                           "4294967831.1", "99999999999999999999.1"}) {
    EXPECT_EQ(branch_of(text), 0) << "'" << text << "'";
  }
  EXPECT_EQ(branch_of(nullptr), 0);
}

// What the fake NVML returns, and how often it was called.
struct Fake {
  int init = 0;
  int version = 0;
  int shutdown = 0;
  std::string text = "535.309.01";
  int inits = 0;
  int versions = 0;
  int shutdowns = 0;
  bool between = true;  // every other function was called between init and shutdown
} fake;

int fake_init() {
  ++fake.inits;
  return fake.init;
}
int fake_version(char* text, unsigned int size) {
  ++fake.versions;
  fake.between = fake.between && fake.inits == 1 && fake.shutdowns == 0;
  std::memcpy(text, fake.text.data(), std::min<std::size_t>(size, fake.text.size()));
  return fake.version;
}
int fake_shutdown() {
  ++fake.shutdowns;
  return fake.shutdown;
}
const char* fake_words(int code) { return code == 9 ? "Driver Not Loaded" : nullptr; }

constexpr NvmlFunctions kFunctions{fake_init, fake_version, fake_shutdown, fake_words};

NvmlAnswer ask(const Fake& behaviour, const NvmlFunctions& functions = kFunctions) {
  fake = behaviour;
  return ask_branch(functions);
}

struct PathCase {
  int init, version, shutdown;
  const char* text;
  NvmlStep failed;
  int code;
};
void PrintTo(const PathCase& c, std::ostream* out) {
  *out << "init " << c.init << ", version " << c.version << " '" << c.text << "', shutdown "
       << c.shutdown;
}

class EveryPath : public testing::TestWithParam<PathCase> {};

TEST_P(EveryPath, IsBalancedAndNamesTheFirstFailure) {
  const PathCase& c = GetParam();
  const NvmlAnswer answer = ask({c.init, c.version, c.shutdown, c.text});
  EXPECT_EQ(answer.failed, c.failed);
  EXPECT_EQ(answer.code, c.code);
  EXPECT_EQ(answer.branch, c.failed == NvmlStep::none ? 535 : 0);
  EXPECT_STREQ(answer.version, c.failed == NvmlStep::none ? "535.309.01" : "");
  EXPECT_EQ(fake.inits, 1);
  EXPECT_EQ(fake.shutdowns, c.init == 0 ? 1 : 0) << "one for each init that succeeded";
  EXPECT_EQ(fake.versions, c.init == 0 ? 1 : 0);
  EXPECT_TRUE(fake.between);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryPath,
                         testing::Values(PathCase{0, 0, 0, "535.309.01", NvmlStep::none, 0},
                                         PathCase{9, 0, 0, "535.309.01", NvmlStep::init, 9},
                                         PathCase{9, 0, 7, "535.309.01", NvmlStep::init, 9},
                                         PathCase{0, 3, 0, "", NvmlStep::driver_version, 3},
                                         PathCase{0, 3, 7, "", NvmlStep::driver_version, 3},
                                         PathCase{0, 0, 0, "none", NvmlStep::text, 0},
                                         PathCase{0, 0, 7, "none", NvmlStep::text, 0},
                                         PathCase{0, 0, 7, "535.309.01", NvmlStep::shutdown, 7}),
                         test::kPrintedName);

TEST(AskBranch, FailureHasNvmlsText) {
  EXPECT_STREQ(ask({9}).text, "Driver Not Loaded");
  EXPECT_STREQ(ask({0, 0, 9}).text, "Driver Not Loaded");
  EXPECT_STREQ(ask({8}).text, "") << "NVML has none";
  NvmlFunctions silent = kFunctions;
  silent.error_string = nullptr;
  EXPECT_STREQ(ask({9}, silent).text, "");
  EXPECT_EQ(ask({9}, silent).code, 9);
}

TEST(AskBranch, WithoutAFunctionCallsNone) {
  for (int missing = 0; missing < 3; ++missing) {
    NvmlFunctions functions = kFunctions;
    if (missing == 0) functions.init = nullptr;
    if (missing == 1) functions.driver_version = nullptr;
    if (missing == 2) functions.shutdown = nullptr;
    EXPECT_EQ(ask({}, functions).failed, NvmlStep::functions);
    EXPECT_EQ(fake.inits + fake.versions + fake.shutdowns, 0);
  }
}

TEST(AskBranch, TextFillingTheBufferIsReadToItsEnd) {
  Fake longest;
  longest.text = std::string(1000, '5');
  EXPECT_EQ(ask(longest).failed, NvmlStep::text);
  longest.text = "535." + std::string(1000, '5');
  EXPECT_EQ(ask(longest).branch, 535);
  EXPECT_EQ(std::strlen(ask(longest).version), kDriverVersionSize - 1);
}

}  // namespace
}  // namespace anycuda
