// SPDX-License-Identifier: Apache-2.0

// First calls of many threads at once, in a new process each time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "fixture.h"

namespace anycuda::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr char kFakeAnswers[] =
    "devices 0:3 runtime 0:12090 runtime12 0:12090 driver 0:12090 nvrtc 0:12.9 nvjitlink 0:1209 "
    "cuInit 0 cuDriver 0:12090\n";

Machine& with_fakes(Machine& machine) {
  for (const char* name : {"fake_cudart", "fake_nvrtc", "fake_nvjitlink", "fake_cuda"}) {
    machine.library_path(fake(name));
  }
  return machine;
}

// `driver`: the CUDA that the driver supports, as it says it.
template <typename Install>
void expect_one_answer_on(const std::vector<std::string>& artifacts, const std::string& driver,
                          int runs, Install install) {
  for (const std::string& artifact : artifacts) {
    const std::string missing = Artifacts::of_this_build().why_missing(artifact);
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
  ThreadsMachine machine;
  install(machine);
  std::string first;
  for (int i = 0; i < runs; ++i) {
    const ProcessResult result = machine.run({program("first_calls")}, kWatchdog);
    ASSERT_TRUE(result.ok()) << "run " << i << ": " << result.describe();
    ASSERT_THAT(lines_of(result.out), SizeIs(1)) << "run " << i << ": " << result.describe();
    ASSERT_THAT(result.err, IsEmpty()) << "run " << i;
    if (first.empty()) first = result.out;
    ASSERT_EQ(result.out, first) << "run " << i;
  }
  EXPECT_THAT(first, testing::HasSubstr("runtime 0:12090 runtime12 0:12090 driver 0:" + driver +
                                        " nvrtc 0:12.9 nvjitlink 0:1209"));
}

TEST(FirstCalls, OfSixtyFourThreadsGetTheSameAnswer) {
  ThreadsMachine machine;
  with_fakes(machine);
  for (int i = 0; i < times(1000); ++i) {
    const ProcessResult result = machine.run({program("first_calls")}, kWatchdog);
    ASSERT_TRUE(result.ok()) << "run " << i << ": " << result.describe();
    ASSERT_EQ(result.out, kFakeAnswers) << "run " << i;
    ASSERT_THAT(result.err, IsEmpty()) << "run " << i;
  }
}

TEST(FirstCalls, OfSixtyFourThreadsOpenEachLibraryOnce) {
  ThreadsMachine machine;
  with_fakes(machine).env("ANYCUDA_LOG", "info");
  for (int i = 0; i < times(100); ++i) {
    const ProcessResult result = machine.run({program("first_calls")}, kWatchdog);
    ASSERT_TRUE(result.ok()) << "run " << i << ": " << result.describe();
    for (const char* name : {"cudart", "nvrtc", "nvjitlink", "cuda"}) {
      ASSERT_EQ(count_of(result.err, "anycuda: " + std::string(name) + ": using "), 1)
          << "run " << i << ": " << result.describe();
    }
  }
}

// Each thread opens the newest, which reports another version, and closes it, while others find it
// loaded: they must not refuse the next library for that, nor report that this one stays.
TEST(FirstCalls, SixtyFourThreadsMeetAtALibraryRefusedAfterOpening) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_liar"));
  with_fakes(machine);
  for (int i = 0; i < times(100); ++i) {
    const ProcessResult result = machine.run({program("first_calls")}, kWatchdog);
    ASSERT_TRUE(result.ok()) << "run " << i << ": " << result.describe();
    ASSERT_EQ(result.out, kFakeAnswers) << "run " << i << ": " << result.describe();
    ASSERT_THAT(result.err, IsEmpty()) << "run " << i;
  }
}

// The same where each thread waits for the other one at the worst moment.
TEST(FirstCalls, SecondThreadIsServedWhileTheFirstRefusesALibrary) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_liar")).library_path(fake("fake_cudart"));
  for (const char* order : {"before", "beside"}) {
    const ProcessResult result = machine.run({program("call_during_refusal"), order}, kWatchdog);
    EXPECT_TRUE(result.ok()) << result.describe();
    EXPECT_EQ(result.out, "first 0:3, second 0:3\n") << order << ": " << result.describe();
    EXPECT_THAT(result.err, IsEmpty()) << order;
  }
}

// While one thread finds out that the newest runtime does not open, the others see it among what
// the process has loaded.
TEST(FirstCalls, UnopenableLibraryIsPassedOverInEveryThread) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_broken")).library_path(fake("fake_recorder"));
  machine.put_folder("pipe").library_path("pipe");
  const std::string pipe = machine.root() / "pipe/libgone.so";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const ProcessResult result = machine.run({program("call_during_failing_open"), pipe}, kWatchdog);
  EXPECT_TRUE(result.ok()) << result.describe();
  EXPECT_EQ(result.out, "first 0:3, second 0:3\n") << result.describe();
  EXPECT_THAT(result.err, IsEmpty());
}

// All of them are questions, which only the level warn reports.
TEST(FirstCalls, WithoutAnyLibraryAreReportedOncePerStub) {
  ThreadsMachine machine;
  EXPECT_THAT(machine.run({program("first_calls")}, kWatchdog).err, IsEmpty());
  machine.env("ANYCUDA_LOG", "warn");
  for (int i = 0; i < times(300); ++i) {
    const ProcessResult result = machine.run({program("first_calls")}, kWatchdog);
    ASSERT_TRUE(result.ok()) << "run " << i << ": " << result.describe();
    ASSERT_THAT(lines_of(result.out), SizeIs(1)) << "run " << i << ": " << result.describe();
    ASSERT_EQ(result.out.rfind("devices 35:0 ", 0), 0u) << result.describe();
    ASSERT_EQ(count_of(result.err, "anycuda: "), 4) << "run " << i << ": " << result.describe();
  }
}

// In the middle of a search a thread has open files and memory.
TEST(FirstCalls, OfACancelledThreadComeToTheirEnd) {
  for (const char* log : {"error", "debug"}) {  // debug: every fact is read, and reported
    ThreadsMachine machine;
    with_fakes(machine).env("ANYCUDA_LOG", log);
    const ProcessResult result = machine.run({program("cancelled")}, kWatchdog);
    EXPECT_TRUE(result.ok()) << result.describe();
    EXPECT_EQ(result.out, "returned 1, status 0:3, cancelled 1, unwound 1, files left open 0\n")
        << log << ": " << result.describe();
  }
}

TEST(FirstCalls, OfACancelledThreadAreReportedIfTheyFail) {
  ThreadsMachine machine;
  machine.put_file("empty/libcudart.so.12", "").library_path(machine.root() / "empty");
  const ProcessResult result = machine.run({program("cancelled")}, kWatchdog);
  EXPECT_TRUE(result.ok()) << result.describe();
  EXPECT_EQ(result.out, "returned 1, status 35:0, cancelled 1, unwound 1, files left open 0\n")
      << result.describe();
  EXPECT_THAT(result.err, testing::HasSubstr("no usable CUDA runtime was found"));
}

// The driver apart: its cuInit reads the whole computer over, sixty-four times here.
// ThreadSanitizer sees no more of the real libraries than of the fakes, and takes a second to make
// room for them.
TEST(FirstCalls, RealLibraries_AllThreadsGetTheSameAnswer) {
  expect_one_answer_on({"cudart-12.9", "nvrtc-12.9", "nvjitlink-12.9"}, "12090",
                       kSlowed ? 25 : times(1000), [](Machine& m) {
                         m.wheel(cudart, "12.9").wheel(nvrtc, "12.9").wheel(nvjitlink, "12.9");
                         m.library_path(fake("fake_cuda"));
                       });
}

TEST(FirstCalls, RealLibrariesAndDriver_AllThreadsGetTheSameAnswer) {
  expect_one_answer_on({"cudart-12.9", "nvrtc-12.9", "nvjitlink-12.9", "driver-535"}, "12020",
                       times(10), [](Machine& m) {
                         m.wheel(cudart, "12.9").wheel(nvrtc, "12.9").wheel(nvjitlink, "12.9");
                         m.driver(535);
                       });
}

}  // namespace
}  // namespace anycuda::test
