// SPDX-License-Identifier: Apache-2.0

// First calls around fork.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"

namespace anycuda::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Fork : public testing::Test {
 protected:
  ProcessResult run(const std::string& name) {
    machine.library_path(fake("fake_recorder")).env("FAKE_CUDART_RECORD", record().string());
    const ProcessResult result = machine.run({program(name)}, kWatchdog);
    EXPECT_TRUE(result.ok()) << result.describe();
    EXPECT_THAT(result.err, IsEmpty());
    return result;
  }
  std::filesystem::path record() const { return machine.root() / "tmp/record"; }
  // The names of what was registered, in order, and the calls.
  static std::vector<std::string> told(const std::filesystem::path& file) {
    std::vector<std::string> told;
    for (const std::string& line : lines_of_file(file)) {
      const std::size_t name = line.find('\'');
      if (line[0] != '#') told.push_back(line);
      if (name != std::string::npos)
        told.push_back(line.substr(name + 1, line.find('\'', name + 1) - name - 1));
      if (line.find("End") != std::string::npos) told.push_back("end");
    }
    return told;
  }

  ThreadsMachine machine;
};

const auto kEverything = ElementsAre("one", "end", "two", "end", "three", "end", "GetDeviceCount");

TEST_F(Fork, BeforeTheFirstCall_BothSidesKeepTheRegistrations) {
  EXPECT_EQ(run("fork_before_call").out, "child 0:3\nparent 0:3\n");
  EXPECT_THAT(told(record()), kEverything);
  EXPECT_THAT(told(record().string() + ".child"), kEverything);
}

TEST_F(Fork, DuringTheReplay_ChildFinishesIt) {
  EXPECT_EQ(run("fork_during_replay").out, "child 0:3\nparent 0:3\n");
  EXPECT_THAT(told(record()), kEverything);
  EXPECT_THAT(told(record().string() + ".child"), kEverything);
}

TEST_F(Fork, DuringTheReplay_FirstProcessOfANamespaceFinishesIt) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer does not see a child of clone()";
  machine.library_path(fake("fake_recorder"));
  const ProcessResult result = machine.run({program("fork_into_namespace")}, kWatchdog);
  if (result.out.rfind("skip: ", 0) == 0) GTEST_SKIP() << result.out;
  EXPECT_EQ(result.out, "child 0:3\nparent 0:3\n") << result.describe();
}

TEST_F(Fork, DuringTheOpening_ChildCanCall) {
  EXPECT_EQ(run("fork_during_open").out, "child 0:3\nparent 0:3\n");
  EXPECT_THAT(told(record()), ElementsAre("kernel", "end", "GetDeviceCount"));
  EXPECT_THAT(told(record().string() + ".child"), ElementsAre("kernel", "end", "GetDeviceCount"));
}

// (registration_log_stops_test.cc forks after each instruction of the log's appender.)
TEST_F(Fork, DuringRegistrations_ChildrenCanCall) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own locks may be held at the fork";
  machine.library_path(fake("fake_recorder"));
  const int children = times(60);
  const ProcessResult result =
      machine.run({program("fork_during_registration"), std::to_string(children)}, kWatchdog);
  EXPECT_TRUE(result.ok()) << result.describe();
  EXPECT_EQ(count_of(result.out, "child 0:3\n"), children);
  EXPECT_EQ(count_of(result.out, "\n"), children) << result.out;
}

}  // namespace
}  // namespace anycuda::test
