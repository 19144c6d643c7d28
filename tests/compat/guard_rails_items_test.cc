// SPDX-License-Identifier: Apache-2.0

// Accepted components against each other: components, companions, independent components, two
// runtimes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard_rails_machine.h"
#include "tests/support/case_names.h"

namespace anycuda::compat::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct End {
  Kind kind;
  const char* name;
};

enum class Bound { exactly, byMajor };

struct Pair {
  End first;
  End second;
  Bound bound;
};

constexpr Kind kLibrary = Kind::dynamic_library;

class TwoComponents : public testing::TestWithParam<Pair> {
 protected:
  std::string together(const std::string& first, const std::string& second) {
    const Pair& pair = GetParam();
    RailsMachine machine;
    machine.driver("13.5").install(pair.first.kind, pair.first.name, first);
    machine.install(pair.second.kind, pair.second.name, second);
    GuardRailsImpl rails = machine.rails();
    const auto take = [&](const End& end) {
      return outcome([&] {
        if (end.kind == kLibrary) {
          rails.load(end.name);
        } else {
          rails.locate(end.kind, end.name);
        }
      });
    };
    EXPECT_EQ(take(pair.first), "accepted");
    return take(pair.second);
  }
};

TEST_P(TwoComponents, OfOneToolkitGoTogether) { EXPECT_EQ(together("12.9", "12.9"), "accepted"); }

TEST_P(TwoComponents, OtherMinors_AreAcceptedUnlessCompanions) {
  const char* const expected =
      GetParam().bound == Bound::exactly ? "ToolkitMismatchError" : "accepted";
  EXPECT_EQ(together("12.4", "12.9"), expected);
  EXPECT_EQ(together("12.9", "12.4"), expected);
}

TEST_P(TwoComponents, OfAnotherMajorDoNotGoTogether) {
  EXPECT_EQ(together("12.9", "13.5"), "ToolkitMismatchError");
  EXPECT_EQ(together("13.5", "12.9"), "ToolkitMismatchError");
}

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.first.name << ' ' << name_of(pair.first.kind) << " and " << pair.second.name << ' '
       << name_of(pair.second.kind);
}

INSTANTIATE_TEST_SUITE_P(
    Companions, TwoComponents,
    testing::Values(
        Pair{{kLibrary, "cublas"}, {kLibrary, "cusolver"}, Bound::exactly},
        Pair{{kLibrary, "nppc"}, {kLibrary, "nppial"}, Bound::exactly},
        Pair{{kLibrary, "cudart"}, {Kind::headers, "cudart"}, Bound::exactly},
        Pair{{Kind::headers, "cudart"}, {Kind::static_library, "cudart_static"}, Bound::exactly},
        Pair{{kLibrary, "nvvm"}, {Kind::bitcode_library, "libdevice"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::headers, "nvcc"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::headers, "cudart"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::headers, "cccl"}, Bound::exactly},
        Pair{{Kind::headers, "cudart"}, {Kind::headers, "nvvm"}, Bound::exactly},
        Pair{{kLibrary, "nvrtc"}, {Kind::headers, "cudart"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::static_library, "cudadevrt"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::bitcode_library, "libdevice"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::program, "bin2c"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::program, "cuobjdump"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::program, "fatbinary"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::program, "nvdisasm"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::program, "nvlink"}, Bound::exactly},
        Pair{{Kind::program, "nvcc"}, {Kind::program, "nvprune"}, Bound::exactly}),
    anycuda::test::kPrintedName);

INSTANTIATE_TEST_SUITE_P(
    IndependentComponents, TwoComponents,
    testing::Values(Pair{{kLibrary, "nvrtc"}, {kLibrary, "nvJitLink"}, Bound::byMajor},
                    Pair{{kLibrary, "cudart"}, {kLibrary, "cublas"}, Bound::byMajor},
                    Pair{{kLibrary, "cudart"}, {kLibrary, "nvrtc"}, Bound::byMajor},
                    Pair{{Kind::headers, "cudart"}, {kLibrary, "curand"}, Bound::byMajor},
                    Pair{{Kind::program, "nvcc"}, {kLibrary, "cufft"}, Bound::byMajor}),
    anycuda::test::kPrintedName);

TEST(MixedMajors, AllowedPair_IsAcceptedInEitherOrder) {
  for (const bool turned : {false, true}) {
    RailsMachine machine;
    machine.driver("13.5").library("nvrtc", "12.9").library("cublas", "13.5");
    Options options;
    options.allow_mixed_majors = {turned ? std::make_pair("CUBLAS", "NVRTC")
                                         : std::make_pair("nvrtc", "cublas")};
    GuardRailsImpl rails = machine.rails(options);
    rails.load("nvrtc");
    EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "accepted");
  }
}

TEST(MixedMajors, AreAllowedOnlyForTheNamedPair) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("cublas", "13.5");
  Options options;
  options.allow_mixed_majors = {{"nvrtc", "cufft"}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "ToolkitMismatchError");
}

TEST(MixedMajors, AreRefusedBesideEitherEndOfTheNamedPair) {
  for (const char* const end : {"nvrtc", "nvJitLink"}) {
    RailsMachine machine;
    machine.driver("13.5").library("cublas", "12.9").library(end, "13.5");
    Options options;
    options.allow_mixed_majors = {{"nvrtc", "nvJitLink"}};
    GuardRailsImpl rails = machine.rails(options);
    rails.load("cublas");
    EXPECT_EQ(outcome([&] { rails.load(end); }), "ToolkitMismatchError") << end;
  }
}

TEST(MixedMajors, MayBeOfTheRuntimeAndAnotherLibrary) {
  RailsMachine machine;
  machine.driver("13.5").library("cudart", "12.9").library("nvrtc", "13.5");
  Options options;
  options.allow_mixed_majors = {{"cudart", "nvrtc"}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("cudart");
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "accepted");
}

TEST(MixedMajors, CompanionsStillNeedOneMajor) {
  RailsMachine machine;
  machine.driver("13.5").library("cublas", "12.9").library("cusolver", "13.5");
  Options options;
  options.allow_mixed_majors = {{"cublas", "cusolver"}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("cublas");
  EXPECT_EQ(outcome([&] { rails.load("cusolver"); }), "ToolkitMismatchError");
}

TEST(MixedMajors, UnknownName_IsAnErrorAtOnce) {
  RailsMachine machine;
  Options options;
  options.allow_mixed_majors = {{"nvrtc", "cublass"}};
  EXPECT_EQ(outcome([&] { machine.rails(options); }), "UnknownNameError");
}

TEST(TwoRuntimes, ThatOtherCodeHasLoadedAreRefusedAndStay) {
  RailsMachine machine;
  machine.driver("13.5").loaded("cudart", "12.9", "libcudart.so.12");
  machine.loaded("cudart", "13.5", "libcudart.so.13");
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(message([&] { rails.load("cudart"); }),
              AllOf(HasSubstr("only one major of the CUDA runtime (cudart) may be loaded"),
                    HasSubstr("/opt/theirs/libcudart.so.12"), HasSubstr("stays loaded")));
  EXPECT_EQ(machine.times_asked("open"), 0);
}

// Only its SONAME shows which runtime the other one is: that is enough.
TEST(TwoRuntimes, AreRefusedWithoutMetadataToo) {
  for (const char* known : {"", "13.5"}) {
    RailsMachine machine;
    machine.driver("13.5").loaded("cudart", "", "libcudart.so.11.0");
    machine.loaded("cudart", known, "libcudart.so.13");
    GuardRailsImpl rails = machine.rails(with_mode(Mode::best_effort));
    EXPECT_EQ(outcome([&] { rails.load("cudart"); }), "ToolkitMismatchError");
  }
}

TEST(TwoRuntimes, AreNotAllowedByNameNorByAPipeline) {
  RailsMachine machine;
  machine.driver("13.5").loaded("cudart", "12.9", "libcudart.so.12");
  machine.loaded("cudart", "13.5", "libcudart.so.13");
  Options options;
  options.allow_mixed_majors = {{"cudart", "cudart"}};
  options.pipelines = {{"cudart", "cudart", {Format::ptx}}};
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("cudart"); }), "ToolkitMismatchError");
}

TEST(TwoRuntimes, AreRefusedWhenOpeningTheFirstBringsTheSecond) {
  RailsMachine machine;
  machine.driver("13.5").library("cudart", "13.5");
  machine.while_opening(
      [&](const std::string&) { machine.loaded("cudart", "12.9", "libcudart.so.12"); });
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(
      message([&] { rails.load("cudart"); }),
      AllOf(HasSubstr("only one major of the CUDA runtime"), HasSubstr("is already loaded")));
}

TEST(TwoCopies, OfOneMajor_AreOneRuntime) {
  RailsMachine machine;
  machine.driver("13.5").loaded("cudart", "12.9", "libcudart.so.12");
  machine.loaded("cudart", "12.4", "libcudart.so.12");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.load("cudart"); }), "accepted");
}

TEST(AnInstance, HasASeparateState) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("cublas", "13.5");
  GuardRailsImpl first = machine.rails();
  GuardRailsImpl second = machine.rails();
  first.load("nvrtc");
  EXPECT_EQ(outcome([&] { first.load("cublas"); }), "ToolkitMismatchError");
  EXPECT_EQ(outcome([&] { second.load("cublas"); }), "accepted");
}

TEST(AMismatch, HasFindingFoldersAndHint) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("nvJitLink", "13.5");
  GuardRailsImpl rails = machine.rails();
  rails.load("nvrtc");
  EXPECT_THAT(message([&] { rails.load("nvJitLink"); }),
              AllOf(HasSubstr("nvJitLink and nvrtc must be of one CUDA major"),
                    HasSubstr("found: nvJitLink (dynamic library) of CUDA 13.5: "
                              "/home/me/venv/lib/nvJitLink-13.5 (CUDA_VERSION in "),
                    HasSubstr("accepted before: nvrtc (dynamic library) of CUDA 12.9"),
                    HasSubstr("what to do: install nvJitLink of CUDA 12")));
}

// Also one that belongs to no component.
TEST(AComponent, FoundAgainInAnotherToolkit_IsRefused) {
  for (const char* name : {"cuda-gdb", "nvcc"}) {
    RailsMachine machine;
    machine.driver("13.5").install(Kind::program, name, "12.4");
    GuardRailsImpl rails = machine.rails();
    rails.locate(Kind::program, name);
    machine.install(Kind::program, name, "12.9");
    EXPECT_EQ(outcome([&] { rails.locate(Kind::program, name); }), "ToolkitMismatchError") << name;
  }
}

ComponentInstance runtime(const char* toolkit, int soname_major) {
  const Component& cudart = component_named(kLibrary, "cudart");
  return {&cudart, "/somewhere/" + std::to_string(soname_major), version(toolkit), "",
          soname_major};
}

TEST(TwoRuntimes, AreDistinguishedByTheirSonames) {
  struct Row {
    ComponentInstance first;
    ComponentInstance second;
    PairVerdict expected;
  };
  const Row rows[] = {
      {runtime("12.9", 12), runtime("13.5", 13), PairVerdict::two_runtimes},
      {runtime("", 12), runtime("", 13), PairVerdict::two_runtimes},
      {runtime("12.9", 12), runtime("", 13), PairVerdict::two_runtimes},
      {runtime("12.9", 12), runtime("12.9", 13), PairVerdict::two_runtimes},
      {runtime("12.9", 0), runtime("13.5", 0), PairVerdict::two_runtimes},
      {runtime("12.9", 12), runtime("", 0), PairVerdict::compatible},
      {runtime("", 12), runtime("", 12), PairVerdict::compatible},
  };
  Policy policy;
  policy.mode = Mode::best_effort;
  for (const Row& row : rows) {
    Remembered known;
    known.instances = {row.first};
    ComponentInstance instance = row.second;
    instance.path = "/elsewhere";
    DriverKnown driver;
    driver.facts = DriverFacts{true, version("13.5"), 0};
    const Decision decision = decide(policy, known, instance, driver);
    EXPECT_EQ(decision.pair, row.expected) << testing::PrintToString(row.second.soname_major);
    EXPECT_EQ(decision.step, row.expected == PairVerdict::compatible ? Step::accepted : Step::pair);
  }
}

TEST(ASoname, NamesAMajorOrNone) {
  EXPECT_EQ(major_of_soname("libcudart.so.13"), 13);
  EXPECT_EQ(major_of_soname("libcudart.so.11.0"), 11);
  EXPECT_EQ(major_of_soname("libcuda.so.1"), 1);
  EXPECT_EQ(major_of_soname(std::string_view("libcudart.so.123", 15)), 12) << "a part of a text";
  for (const char* none :
       {"", "libcudart.so", "libcudart.so.", "libcudart.so.x", "libcudart.so.12x",
        "libcudart.so.-1", "libcudart.so.0", "libcudart.so.99999999999"}) {
    EXPECT_EQ(major_of_soname(none), 0) << none;
  }
}

}  // namespace
}  // namespace anycuda::compat::test
