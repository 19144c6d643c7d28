// SPDX-License-Identifier: Apache-2.0

// Which device code a driver loads.
#include "device_code/rules/device_code_rule.h"

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

TEST(DeviceCodeRule, DriversBefore12_4ReadNoZstd) {
  for (CodeFacts code : {ptx({8, 0}), ptx({7, 8}), beside_ptx(cubin(80), {8, 7}), cubin(80)}) {
    EXPECT_TRUE(loads({12, 3}, code));
    code.zstd = true;
    EXPECT_FALSE(loads({12, 3}, code));
    EXPECT_TRUE(loads({12, 4}, code));
  }
  CodeFacts newer_ptx = ptx({8, 7});
  newer_ptx.zstd = true;
  EXPECT_FALSE(loads({12, 7}, newer_ptx));
  EXPECT_TRUE(loads({12, 8}, newer_ptx));
  CodeFacts other = newer_ptx;
  other.kind = CodeFacts::Kind::other;
  EXPECT_TRUE(loads({11, 8}, other));
}

TEST(DeviceCodeRule, TheDriverOf13_0PassesOverConcatenatedEntries) {
  for (CodeFacts code : {ptx({9, 0}), cubin(90)}) {
    EXPECT_TRUE(loads({13, 0}, code));
    code.concatenated = true;
    EXPECT_FALSE(loads({13, 0}, code));
    EXPECT_TRUE(loads({13, 1}, code));
  }
}

TEST(DeviceCodeRule, PtxNeedsADriverOfTheCudaThatBroughtIt) {
  EXPECT_TRUE(loads({12, 4}, ptx({8, 4})));
  EXPECT_FALSE(loads({12, 3}, ptx({8, 4})));
  EXPECT_TRUE(loads({12, 6}, ptx({8, 5}))) << "12.6 has the PTX of 12.5";
  EXPECT_FALSE(loads({12, 6}, ptx({8, 6})));
  EXPECT_TRUE(loads({13, 0}, ptx({7, 8})));
  EXPECT_FALSE(loads({12, 9}, ptx({9, 0})));
}

TEST(DeviceCodeRule, PtxNewerThanAllRows_NeedsANewerDriver) {
  EXPECT_FALSE(loads({13, 5}, ptx({99, 0})));
  EXPECT_TRUE(loads({99, 0}, ptx({99, 0})));
}

TEST(DeviceCodeRule, NewCubinFormatNeedsADriverThatReadsIt) {
  EXPECT_TRUE(loads({12, 2}, cubin(80)));
  EXPECT_FALSE(loads({12, 9}, cubin(80, {1, 8})));
  EXPECT_TRUE(loads({13, 0}, cubin(80, {1, 8})));
  EXPECT_FALSE(loads({12, 4}, cubin(120, {1, 8})));
  EXPECT_TRUE(loads({12, 8}, cubin(120, {1, 8})));
}

TEST(DeviceCodeRule, PtxBesideACubinShowsItsMajor) {
  EXPECT_FALSE(loads({12, 9}, beside_ptx(cubin(100, {1, 8}), {9, 0})));
  EXPECT_TRUE(loads({13, 0}, beside_ptx(cubin(100, {1, 8}), {9, 2}))) << "minors serve each other";
  EXPECT_TRUE(loads({12, 8}, beside_ptx(cubin(100, {1, 8}), {8, 8})));
  EXPECT_FALSE(loads({12, 4}, beside_ptx(cubin(100, {1, 8}), {8, 8})));
  EXPECT_FALSE(loads({11, 8}, beside_ptx(cubin(80), {8, 4})));
  EXPECT_TRUE(loads({12, 0}, beside_ptx(cubin(80), {8, 4})));
}

TEST(DeviceCodeRule, CodeWithoutARule_IsAccepted) {
  EXPECT_TRUE(loads({}, ptx({9, 0})));
  EXPECT_TRUE(loads({11, 0}, {}));
  EXPECT_TRUE(loads({11, 0}, ptx({})));
  EXPECT_TRUE(loads({11, 0}, cubin(80, {})));
  EXPECT_FALSE(oldest_cuda_for(cubin(80)).known());
}

}  // namespace
}  // namespace anycuda
