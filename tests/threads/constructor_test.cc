// SPDX-License-Identifier: Apache-2.0

// First calls among constructors and destructors, which run with the loader's lock held.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"

namespace anycuda::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Constructors : public testing::Test {
 protected:
  ProcessResult run(const std::string& name) {
    machine.library_path(fake("fake_recorder")).env("ANYCUDA_LOG", "info");
    machine.env("FAKE_CUDART_RECORD", record().string());
    const ProcessResult result = machine.run({program(name), object("imported")}, kWatchdog);
    EXPECT_TRUE(result.ok()) << result.describe();
    return result;
  }
  std::filesystem::path record() const { return machine.root() / "tmp/record"; }
  // No call may reach the runtime before all kernels are registered.
  void expect_calls_after_registrations() const {
    const std::vector<std::string> lines = lines_of_file(record());
    const auto call = std::find(lines.begin(), lines.end(), "GetDeviceCount");
    EXPECT_EQ(std::count(lines.begin(), call, "#0 FatBinaryEnd"), 1)
        << testing::PrintToString(lines);
    EXPECT_EQ(std::count(lines.begin(), call, "#1 FatBinaryEnd"), 1)
        << testing::PrintToString(lines);
  }

  ThreadsMachine machine;
};

TEST_F(Constructors, MayCallWhileAnotherThreadReplays) {
  const ProcessResult result = run("import_during_replay");
  EXPECT_EQ(result.out, "imported 1, first call 0:3, import's call 0:3\n") << result.describe();
  expect_calls_after_registrations();
  EXPECT_EQ(count_of(result.err, "using"), 1) << result.err;
}

TEST_F(Constructors, MayCallFirstWhileAnotherThreadCallsFirst) {
  const ProcessResult result = run("import_calls_first");
  EXPECT_EQ(result.out, "imported 1, import's call 0:3, other call 0:3\n") << result.describe();
  expect_calls_after_registrations();
  EXPECT_EQ(count_of(result.err, "using"), 1) << result.err;
}

TEST_F(Constructors, OfTheRuntimeMayWaitForAnotherThreadsCall) {
  const ProcessResult result = run("call_during_open");
  EXPECT_EQ(result.out, "first 0:3, second 0:3\n") << result.describe();
  EXPECT_EQ(count_of(result.err, "using"), 1) << result.err;
}

TEST_F(Constructors, OfTheRuntimeMayCallTheStub) {
  const ProcessResult result = run("recursion");
  EXPECT_EQ(result.out, "constructor 0:12090, fat binary 0:3, call 0:12090, first 0:3\n")
      << result.describe();
  EXPECT_EQ(count_of(result.err, "using"), 1) << result.err;
  const std::vector<std::string> lines = lines_of_file(record());
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "#0 FatBinaryEnd"), 1)
      << testing::PrintToString(lines);
}

TEST_F(Constructors, RuntimeMayCallTheStubAmongSixtyFourThreads) {
  for (int i = 0; i < times(100); ++i) {
    const ProcessResult result = run("constructor_recursion");
    ASSERT_EQ(result.out, "wrong answers: 0\n") << "run " << i << ": " << result.describe();
    ASSERT_EQ(count_of(result.err, "using"), 1) << result.err;
  }
}

TEST_F(Constructors, ObjectsMayRunInReverseWhileAnotherThreadReplays) {
  const ProcessResult result = run("removal_during_replay");
  EXPECT_EQ(result.out, "closed 1, first call 0:3\n") << result.describe();
  const std::vector<std::string> lines = lines_of_file(record());
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "#0 Unregister"), 1)
      << "the runtime must forget what it was given: " << testing::PrintToString(lines);
}

// The nested call is recorded before the end of the registrations, the other thread's after it.
TEST_F(Constructors, RuntimeCalls_OtherThreadsWaitForTheReplay) {
  const ProcessResult result = run("call_during_replay");
  EXPECT_EQ(result.out, "nested 0:3, other 0:3, first 0:3\n") << result.describe();
  std::vector<std::string> lines;
  for (const std::string& line : lines_of_file(record())) {
    if (line.find("Function") == std::string::npos)
      lines.push_back(line.substr(0, line.rfind(' ')));
  }
  EXPECT_THAT(lines, ElementsAre("#0 FatBinary", "GetDeviceCount", "#0", "#1 FatBinary", "#1",
                                 "GetDeviceCount", "GetDeviceCount"));
}

}  // namespace
}  // namespace anycuda::test
