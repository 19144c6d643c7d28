// SPDX-License-Identifier: Apache-2.0

// Loading: libraries that are loaded already, those that the dynamic linker refuses, constructors
// that call back, threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "guard_rails_machine.h"

namespace anycuda::compat::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ALoadedLibrary, IsTakenBeforeAnyFile) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5").loaded("nvrtc", "12.9", "libnvrtc.so.12");
  GuardRailsImpl rails = machine.rails();
  const LoadedLibrary library = rails.load("nvrtc");
  EXPECT_EQ(library.path, "/opt/theirs/libnvrtc.so.12");
  EXPECT_TRUE(library.was_loaded);
  EXPECT_EQ(machine.times_asked("find"), 0);
  EXPECT_EQ(machine.times_asked("read /opt/theirs/libnvrtc.so.12"), 1);
}

TEST(ALoadedLibrary, IsEvaluatedByItsOwnToolkit) {
  RailsMachine machine;
  machine.driver("12.2", 535).library("nvrtc", "12.2").loaded("nvrtc", "13.5", "libnvrtc.so.13");
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }),
              AllOf(HasSubstr("/opt/theirs/libnvrtc.so.13"),
                    HasSubstr("the library is already loaded, and stays loaded")));
}

TEST(ALoadedLibrary, WithoutMetadataIsRefusedInStrictAndStays) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5").loaded("nvrtc", "", "libnvrtc.so.12");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "InsufficientMetadataError");
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }), HasSubstr("stays loaded"));
}

TEST(ALibraryThatIsNotLoaded, IsRefusedWithoutTheNoteOnStaying) {
  RailsMachine machine;
  machine.driver("12.2", 535).library("nvrtc", "13.5");
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }), Not(HasSubstr("stays")));
}

TEST(ALibraryThatWeHaveLoaded, WasNotLoadedByOthers) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5");
  GuardRailsImpl rails = machine.rails();
  EXPECT_FALSE(rails.load("nvrtc").was_loaded);
  EXPECT_FALSE(rails.load("nvrtc").was_loaded);
  GuardRailsImpl other = machine.rails();
  EXPECT_TRUE(other.load("nvrtc").was_loaded);
}

TEST(ALibraryThatTheLinkerRefuses, IsALoadErrorWithTheLinkersTextNotRemembered) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("cublas", "13.5");
  machine.unopenable(RailsMachine::path(Kind::dynamic_library, "nvrtc", "12.9"));
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "LoadError");
  EXPECT_THAT(
      message([&] { rails.load("nvrtc"); }),
      AllOf(HasSubstr("the dynamic linker refused nvrtc"), HasSubstr("undefined symbol: missing")));
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "accepted");
  machine.unopenable("").library("nvrtc", "13.5");
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
}

TEST(AConstructor, MayComeBackToTheGuardRails) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5").library("nvJitLink", "13.5");
  machine.headers("cudart", "13.5");
  GuardRailsImpl* rails = nullptr;
  std::vector<std::string> inside;
  machine.while_opening([&](const std::string& path) {
    if (path.find("/nvrtc") == std::string::npos) return;
    inside.push_back(outcome([&] { rails->load("nvJitLink"); }));
    inside.push_back(outcome([&] { rails->locate(Kind::headers, "cudart"); }));
    inside.push_back(outcome([&] { rails->declare({"nvrtc", "nvJitLink", {Format::ltoir}}); }));
    rails->clear();
  });
  GuardRailsImpl impl = machine.rails();
  rails = &impl;
  EXPECT_EQ(outcome([&] { impl.load("nvrtc"); }), "accepted");
  EXPECT_THAT(inside, testing::Each("accepted"));
  EXPECT_EQ(inside.size(), 3u);
}

// The thread would wait for ever if a lock were held while a library is opened.
TEST(AConstructor, MayWaitForAThreadThatUsesTheGuardRails) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5").library("nvJitLink", "13.5");
  GuardRailsImpl* rails = nullptr;
  std::string inside;
  machine.while_opening([&](const std::string& path) {
    if (path.find("/nvrtc") == std::string::npos) return;
    std::thread([&] { inside = outcome([&] { rails->load("nvJitLink"); }); }).join();
  });
  GuardRailsImpl impl = machine.rails();
  rails = &impl;
  impl.load("nvrtc");
  EXPECT_EQ(inside, "accepted");
}

TEST(AConstructor, MayAskForTheLibraryThatIsBeingOpened) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5");
  GuardRailsImpl* rails = nullptr;
  bool again = false;
  machine.while_opening([&](const std::string&) {
    if (!again) again = true, rails->load("nvrtc");
  });
  GuardRailsImpl impl = machine.rails();
  rails = &impl;
  EXPECT_FALSE(impl.load("nvrtc").was_loaded);
}

// What a constructor has had accepted counts: the library that it belongs to is refused, and said
// to stay.
TEST(AConstructor, ThatHasAConflictingComponentAcceptedComesFirst) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5").library("cublas", "12.9");
  GuardRailsImpl* rails = nullptr;
  machine.while_opening([&](const std::string& path) {
    if (path.find("/nvrtc") != std::string::npos) rails->load("cublas");
  });
  GuardRailsImpl impl = machine.rails();
  rails = &impl;
  EXPECT_THAT(
      message([&] { impl.load("nvrtc"); }),
      AllOf(HasSubstr("nvrtc and cublas must be of one CUDA major"), HasSubstr("stays loaded")));
  EXPECT_EQ(outcome([&] { impl.load("cublas"); }), "accepted");
}

TEST(Threads, ThatLoadTheSameLibraryGetTheSame) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5");
  GuardRailsImpl rails = machine.rails();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      const LoadedLibrary library = rails.load("nvrtc");
      if (!library.was_loaded && library.handle == &machine) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 16);
}

TEST(ALoadedLibrary, IsOfOthersAlsoAfterItWasRefusedOnce) {
  RailsMachine machine;
  machine.driver("13.5").loaded("nvrtc", "13.5", "libnvrtc.so.13").library("nvJitLink", "12.9");
  GuardRailsImpl* rails = nullptr;
  machine.while_opening([&](const std::string& path) {
    if (path.find("/libnvrtc") != std::string::npos) rails->load("nvJitLink");
  });
  GuardRailsImpl impl = machine.rails();
  rails = &impl;
  EXPECT_EQ(outcome([&] { impl.load("nvrtc"); }), "ToolkitMismatchError");
  impl.declare({"nvrtc", "nvJitLink", {Format::ptx}});
  EXPECT_TRUE(impl.load("nvrtc").was_loaded);
}

// Its owner may unload it then.
TEST(ALoadedLibrary, IsClosedAgainIfItIsRefusedOnceOpen) {
  RailsMachine machine;
  machine.driver("13.5").library("cublas", "12.9").loaded("nvrtc", "13.5", "libnvrtc.so.13");
  GuardRailsImpl* rails = nullptr;
  machine.while_opening([&](const std::string& path) {
    if (path.find("nvrtc") != std::string::npos) rails->load("cublas");
  });
  GuardRailsImpl impl = machine.rails();
  rails = &impl;
  EXPECT_THAT(message([&] { impl.load("nvrtc"); }), HasSubstr("stays loaded"));
  EXPECT_EQ(machine.times_asked("close"), 1);
}

TEST(ALibraryThatDoesNotNameWhatItNeeds, IsOpenedBehindThat) {
  RailsMachine machine;
  machine.driver("13.5").library("cufile", "13.5");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::dynamic_library, "cufile");
  EXPECT_EQ(machine.times_asked("need"), 0);
  rails.load("cufile");
  const std::string path = RailsMachine::path(Kind::dynamic_library, "cufile", "13.5");
  const std::vector<std::string> asked = machine.asked();
  EXPECT_THAT(std::vector<std::string>(asked.end() - 2, asked.end()),
              testing::ElementsAre("need librt.so.1", "open " + path));
  RailsMachine theirs;
  theirs.driver("13.5").loaded("cufile", "13.5", "libcufile.so.0");
  theirs.rails().load("cufile");
  EXPECT_EQ(theirs.times_asked("need"), 0) << "it is loaded, and has found it";
}

TEST(ALocatedLibrary, IsEvaluatedAndRememberedAndNotOpened) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5").library("cublas", "12.9");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(rails.locate(Kind::dynamic_library, "nvrtc").path,
            RailsMachine::path(Kind::dynamic_library, "nvrtc", "13.5"));
  EXPECT_EQ(outcome([&] { rails.locate(Kind::dynamic_library, "cublas"); }),
            "ToolkitMismatchError");
  EXPECT_EQ(machine.times_asked("open"), 0);
  EXPECT_FALSE(rails.load("nvrtc").was_loaded);
}

TEST(ALocatedLibrary, IsTheLoadedOneIfThereIsOne) {
  RailsMachine machine;
  machine.driver("13.5").library("cudart", "13.5").loaded("cudart", "12.9", "libcudart.so.12");
  GuardRailsImpl rails = machine.rails();
  const Located located = rails.locate(Kind::dynamic_library, "cudart");
  EXPECT_EQ(located.path, "/opt/theirs/libcudart.so.12");
  EXPECT_EQ(located.where, Found::loaded);
  machine.loaded("cudart", "13.5", "libcudart.so.13");
  EXPECT_THAT(message([&] { machine.rails().locate(Kind::dynamic_library, "cudart"); }),
              HasSubstr("only one major of the CUDA runtime"));
}

}  // namespace
}  // namespace anycuda::compat::test
