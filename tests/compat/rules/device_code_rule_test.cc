// Which device code a driver loads, and which a GPU runs.
#include "compat/rules/device_code_rule.h"

#include <gtest/gtest.h>

namespace anycuda {
namespace {

CodeFacts cubin(int architecture, Version format = {1, 7}, char target = 0) {
  return {CodeFacts::Kind::cubin, architecture, target, format, {}};
}
CodeFacts ptx(Version version, int architecture = 80, char target = 0) {
  return {CodeFacts::Kind::ptx, architecture, target, version, version};
}
CodeFacts beside_ptx(CodeFacts code, Version newest_ptx) {
  code.newest_ptx = newest_ptx;
  return code;
}

TEST(DeviceCodeRule, PtxNeedsADriverOfTheCudaThatBroughtIt) {
  EXPECT_TRUE(loads({12, 4}, ptx({8, 4})));
  EXPECT_FALSE(loads({12, 3}, ptx({8, 4})));
  EXPECT_TRUE(loads({12, 6}, ptx({8, 5}))) << "12.6 has the PTX of 12.5";
  EXPECT_FALSE(loads({12, 6}, ptx({8, 6})));
  EXPECT_TRUE(loads({13, 0}, ptx({7, 8})));
  EXPECT_FALSE(loads({12, 9}, ptx({9, 0})));
}

TEST(DeviceCodeRule, PtxNewerThanEveryRowNeedsANewerDriverThanEveryRow) {
  EXPECT_FALSE(loads({13, 5}, ptx({99, 0})));
  EXPECT_TRUE(loads({99, 0}, ptx({99, 0})));
}

TEST(DeviceCodeRule, CubinsOfTheNewFormatNeedADriverThatKnowsIt) {
  EXPECT_TRUE(loads({12, 2}, cubin(80)));
  EXPECT_FALSE(loads({12, 9}, cubin(80, {1, 8})));
  EXPECT_TRUE(loads({13, 0}, cubin(80, {1, 8})));
  EXPECT_FALSE(loads({12, 4}, cubin(120, {1, 8})));
  EXPECT_TRUE(loads({12, 8}, cubin(120, {1, 8})));
}

TEST(DeviceCodeRule, ThePtxBesideACubinTellsItsMajor) {
  EXPECT_FALSE(loads({12, 9}, beside_ptx(cubin(100, {1, 8}), {9, 0})));
  EXPECT_TRUE(loads({13, 0}, beside_ptx(cubin(100, {1, 8}), {9, 2}))) << "minors serve each other";
  EXPECT_TRUE(loads({12, 8}, beside_ptx(cubin(100, {1, 8}), {8, 8})));
  EXPECT_FALSE(loads({12, 4}, beside_ptx(cubin(100, {1, 8}), {8, 8})));
  EXPECT_FALSE(loads({11, 8}, beside_ptx(cubin(80), {8, 4})));
  EXPECT_TRUE(loads({12, 0}, beside_ptx(cubin(80), {8, 4})));
}

TEST(DeviceCodeRule, NothingIsKnownAgainstWhatHasNoRule) {
  EXPECT_TRUE(loads({}, ptx({9, 0})));
  EXPECT_TRUE(loads({11, 0}, {}));
  EXPECT_TRUE(loads({11, 0}, ptx({})));
  EXPECT_TRUE(loads({11, 0}, cubin(80, {})));
  EXPECT_FALSE(oldest_cuda_for(cubin(80)).known());
}

TEST(DeviceCodeRule, ACubinRunsOnItsMajorFromItsMinorOn) {
  EXPECT_TRUE(runs_on(80, cubin(80)));
  EXPECT_TRUE(runs_on(86, cubin(80)));
  EXPECT_FALSE(runs_on(80, cubin(86)));
  EXPECT_FALSE(runs_on(90, cubin(80)));
  EXPECT_FALSE(runs_on(120, cubin(100)));
  EXPECT_FALSE(runs_on(120, cubin(12)));
}

TEST(DeviceCodeRule, ACubinOfTegraRunsOnItsOwnGpuAlone) {
  EXPECT_TRUE(runs_on(87, cubin(87)));
  EXPECT_FALSE(runs_on(89, cubin(87)));
  EXPECT_FALSE(runs_on(87, cubin(86)));
  EXPECT_TRUE(runs_on(87, ptx({8, 0}, 80)));
}

TEST(DeviceCodeRule, PtxRunsOnEveryLaterGpu) {
  EXPECT_TRUE(runs_on(120, ptx({8, 0}, 50)));
  EXPECT_FALSE(runs_on(75, ptx({8, 0}, 80)));
}

TEST(DeviceCodeRule, CodeForOneGpuOrAFamilyStaysThere) {
  EXPECT_TRUE(runs_on(90, cubin(90, {1, 7}, 'a')));
  EXPECT_FALSE(runs_on(100, ptx({8, 0}, 90, 'a')));
  EXPECT_FALSE(runs_on(103, cubin(100, {1, 8}, 'a')));
  EXPECT_TRUE(runs_on(103, cubin(100, {1, 8}, 'f')));
  EXPECT_TRUE(runs_on(103, ptx({8, 8}, 100, 'f')));
  EXPECT_FALSE(runs_on(120, ptx({8, 8}, 100, 'f')));
}

TEST(DeviceCodeRule, WithoutAGpuNothingIsAgainstAnyCode) {
  EXPECT_TRUE(runs_on(0, cubin(90)));
  EXPECT_TRUE(runs_on(90, {}));
}

}  // namespace
}  // namespace anycuda
