// SPDX-License-Identifier: Apache-2.0

// Which device code a driver loads, and which a GPU runs.
#include "compat/rules/device_code_rule.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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

// A line of device_code_gpus.txt: "sm_100f: 100 103".
struct Row {
  std::string name;
  CodeFacts code;
  std::set<int> gpus;
};

Row row_of(const std::string& line) {
  Row row;
  std::istringstream words(line);
  std::getline(words, row.name, ':');
  const std::string number = row.name.substr(row.name.find('_') + 1);
  const char last = number.empty() ? '\0' : number.back();
  const char target = last == 'a' || last == 'f' ? last : '\0';
  const int architecture = std::atoi(number.c_str());
  row.code = row.name.rfind("sm_", 0) == 0 ? cubin(architecture, {1, 7}, target)
                                           : ptx({8, 0}, architecture, target);
  for (int gpu = 0; words >> gpu;) row.gpus.insert(gpu);
  return row;
}

std::vector<Row> rows() {
  std::ifstream file(ANYCUDA_SOURCE_DIR "/tests/compat/rules/device_code_gpus.txt");
  std::vector<Row> found;
  for (std::string line; std::getline(file, line);) {
    if (line[0] != '#') found.push_back(row_of(line));
  }
  return found;
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

TEST(DeviceCodeRule, EveryCodeRunsOnTheGpusOfTheSharedFile) {
  const std::vector<Row> all = rows();
  std::set<int> gpus;
  for (const Row& row : all) gpus.insert(row.code.architecture);
  ASSERT_GE(gpus.size(), 24u);
  for (const Row& row : all) {
    std::set<int> found;
    for (const int gpu : gpus) {
      if (runs_on(gpu, row.code)) found.insert(gpu);
    }
    EXPECT_EQ(found, row.gpus) << row.name;
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

TEST(DeviceCodeRule, ACubinRunsOnItsMajorFromItsMinorOn) {
  EXPECT_TRUE(runs_on(80, cubin(80)));
  EXPECT_TRUE(runs_on(86, cubin(80)));
  EXPECT_FALSE(runs_on(80, cubin(86)));
  EXPECT_FALSE(runs_on(90, cubin(80)));
  EXPECT_FALSE(runs_on(120, cubin(100)));
  EXPECT_FALSE(runs_on(120, cubin(12)));
}

TEST(DeviceCodeRule, TegraCubinRunsOnlyOnItsGpu) {
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

TEST(DeviceCodeRule, WithoutAGpu_AllCodeIsAccepted) {
  EXPECT_TRUE(runs_on(0, cubin(90)));
  EXPECT_TRUE(runs_on(90, {}));
}

}  // namespace
}  // namespace anycuda
