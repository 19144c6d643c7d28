// SPDX-License-Identifier: Apache-2.0

// Several candidates of a component: the first that the rules accept is taken, and an error names
// all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard_rails_machine.h"

namespace anycuda::compat::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr Kind kLibrary = Kind::dynamic_library;
const std::string kFirst = RailsMachine::path(kLibrary, "nvrtc", "13.5");
const std::string kSecond = "/usr/local/cuda-12.4/lib64/libnvrtc.so.12";

// nvrtc of 13.5 in the nearest place, of 12.4 in the next.
class Candidates : public testing::Test {
 protected:
  Candidates() {
    machine.driver("13.5").library("nvrtc", "13.5").also(kLibrary, "nvrtc", "12.4", kSecond);
  }
  static Options constrained(const std::string& text, Mode mode = Mode::strict) {
    Options options = with_mode(mode);
    options.constraint = text;
    return options;
  }
  // What is loaded with these options.
  std::string loaded(const Options& options = {}) {
    GuardRailsImpl rails = machine.rails(options);
    return rails.load("nvrtc").path;
  }

  RailsMachine machine;
};

TEST_F(Candidates, BehindAnAcceptedOne_AreNotSearched) {
  EXPECT_EQ(loaded(), kFirst);
  EXPECT_EQ(machine.times_asked("find all"), 0);
  EXPECT_EQ(machine.times_asked("read " + kSecond), 0);
}

TEST_F(Candidates, ThatTheConstraintRefusesArePassedOver) {
  EXPECT_EQ(loaded(constrained("==12.*")), kSecond);
  EXPECT_EQ(machine.times_asked("open"), 1);
  EXPECT_EQ(machine.times_asked("open " + kSecond), 1);
}

TEST_F(Candidates, ThatTheDriverRefusesArePassedOver) {
  machine.driver("12.4", 550);
  EXPECT_EQ(loaded(), kSecond);
  EXPECT_EQ(machine.times_asked("driver"), 1);
}

TEST_F(Candidates, WithoutMetadataArePassedOverInStrict) {
  machine.library("nvrtc", "").also(kLibrary, "nvrtc", "12.4", kSecond);
  EXPECT_EQ(loaded(), kSecond);
}

TEST_F(Candidates, WithoutMetadataAreTakenInBestEffort) {
  machine.library("nvrtc", "").also(kLibrary, "nvrtc", "12.4", kSecond);
  EXPECT_EQ(loaded(with_mode(Mode::best_effort)), RailsMachine::path(kLibrary, "nvrtc", ""));
}

// 13.5 needs the branch of a driver of 13.0, which NVML does not say; 12.4 does not.
TEST_F(Candidates, ThatNeedAnUnknownBranchArePassedOverInStrict) {
  machine.driver("13.0");
  EXPECT_EQ(loaded(), kSecond);
}

TEST_F(Candidates, ThatNeedAnUnknownBranchAreTakenInBestEffort) {
  machine.driver("13.0");
  EXPECT_EQ(loaded(with_mode(Mode::best_effort)), kFirst);
}

TEST_F(Candidates, UnfitBesideAnAcceptedComponent_ArePassedOver) {
  machine.library("cublas", "12.9");
  GuardRailsImpl rails = machine.rails();
  rails.load("cublas");
  EXPECT_EQ(rails.load("nvrtc").path, kSecond);
}

TEST_F(Candidates, ThatADeclaredPipelineRefusesArePassedOver) {
  machine.library("nvJitLink", "12.6");
  Options options;
  options.pipelines = {{"nvrtc", "nvJitLink", {Format::ltoir}}};
  machine.library("nvrtc", "12.9").also(kLibrary, "nvrtc", "12.4", kSecond);
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvJitLink");
  EXPECT_EQ(rails.load("nvrtc").path, kSecond);
}

TEST_F(Candidates, OfOtherKindsArePassedOverTheSameWay) {
  for (const auto& [kind, name] : {std::pair{Kind::headers, "cudart"},
                                   {Kind::static_library, "cudart_static"},
                                   {Kind::bitcode_library, "libdevice"},
                                   {Kind::program, "nvcc"}}) {
    machine.install(kind, name, "13.5").also(kind, name, "12.4", "/opt/cuda-12.4/it");
    GuardRailsImpl rails = machine.rails(constrained("<13"));
    EXPECT_EQ(rails.locate(kind, name).path, "/opt/cuda-12.4/it") << name;
    EXPECT_EQ(rails.locate(kind, name).path, "/opt/cuda-12.4/it") << name << ", again";
  }
}

TEST_F(Candidates, ThatAreRefusedAreNotRemembered) {
  machine.library("cublas", "12.9");
  GuardRailsImpl rails = machine.rails(constrained("==12.*"));
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "accepted");
}

TEST_F(Candidates, AllAreNamedInTheErrorWithTheirReasons) {
  machine.driver("12.2", 535).also(kLibrary, "nvrtc", "", "/usr/lib/libnvrtc.so.12");
  GuardRailsImpl rails = machine.rails(constrained("!=12.4.*"));
  const std::string text = message([&] { rails.load("nvrtc"); });
  EXPECT_THAT(text, StartsWith("the driver is too old for nvrtc: CUDA 13.5 is of a newer major"));
  EXPECT_THAT(text, HasSubstr("\n  found: nvrtc (dynamic library) of CUDA 13.5: " + kFirst));
  EXPECT_THAT(text,
              HasSubstr("\n  also refused: nvrtc (dynamic library) of CUDA 12.4: " + kSecond +
                        " (CUDA_VERSION in " + kSecond +
                        ".cuda.h): nvrtc of CUDA 12.4 does not satisfy the constraint !=12.4.*"));
  EXPECT_THAT(text, HasSubstr("\n  also refused: nvrtc (dynamic library): /usr/lib/libnvrtc.so.12: "
                              "the CUDA Toolkit of nvrtc is unknown"));
  EXPECT_EQ(text.find("what to do"), text.rfind("what to do"));
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "DriverToolkitError");
}

// A program without its run bit, say: it may be what the user means.
TEST_F(Candidates, AreNamedWithTheFilesThatArePassedOver) {
  machine.passed_over("/home/me/bin/nvcc is not executable for this user");
  GuardRailsImpl rails = machine.rails(constrained("==11.*"));
  const std::string text = message([&] { rails.load("nvrtc"); });
  EXPECT_THAT(text,
              HasSubstr("\n  passed over: /home/me/bin/nvcc is not executable for this user\n"));
  EXPECT_LT(text.find("also refused"), text.find("passed over"));
  EXPECT_LT(text.find("passed over"), text.find("what to do"));
}

TEST_F(Candidates, BeyondANumberAreOnlyCounted) {
  for (int i = 0; i < 500; ++i) {
    machine.also(kLibrary, "nvrtc", "12.4", "/opt/cuda-" + std::to_string(i) + "/libnvrtc.so.12");
  }
  GuardRailsImpl rails = machine.rails(constrained("==11.*"));
  const std::string text = message([&] { rails.load("nvrtc"); });
  EXPECT_LT(text.size(), 10000u);
  EXPECT_THAT(text, HasSubstr("\n  also refused: 481 more files\n"));
}

TEST_F(Candidates, RefusedLoadedLibraryEndsTheSearch) {
  machine.loaded("nvrtc", "13.0", "libnvrtc.so.13");
  GuardRailsImpl rails = machine.rails(constrained("==12.*"));
  EXPECT_THAT(message([&] { rails.load("nvrtc"); }),
              AllOf(HasSubstr("/opt/theirs/libnvrtc.so.13"), Not(HasSubstr("also refused")),
                    HasSubstr("stays loaded")));
  EXPECT_EQ(machine.times_asked("find"), 0);
}

TEST_F(Candidates, CannotHelpADriverThatDoesNotAnswer) {
  machine.no_driver();
  EXPECT_EQ(outcome([&] { loaded(); }), "DriverQueryError");
  EXPECT_EQ(machine.times_asked("find all") + machine.times_asked("read " + kSecond), 0);
  EXPECT_EQ(machine.times_asked("driver"), 1);
}

TEST_F(Candidates, CannotHelpAComponentThatIsReleasedApart) {
  machine.library("nccl", "").also(kLibrary, "nccl", "", "/usr/lib/libnccl.so.2");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("nccl"); }), "InsufficientMetadataError");
  EXPECT_EQ(machine.times_asked("find all"), 0);
}

TEST_F(Candidates, Off_AreNotCompared) {
  EXPECT_EQ(loaded(constrained("==12.*", Mode::off)), kFirst);
  EXPECT_EQ(machine.times_asked("find all"), 0);
}

// The user must know of a broken installation: no other candidate takes its place.
TEST_F(Candidates, BehindOneThatDoesNotOpenAreNotTaken) {
  machine.unopenable(kFirst);
  EXPECT_EQ(outcome([&] { loaded(); }), "LoadError");
}

// ---- what opening a library shows

TEST_F(Candidates, ThatLieArePassedOver) {
  machine.lies(kFirst, "it reports CUDA 12.9");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(rails.load("nvrtc").path, kSecond);
  EXPECT_EQ(rails.load("nvrtc").path, kSecond);
  EXPECT_EQ(machine.times_asked("open " + kFirst), 1);
}

TEST_F(Candidates, ThatLieAreNamedInTheErrorWithTheOthers) {
  machine.lies(kFirst, "it reports CUDA 12.9");
  const auto refused = [&] { machine.rails(constrained("==13.*")).load("nvrtc"); };
  EXPECT_EQ(outcome(refused), "LoadError");
  EXPECT_THAT(
      message(refused),
      AllOf(StartsWith("nvrtc is not the library that its file seems to be: it reports "
                       "CUDA 12.9\n  found: nvrtc (dynamic library) of CUDA 13.5: " +
                       kFirst),
            HasSubstr("\n  also refused: nvrtc (dynamic library) of CUDA 12.4: " + kSecond)));
  const auto other = [&] { machine.rails(constrained("==11.*")).load("nvrtc"); };
  EXPECT_EQ(outcome(other), "ToolkitMismatchError");
}

TEST_F(Candidates, ThatLieArePassedOverInEveryMode) {
  for (const Mode mode : {Mode::best_effort, Mode::off}) {
    RailsMachine fresh;
    fresh.driver("13.5").library("nvrtc", "13.5").also(kLibrary, "nvrtc", "12.4", kSecond);
    fresh.lies(kFirst, "it reports CUDA 12.9");
    EXPECT_EQ(fresh.rails(with_mode(mode)).load("nvrtc").path, kSecond);
  }
}

TEST_F(Candidates, ThatLieAreForgottenWhereTheyWereAccepted) {
  machine.lies(kFirst, "it reports CUDA 12.9");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(rails.locate(kLibrary, "nvrtc").path, kFirst);
  EXPECT_EQ(rails.load("nvrtc").path, kSecond);
}

TEST_F(Candidates, AreNotOpenedBesideOneThatCannotBeClosed) {
  machine.lies(kFirst, "it reports CUDA 12.9").cannot_close();
  EXPECT_THAT(
      message([&] { loaded(); }),
      AllOf(HasSubstr("it cannot be closed again, so no other file is opened"), HasSubstr(kFirst)));
  EXPECT_EQ(machine.times_asked("open " + kSecond), 0);
}

TEST_F(Candidates, AreOfTheVersionThatTheyReport) {
  machine.reports(kFirst, "13.2").library("nvJitLink", "13.4");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(rails.locate(kLibrary, "nvrtc").path, kFirst);
  EXPECT_EQ(rails.load("nvrtc").path, kFirst);
  rails.load("nvJitLink");
  EXPECT_EQ(outcome([&] {
              rails.declare({"nvrtc", "nvJitLink", {Format::ltoir}});
            }),
            "accepted")
      << "an nvrtc of 13.5 would be too new";
}

TEST_F(Candidates, ThatTheirReportedVersionRefusesArePassedOver) {
  machine.reports(kFirst, "13.2");
  EXPECT_EQ(loaded(constrained("!=13.2.*")), kSecond);
}

TEST_F(Candidates, AreCheckedAgainAsOfTheVersionThatTheyReport) {
  machine.reports(kFirst, "12.2").reports(kSecond, "12.2");
  GuardRailsImpl rails = machine.rails(constrained("!=12.2.*"));
  EXPECT_EQ(rails.locate(kLibrary, "nvrtc").path, kFirst);
  EXPECT_THAT(
      message([&] { rails.load("nvrtc"); }),
      AllOf(StartsWith("nvrtc of CUDA 12.2 does not satisfy the constraint !=12.2.*"),
            HasSubstr("of CUDA 12.2: " + kFirst + " (version by its own version function)"),
            HasSubstr("\n  also refused: nvrtc (dynamic library) of CUDA 12.2: " + kSecond)));
}

TEST_F(Candidates, UnopenableBehindAMisreportedOne_IsTheError) {
  machine.lies(kFirst, "it reports CUDA 12.9").unopenable(kSecond);
  EXPECT_EQ(outcome([&] { machine.rails().load("nvrtc"); }), "LoadError");
  EXPECT_THAT(
      message([&] { machine.rails().load("nvrtc"); }),
      AllOf(StartsWith("the dynamic linker refused nvrtc"),
            HasSubstr("\n  also refused: nvrtc (dynamic library) of CUDA 13.5: " + kFirst)));
}

TEST(ARefusal, IsOfTheCandidateUnlessAllWouldBeRefused) {
  for (const Step step : {Step::no_metadata, Step::constraint, Step::flow, Step::pair, Step::driver,
                          Step::no_branch, Step::not_its_file}) {
    EXPECT_TRUE(is_of_candidate(step)) << static_cast<int>(step);
  }
  EXPECT_FALSE(is_of_candidate(Step::packaged_elsewhere));
  EXPECT_FALSE(is_of_candidate(Step::runtime_loaded));
  EXPECT_FALSE(is_of_candidate(Step::not_opened));
}

}  // namespace
}  // namespace anycuda::compat::test
