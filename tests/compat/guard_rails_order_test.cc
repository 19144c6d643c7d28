// SPDX-License-Identifier: Apache-2.0

// The order of the checks: of two rules that fail, the earlier one is named; facts that are not
// needed are not queried; a refused component changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard_rails_machine.h"

namespace anycuda::compat::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A machine on which every rule after metadata refuses cublas; each test takes failures away from
// the front.
struct Refused {
  RailsMachine machine;
  Options options;
  Refused() {
    machine.driver("12.2", 535).library("nvrtc", "12.2").library("cublas", "13.5");
    options.constraint = "==12.*";
  }
};

TEST(OrderOfChecks, DriverLibraryIsRememberedWithoutQueries) {
  RailsMachine machine;
  machine.no_driver().library("cuda", "");
  Options options;
  options.constraint = "==12.*";
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("cuda"); }), "accepted");
  const std::string path = RailsMachine::path(Kind::dynamic_library, "cuda", "");
  EXPECT_THAT(machine.asked(), ElementsAre("find cuda", "open " + path));
}

TEST(OrderOfChecks, PackagedElsewhere_IsRefusedBeforeItsMetadataIsRead) {
  RailsMachine machine;
  machine.no_driver().library("nccl", "");
  GuardRailsImpl rails = machine.rails();
  const std::string text = message([&] { rails.load("nccl"); });
  EXPECT_THAT(text, HasSubstr("released apart from the CUDA Toolkit"));
  EXPECT_THAT(machine.asked(), ElementsAre("find nccl"));
}

TEST(OrderOfChecks, MetadataComesBeforeTheConstraint) {
  Refused refused;
  refused.machine.library("cublas", "");
  GuardRailsImpl rails = refused.machine.rails(refused.options);
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "InsufficientMetadataError");
}

TEST(OrderOfChecks, TheConstraintComesBeforeTheAcceptedComponents) {
  Refused refused;
  GuardRailsImpl rails = refused.machine.rails(refused.options);
  rails.load("nvrtc");
  const std::string text = message([&] { rails.load("cublas"); });
  EXPECT_THAT(text, HasSubstr("does not satisfy the constraint ==12.*"));
}

TEST(OrderOfChecks, TheAcceptedComponentsComeBeforeTheDriver) {
  Refused refused;
  GuardRailsImpl rails = refused.machine.rails();
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "ToolkitMismatchError");
}

TEST(OrderOfChecks, TheDriverComesLast) {
  Refused refused;
  GuardRailsImpl rails = refused.machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "DriverToolkitError");
}

TEST(OrderOfChecks, AcceptedComponentsAreComparedInTheOrderOfTheirAcceptance) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.2").library("nvJitLink", "12.4");
  machine.library("cublas", "13.5");
  GuardRailsImpl rails = machine.rails();
  rails.load("nvJitLink");
  rails.load("nvrtc");
  const std::string text = message([&] { rails.load("cublas"); });
  EXPECT_THAT(text, HasSubstr("accepted before: nvJitLink"));
}

TEST(OrderOfChecks, RefusedByAnEarlierRule_DriverIsNotQueried) {
  Refused refused;
  GuardRailsImpl rails = refused.machine.rails(refused.options);
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "ToolkitMismatchError");
  EXPECT_EQ(refused.machine.times_asked("driver"), 0);
}

TEST(ARefusedComponent, IsNotLoaded) {
  Refused refused;
  GuardRailsImpl rails = refused.machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "DriverToolkitError");
  EXPECT_EQ(refused.machine.times_asked("open"), 0);
}

TEST(ARefusedComponent, IsNotRemembered) {
  RailsMachine machine;
  machine.driver("12.2", 535).library("cublas", "13.5").library("nvrtc", "12.2");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "DriverToolkitError");
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
}

TEST(ARefusedComponent, MayBeRequestedAgainAfterTheReasonIsGone) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.2").library("nvJitLink", "13.5");
  GuardRailsImpl rails = machine.rails();
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("nvJitLink"); }), "ToolkitMismatchError");
  rails.declare({"nvrtc", "nvJitLink", {Format::ptx}});
  EXPECT_EQ(outcome([&] { rails.load("nvJitLink"); }), "accepted");
}

TEST(TheSameComponentTwice, ChangesNothing) {
  RailsMachine machine;
  machine.driver("12.2", 535).library("nvrtc", "12.2");
  GuardRailsImpl rails = machine.rails();
  const LoadedLibrary first = rails.load("nvrtc");
  const std::vector<std::string> asked = machine.asked();
  const LoadedLibrary second = rails.load("NVRTC");
  EXPECT_EQ(first.handle, second.handle);
  EXPECT_EQ(first.path, second.path);
  EXPECT_FALSE(second.was_loaded);
  EXPECT_EQ(machine.asked(), asked);
}

TEST(TheSameComponentTwice, OlderDriverLater_IsStillAccepted) {
  RailsMachine machine;
  machine.driver("12.2", 535).headers("cudart", "12.2");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::headers, "cudart");
  machine.driver("11.4", 470);
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "cudart"); }), "accepted");
}

TEST(TheSameComponentTwice, IsAnotherComponentIfItIsOfAnotherToolkitNow) {
  RailsMachine machine;
  machine.driver("12.9", 575).headers("cudart", "12.2");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::headers, "cudart");
  machine.headers("cudart", "12.4");
  const std::string text = message([&] { rails.locate(Kind::headers, "cudart"); });
  EXPECT_THAT(
      text,
      HasSubstr("cudart (headers) and cudart (headers) must be of exactly the same CUDA Toolkit"));
}

TEST(ClearingCaches, DropsFoundPathsAndKeepsAcceptedComponents) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.2").library("cublas", "13.5");
  GuardRailsImpl rails = machine.rails();
  const LoadedLibrary before = rails.load("nvrtc");
  rails.clear();
  EXPECT_EQ(machine.times_asked("forget"), 1);
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "ToolkitMismatchError");
  EXPECT_EQ(rails.load("nvrtc").path, before.path);
}

TEST(ClearingCaches, KeepsPipelinesAndFactsThatWereGiven) {
  RailsMachine machine;
  machine.no_driver().library("nvrtc", "12.2").library("nvJitLink", "13.0");
  Options options;
  options.driver = DriverFacts{true, version("13.0"), 580};
  options.pipelines = {{"nvrtc", "nvJitLink", {Format::cubin}}};
  GuardRailsImpl rails = machine.rails(options);
  rails.clear();
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("nvJitLink"); }), "accepted");
  EXPECT_EQ(machine.times_asked("driver"), 0);
}

TEST(ALookUp, ThatFindsNothingIsAnErrorInEveryMode) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    RailsMachine machine;
    GuardRailsImpl rails = machine.rails(with_mode(mode));
    EXPECT_EQ(outcome([&] { rails.locate(Kind::program, "nvcc"); }), "NotFoundError");
    EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "NotFoundError");
  }
}

TEST(ALookUp, UnknownName_IsAnErrorInEveryMode) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    RailsMachine machine;
    GuardRailsImpl rails = machine.rails(with_mode(mode));
    EXPECT_EQ(outcome([&] { rails.load("nvrtcc"); }), "UnknownNameError");
    EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "nvcc2"); }), "UnknownNameError");
  }
}

TEST(ARefusedComponent, OnlyFound_IsNotRememberedEither) {
  RailsMachine machine;
  machine.driver("12.2", 535).headers("cudart", "13.5").headers("nvrtc", "12.2");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "cudart"); }), "DriverToolkitError");
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "nvrtc"); }), "accepted");
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "cudart"); }), "ToolkitMismatchError");
}

TEST(AnIncompatibleError, IsForContradictionsNotForUnknownFacts) {
  const auto incompatible = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const IncompatibleError&) {
      return true;
    } catch (const Error&) {
    }
    return false;
  };
  Refused driver;
  GuardRailsImpl by_driver = driver.machine.rails();
  EXPECT_TRUE(incompatible([&] { by_driver.load("cublas"); }));
  Refused constraint;
  GuardRailsImpl by_constraint = constraint.machine.rails(constraint.options);
  EXPECT_TRUE(incompatible([&] { by_constraint.load("cublas"); }));
  RailsMachine unknown;
  unknown.driver("13.5").library("nvrtc", "");
  GuardRailsImpl rails = unknown.rails();
  EXPECT_FALSE(incompatible([&] { rails.load("nvrtc"); }));
  EXPECT_FALSE(incompatible([&] { rails.load("nvJitLink"); }));
}

}  // namespace
}  // namespace anycuda::compat::test
