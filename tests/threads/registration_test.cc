// SPDX-License-Identifier: Apache-2.0

// What nvcc-built objects register: the runtime must get through a stub what it would have got from
// a program linked with it, in the same order, argument by argument.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fixture.h"
#include "tests/support/case_names.h"

namespace anycuda::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Lines = std::vector<std::string>;

class Registration : public testing::Test {
 protected:
  ProcessResult run(const std::string& name, const Lines& steps) {
    if (std::filesystem::exists(record())) machine.remove(record());
    Lines command = {program(name)};
    command.insert(command.end(), steps.begin(), steps.end());
    machine.env("FAKE_CUDART_RECORD", record().string());
    const ProcessResult result = machine.run(command, kWatchdog);
    EXPECT_TRUE(result.ok()) << result.describe();
    EXPECT_THAT(result.err, IsEmpty());
    return result;
  }
  Lines recorded() const { return lines_of_file(record()); }
  Lines record_of(const std::string& name, const Lines& steps) {
    run(name, steps);
    return recorded();
  }
  // Through the stub exactly what a program linked with the runtime itself gives it.
  void expect_the_same(const Lines& steps) {
    const Lines direct = record_of("importer_direct", steps);
    machine.library_path(fake("fake_recorder"));
    const Lines through_stub = record_of("importer_stub", steps);
    EXPECT_EQ(through_stub, direct);
    EXPECT_THAT(direct, Contains("GetDeviceCount")) << "the record itself must not be empty";
  }
  std::filesystem::path record() const { return machine.root() / "tmp/record"; }

  ThreadsMachine machine;
};

class RegistrationByNvcc : public Registration, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const std::string missing =
        Artifacts::of_this_build().why_missing(std::string("nvcc-") + GetParam());
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
  std::string kernels() const { return "+" + object(std::string("kernels-") + GetParam()); }
};

TEST_P(RegistrationByNvcc, OfOneObjectIsReplayed) {
  expect_the_same({kernels(), "call"});
  EXPECT_THAT(recorded(), Contains(HasSubstr("ManagedVar")));
  EXPECT_THAT(recorded(), Contains(HasSubstr("templated")));
}

TEST_P(RegistrationByNvcc, AfterTheFirstCallPassesStraightThrough) {
  expect_the_same({"call", kernels(), "call"});
}

INSTANTIATE_TEST_SUITE_P(Releases, RegistrationByNvcc, testing::Values("11.8", "12.4", "13.0"),
                         kPrintedName);

TEST_F(Registration, OfEveryKindIsReplayedWithEveryArgument) {
  expect_the_same({"+" + object("all_kinds"), "call"});
  EXPECT_THAT(recorded(), Contains(HasSubstr("Surface")));
  EXPECT_THAT(recorded(), Contains(HasSubstr("UnifiedTable")));
}

TEST_F(Registration, IsReplayedForTheFirstModuleQuery) {
  expect_the_same({"+" + object("all_kinds"), "init", "call"});
  EXPECT_THAT(recorded(), Contains(HasSubstr("InitModule")));
}

TEST_F(Registration, OfSeveralObjectsKeepsTheirOrder) {
  Lines steps;
  for (const char* release : {"11.8", "12.4", "13.0"}) {
    if (Artifacts::of_this_build().has(std::string("nvcc-") + release)) {
      steps.push_back("+" + object(std::string("kernels-") + release));
    }
  }
  steps.insert(steps.end(), {"+" + object("all_kinds"), "call"});
  expect_the_same(steps);
}

TEST_F(Registration, ObjectClosedAfterTheFirstCall_IsUndone) {
  expect_the_same({"+" + object("all_kinds"), "call", "-0", "call"});
  EXPECT_THAT(recorded(), Contains("#0 Unregister"));
}

TEST_F(Registration, ObjectClosedBeforeTheFirstCall_IsNeverMade) {
  machine.library_path(fake("fake_recorder"));
  const Lines lines = record_of("importer_stub", {"+" + object("all_kinds"), "-0", "call"});
  EXPECT_THAT(lines, ElementsAre("GetDeviceCount"));
}

// A child that is forked during a walk may hang.
TEST_F(Registration, WalksNoListOfTheDynamicLinker) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer walks the list itself";
  machine.library_path(fake("fake_recorder"));
  EXPECT_EQ(run("registration_walks", {}).out, "before a call: 0\ncall: some\nafter it: 0\n");
}

TEST_F(Registration, WithoutACallNeedsNoRuntime) {
  const ProcessResult result = run("importer_stub", {"+" + object("all_kinds"), "-0"});
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(record()));
}

// By fat binary: the registrations that the runtime got, after its address.
std::map<std::string, Lines> by_fat_binary(const Lines& lines) {
  std::map<std::string, Lines> calls;
  for (const std::string& line : lines) {
    const std::size_t space = line.find(' ');
    if (line[0] == '#') calls[line.substr(0, space)].push_back(line.substr(space + 1));
  }
  return calls;
}

TEST_F(Registration, ManyThreadsDuringTheReplay_NothingIsLost) {
  machine.library_path(fake("fake_recorder"));
  for (int i = 0; i < times(50); ++i) {
    std::map<std::string, int> seen;  // addresses of fat binaries
    int ended = 0;
    for (const auto& [number, calls] : by_fat_binary(record_of("registration_storm", {}))) {
      ASSERT_THAT(calls[0], HasSubstr("FatBinary")) << number << " in run " << i;
      ASSERT_EQ(++seen[calls[0]], 1) << calls[0] << " twice in run " << i;
      const bool taken_back = calls.back() == "Unregister";
      for (std::size_t c = 1; c + (taken_back ? 1 : 0) < calls.size(); ++c) {
        const std::string want = c <= 4 ? "f" + std::to_string(c - 1) + "'" : "FatBinaryEnd";
        ASSERT_THAT(calls[c], HasSubstr(want)) << number << " in run " << i;
      }
      // One that was unregistered during the replay may be cut short, the others must be whole.
      if (taken_back) continue;
      ASSERT_EQ(calls.size(), 6u) << number << " in run " << i;
      ++ended;
    }
    ASSERT_EQ(ended, 8 * 40) << "run " << i;
  }
}

TEST_F(Registration, LittleAddressSpace_NothingIsLost) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs terabytes of address space";
  machine.library_path(fake("fake_recorder"));
  for (const char* room : {"4000000", "8000000", "16000000", "40000000", "80000000", "400000000"}) {
    const ProcessResult result = run("little_memory", {room});
    EXPECT_EQ(result.out, "devices 0:3\n") << room << " bytes: " << result.describe();
    const std::map<std::string, Lines> calls = by_fat_binary(recorded());
    EXPECT_EQ(calls.size(), 4000u) << room << " bytes";
    for (const auto& [number, lines] : calls) {
      ASSERT_EQ(lines.size(), 3u) << number << " with " << room << " bytes";
    }
  }
}

// mlockall(MCL_FUTURE) makes every new page resident, and counts it: nothing may be reserved.
TEST_F(Registration, InLockedMemory_LocksOnlyUsedPages) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs terabytes of address space";
  machine.library_path(fake("fake_recorder"));
  for (const char* limit : {"3000000", "most"}) {
    const ProcessResult result = run("locked_memory", {limit});
    if (result.out.rfind("skip: ", 0) == 0) {
      std::printf("limit %s: %s", limit, result.out.c_str());
      continue;
    }
    EXPECT_EQ(result.out,
              "registered: little mapped, little locked\ndevices 0:3\n"
              "called: little mapped, little locked\n")
        << limit << " bytes: " << result.describe();
    EXPECT_EQ(by_fat_binary(recorded()).size(), 1000u) << limit << " bytes";
  }
}

// No registration can be kept then; the program goes on and prints the error.
TEST_F(Registration, WithoutAddressSpaceDoesNotCrash) {
  if (kSlowed) GTEST_SKIP() << "a sanitizer, an emulator or valgrind needs much address space";
  machine.library_path(fake("fake_recorder"));
  for (const char* room : {"0", "10000", "100000", "500000"}) {
    const ProcessResult result = machine.run({program("little_memory"), room}, kWatchdog);
    EXPECT_TRUE(result.ok()) << room << " bytes: " << result.describe();
    EXPECT_THAT(result.out, HasSubstr("devices ")) << room;
  }
}

}  // namespace
}  // namespace anycuda::test
