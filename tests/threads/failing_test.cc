// SPDX-License-Identifier: Apache-2.0

// The effects of failing calls on the process: they take no lock, read no variable, pin no library,
// and are not final after a shortage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"

namespace anycuda::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Failing : public testing::Test {
 protected:
  std::string run(const std::string& name, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {program(name)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    result = machine.run(command, kWatchdog);
    EXPECT_TRUE(result.ok()) << result.describe();
    return result.out;
  }
  static std::string library(const std::string& name, const std::string& file) {
    return (fake(name) / file).string();
  }
  static std::string runtime() { return library("fake_cudart", "libcudart.so.12"); }

  ThreadsMachine machine;
  ProcessResult result;
};

constexpr char kLimited[] = "a sanitizer, an emulator or valgrind needs much address space";
constexpr char kCounted[] =
    "a sanitizer calls dl_iterate_phdr, which the program counts, before the program has started";

TEST_F(Failing, TakeNoLockThatAForkedChildWaitsFor) {
  if (kSanitized) GTEST_SKIP() << kCounted;
  EXPECT_EQ(run("failing_calls", {std::to_string(times(300)), object("plain")}),
            "first 35\nhung 0, failed 0, walks 0\n");
}

// One walk or a few for a library that was loaded, none for one that was unloaded.
TEST_F(Failing, LookAgainOnlyAfterALoadAndAdoptTheLibrary) {
  if (kSanitized) GTEST_SKIP() << kCounted;
  EXPECT_EQ(run("late_library", {object("plain"), runtime()}),
            "nothing 35:0 with walks\n"
            "nothing again 35:0 without a walk\n"
            "other loaded 35:0 with walks\n"
            "other loaded, again 35:0 without a walk\n"
            "other unloaded\n"
            "other unloaded 35:0 without a walk\n"
            "other unloaded, again 35:0 without a walk\n"
            "runtime loaded 0:3 with walks\n");
}

TEST_F(Failing, ReadNoMemoryThatAnUnloadHasFreed) {
  if (!kSanitized) machine.preload(object("unmapping_allocator"));
  EXPECT_EQ(run("unloading_calls", {object("plain"), runtime()}),
            "loaded 35:0\n"
            "unloaded meanwhile 35:0\n"
            "library unloaded\n"
            "unloaded 35:0\n"
            "runtime loaded 0:3\n");
}

TEST_F(Failing, ReadNoVariableWhileOtherThreadsSetSome) {
  EXPECT_EQ(run("settings", {"storm", runtime()}), "before 302\nafter 302\n");
}

TEST_F(Failing, SettingsCountUntilTheFirstCall) {
  EXPECT_EQ(run("settings", {"early", runtime()}), "named 0:3\n");
}

TEST_F(Failing, SettingsCountNoMoreAfterTheFirstCall) {
  EXPECT_EQ(run("settings", {"late", runtime()}), "first 35:0\nloaded 0:3\n");
}

TEST_F(Failing, LeaveALibraryThatIsRefusedToItsProgram) {
  EXPECT_EQ(run("refused_library", {library("fake_liar", "libcudart.so.13")}), "35:0 unloaded\n");
}

class Shortage : public Failing {
 protected:
  void with_fakes() {
    for (const char* name : {"fake_cudart", "fake_nvrtc", "fake_cuda"}) {
      machine.library_path(fake(name));
    }
  }
  // With nothing left at all.
  void expect_second_search_after(const std::string& what, const std::string& cause,
                                  const std::string& remedy) {
    with_fakes();
    EXPECT_EQ(run("shortage", {what, "0"}),
              "short: cudart 35:0 driver 0:0 nvrtc 11:0.0 cuda 3:0\n"
              "short again: cudart 35:0 driver 0:0 nvrtc 11:0.0 cuda 3:0\n"
              "after: cudart 0:3 driver 0:12090 nvrtc 0:12.9 cuda 0:12090\n");
    EXPECT_EQ(count_of(result.err, cause), 3) << "once for each stub: " << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 3u) << result.err;
    EXPECT_THAT(result.err, HasSubstr("; " + remedy + "; the next call searches again"));
  }
};

TEST_F(Shortage, OfDescriptorsIsNamedAndTheNextCallSearchesAgain) {
  expect_second_search_after("descriptors", "file descriptors have run out (EMFILE)",
                             "raise ulimit -n or close files");
}

TEST_F(Shortage, OfMemoryIsNamedAndTheNextCallSearchesAgain) {
  if (kSlowed) GTEST_SKIP() << kLimited;
  expect_second_search_after("memory", "memory has run out (ENOMEM)",
                             "raise ulimit -v or free memory");
}

TEST_F(Shortage, OfDataNamesItsLimit) {
  if (kSlowed) GTEST_SKIP() << kLimited;
  expect_second_search_after("data", "memory has run out (ENOMEM)",
                             "raise ulimit -d or free memory");
}

// In the middle of the search: in a folder, in a file, in the dynamic linker.
TEST_F(Shortage, AnywhereInTheSearchIsNotRemembered) {
  with_fakes();
  for (const char* left : {"1", "2", "3", "4"}) {
    EXPECT_THAT(run("shortage", {"descriptors", left}),
                HasSubstr("after: cudart 0:3 driver 0:12090 nvrtc 0:12.9 cuda 0:12090\n"));
  }
}

TEST_F(Shortage, OnTheRealLibrariesIsNotRemembered) {
  for (const char* artifact : {"cudart-12.9", "nvrtc-12.9"}) {
    const std::string missing = Artifacts::of_this_build().why_missing(artifact);
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
  machine.wheel(cudart, "12.9").wheel(nvrtc, "12.9").library_path(fake("fake_cuda"));
  const auto works = AllOf(HasSubstr("after: "), HasSubstr("driver 0:12090 nvrtc 0:12.9 cuda 0:"));
  EXPECT_THAT(run("shortage", {"descriptors", "0"}), works);
  EXPECT_THAT(result.err, HasSubstr("file descriptors have run out (EMFILE)"));
  if (kSlowed) return;
  EXPECT_THAT(run("shortage", {"memory", "0"}), works);
  // There is room for a search, but not for NVRTC.
  EXPECT_THAT(run("shortage", {"memory", "24"}), AllOf(HasSubstr("nvrtc 11:0.0"), works));
  EXPECT_THAT(result.err, HasSubstr("memory has run out (ENOMEM) while the NVRTC"));
}

}  // namespace
}  // namespace anycuda::test
