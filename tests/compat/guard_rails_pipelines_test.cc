// SPDX-License-Identifier: Apache-2.0

// Pipelines x formats x order of declaration, the whole table; unknown names and formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard_rails_machine.h"
#include "tests/support/case_names.h"

namespace anycuda::compat::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Format kFormats[] = {Format::ptx, Format::cubin, Format::elf, Format::ltoir,
                               Format::nvvm_ir};

// A pipeline's ends of these toolkits: which formats may flow, as bits of kFormats' order, and may
// the two be used together without a pipeline?
struct Row {
  const char* producer_name;
  const char* producer;
  const char* consumer_name;
  const char* consumer;
  const char* flows;  // P C E L N, '.' where it may not
  bool without;
};

constexpr Row kTable[] = {
    {"nvrtc", "12.9", "nvJitLink", "12.9", "PCELN", true},
    {"nvrtc", "12.4", "nvJitLink", "12.9", "PCEL.", true},   // a newer linker
    {"nvrtc", "12.9", "nvJitLink", "12.4", "PCE..", true},   // an older linker
    {"nvrtc", "12.9", "nvJitLink", "13.5", "PCE..", false},  // another major, either way
    {"nvrtc", "13.5", "nvJitLink", "12.9", "PCE..", false},
    {"nvvm", "12.9", "nvJitLink", "12.9", "PCELN", true},
    {"nvvm", "12.4", "nvJitLink", "12.9", ".....", true},
    {"nvvm", "12.9", "nvJitLink", "12.4", ".....", true},
    {"nvvm", "12.9", "nvJitLink", "13.5", ".....", false},
    {"nvrtc", "12.9", "nvvm", "12.9", "PCELN", true},
    {"nvrtc", "12.4", "nvvm", "12.9", ".....", true},
    {"nvrtc", "13.5", "nvvm", "12.9", ".....", false},
};

enum class Declared { inOptions, before, between, after };

struct Case {
  Row row;
  Format format;
  bool flows;
  Declared when;
  bool consumer_first;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Row& row : kTable) {
    for (int i = 0; i < 5; ++i) {
      for (const Declared when :
           {Declared::inOptions, Declared::before, Declared::between, Declared::after}) {
        for (const bool consumer_first : {false, true}) {
          cases.push_back({row, kFormats[i], row.flows[i] != '.', when, consumer_first});
        }
      }
    }
  }
  return cases;
}

class FlowOf : public testing::TestWithParam<Case> {};

TEST_P(FlowOf, IsCheckedAsSoonAsBothEndsAreKnown) {
  const auto& [row, format, flows, when, consumer_first] = GetParam();
  RailsMachine machine;
  machine.driver("13.5").library(row.producer_name, row.producer);
  machine.library(row.consumer_name, row.consumer);
  const Pipeline pipeline{row.producer_name, row.consumer_name, {format}};
  Options options;
  if (when == Declared::inOptions) options.pipelines = {pipeline};
  GuardRailsImpl rails = machine.rails(options);
  const char* const first = consumer_first ? row.consumer_name : row.producer_name;
  const char* const second = consumer_first ? row.producer_name : row.consumer_name;
  const auto declare = [&] { return outcome([&] { rails.declare(pipeline); }); };

  if (when == Declared::before) {
    ASSERT_EQ(declare(), "accepted");
  }
  ASSERT_EQ(outcome([&] { rails.load(first); }), "accepted");
  if (when == Declared::between) {
    ASSERT_EQ(declare(), "accepted");
  }
  const std::string loaded = outcome([&] { rails.load(second); });
  if (when != Declared::after) {
    EXPECT_EQ(loaded, flows ? "accepted" : "ToolkitMismatchError");
    return;
  }
  ASSERT_EQ(loaded, row.without ? "accepted" : "ToolkitMismatchError");
  // An end that was refused is not known, so there is nothing to check yet.
  EXPECT_EQ(declare(), flows || !row.without ? "accepted" : "ToolkitMismatchError");
}

void PrintTo(const Case& c, std::ostream* out) {
  const char* const times[] = {"in options", "before", "between", "after"};
  *out << name_of(c.format) << " from " << c.row.producer_name << ' ' << c.row.producer << " to "
       << c.row.consumer_name << ' ' << c.row.consumer << ", declared "
       << times[static_cast<int>(c.when)]
       << (c.consumer_first ? ", consumer first" : ", producer first");
}

INSTANTIATE_TEST_SUITE_P(WholeTable, FlowOf, testing::ValuesIn(all_cases()),
                         anycuda::test::kPrintedName);

TEST(APipeline, CarryingLtoIrAndPtx_NeedsOneMajor) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("nvJitLink", "13.5");
  Options options;
  options.pipelines = {{"nvrtc", "nvJitLink", {Format::ptx, Format::ltoir}}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvrtc");
  EXPECT_THAT(message([&] { rails.load("nvJitLink"); }),
              AllOf(HasSubstr("the pipeline nvrtc -> nvJitLink carries LTO-IR, which does not "
                              "cross majors"),
                    HasSubstr("producer: nvrtc (dynamic library) of CUDA 12.9"),
                    HasSubstr("consumer: nvJitLink (dynamic library) of CUDA 13.5")));
}

TEST(APipeline, LtoIrBesideAPtxPipeline_NeedsOneMajor) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("nvJitLink", "13.5");
  GuardRailsImpl rails = machine.rails();
  rails.declare({"nvrtc", "nvJitLink", {Format::ptx}});
  rails.declare({"nvrtc", "nvJitLink", {Format::ltoir}});
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("nvJitLink"); }), "ToolkitMismatchError");
}

TEST(APipeline, OnlyItsTwoEndsMayDiffer) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("nvJitLink", "13.5");
  machine.library("cublas", "13.5");
  Options options;
  options.pipelines = {{"nvrtc", "nvJitLink", {Format::ptx}}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvrtc");
  rails.load("nvJitLink");
  EXPECT_THAT(message([&] { rails.load("cublas"); }), HasSubstr("accepted before: nvrtc"));
}

TEST(APipeline, ThatIsRefusedIsNotDeclared) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("nvJitLink", "12.4");
  GuardRailsImpl rails = machine.rails();
  rails.load("nvrtc");
  rails.load("nvJitLink");
  EXPECT_THAT(message([&] {
                rails.declare({"nvrtc", "nvJitLink", {Format::ltoir}});
              }),
              AllOf(HasSubstr("needs a consumer at least as new as its producer"),
                    HasSubstr("install nvJitLink of CUDA 12.9 or newer, but before 13"),
                    HasSubstr("the pipeline is not declared")));
}

// Were it declared, a second ptxas would be held against it.
TEST(APipeline, Refused_HasNoEffect) {
  RailsMachine machine;
  machine.driver("13.5").install(Kind::program, "ptxas", "12.9").library("nvJitLink", "12.4");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::program, "ptxas");
  rails.load("nvJitLink");
  EXPECT_EQ(outcome([&] {
              rails.declare({"ptxas", "nvJitLink", {Format::ltoir}});
            }),
            "ToolkitMismatchError");
  machine.move(Kind::program, "ptxas", "/home/me/other/ptxas");
  EXPECT_EQ(rails.locate(Kind::program, "ptxas").path, "/home/me/other/ptxas");
}

TEST(APipeline, Off_IsNotChecked) {
  const ComponentInstance nvrtc{&component_named(Kind::dynamic_library, "nvrtc"), "/a",
                                version("13.5"), "", 13};
  const ComponentInstance linker{&component_named(Kind::dynamic_library, "nvJitLink"), "/b",
                                 version("12.9"), "", 12};
  Remembered known;
  known.instances = {nvrtc, linker};
  Policy policy;
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    policy.mode = mode;
    const auto broken = evaluate_pipeline(policy, known, {"nvrtc", "nvJitLink", {Format::ltoir}});
    EXPECT_EQ(broken.has_value(), mode != Mode::off);
  }
}

TEST(PortableFlows, ArePortableOnlyIfThereAreSomeAndAllAre) {
  const ComponentInstance nvrtc{&component_named(Kind::dynamic_library, "nvrtc"), "/a",
                                version("13.5"), "", 13};
  const ComponentInstance linker{&component_named(Kind::dynamic_library, "nvJitLink"), "/b",
                                 version("12.9"), "", 12};
  const Pipeline ptx{"nvrtc", "nvJitLink", {Format::ptx, Format::cubin, Format::elf}};
  const Pipeline both{"nvrtc", "nvJitLink", {Format::ptx, Format::ltoir}};
  const Pipeline other{"nvrtc", "cublas", {Format::ptx}};
  EXPECT_FALSE(only_portable_flows({}, nvrtc, linker));
  EXPECT_FALSE(only_portable_flows({other}, nvrtc, linker));
  EXPECT_FALSE(only_portable_flows({both}, nvrtc, linker));
  EXPECT_FALSE(only_portable_flows({ptx, both}, nvrtc, linker));
  EXPECT_TRUE(only_portable_flows({other, ptx}, nvrtc, linker));
  EXPECT_TRUE(only_portable_flows({ptx}, linker, nvrtc));
}

TEST(APipeline, IsEvaluatedForEveryTwoThatAreAccepted) {
  const auto instance = [](const char* name, const char* release, int major) {
    return ComponentInstance{&component_named(Kind::dynamic_library, name), name, version(release),
                             "", major};
  };
  const ComponentInstance ends[] = {instance("nvrtc", "12.9", 12),
                                    instance("nvJitLink", "13.5", 13)};
  const ComponentInstance other = instance("cublas", "12.9", 12);
  const Pipeline pipeline{"nvrtc", "nvJitLink", {Format::ltoir}};
  Remembered known;
  const std::vector<ComponentInstance> orders[] = {
      {ends[0], ends[1], other}, {ends[0], other, ends[1]}, {other, ends[0], ends[1]}};
  for (const auto& order : orders) {
    known.instances = order;
    EXPECT_TRUE(evaluate_pipeline({}, known, pipeline).has_value());
  }
  known.instances = {ends[0], other};
  EXPECT_FALSE(evaluate_pipeline({}, known, pipeline).has_value());
}

TEST(APipeline, BeyondTheAllowedPairs_IsRefused) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("nvJitLink", "13.5");
  Options options;
  options.allow_mixed_majors = {{"nvrtc", "nvJitLink"}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvrtc");
  rails.load("nvJitLink");
  EXPECT_EQ(outcome([&] {
              rails.declare({"nvrtc", "nvJitLink", {Format::ltoir}});
            }),
            "ToolkitMismatchError");
}

TEST(APipeline, UnknownToolkitAtOneEnd_IsAccepted) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").library("nvJitLink", "");
  Options options = with_mode(Mode::best_effort);
  options.pipelines = {{"nvrtc", "nvJitLink", {Format::ltoir}}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.load("nvJitLink"); }), "accepted");
}

// Its headers carry nothing.
TEST(APipeline, IsNotAboutTheHeadersOfItsEnds) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.9").headers("nvJitLink", "12.4");
  Options options;
  options.pipelines = {{"nvrtc", "nvJitLink", {Format::ltoir}}};
  GuardRailsImpl rails = machine.rails(options);
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "nvJitLink"); }), "accepted");
}

struct Wrong {
  const char* name;
  Pipeline pipeline;
  const char* error;
};
void PrintTo(const Wrong& c, std::ostream* out) { *out << c.name; }

class WrongPipeline : public testing::TestWithParam<Wrong> {};

TEST_P(WrongPipeline, IsAnErrorAtOnceInEveryMode) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    RailsMachine machine;
    GuardRailsImpl rails = machine.rails(with_mode(mode));
    EXPECT_EQ(outcome([&] { rails.declare(GetParam().pipeline); }), GetParam().error);
    Options options = with_mode(mode);
    options.pipelines = {GetParam().pipeline};
    EXPECT_EQ(outcome([&] { machine.rails(options); }), GetParam().error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongPipeline,
    testing::Values(
        Wrong{"unknownProducer", {"nvrtcc", "nvJitLink", {Format::ptx}}, "UnknownNameError"},
        Wrong{"unknownConsumer", {"nvrtc", "linker", {Format::ptx}}, "UnknownNameError"},
        Wrong{"emptyName", {"", "nvJitLink", {Format::ptx}}, "UnknownNameError"},
        Wrong{"noFormat", {"nvrtc", "nvJitLink", {}}, "SettingError"},
        Wrong{"formatOutOfRange",
              {"nvrtc", "nvJitLink", {static_cast<Format>(99)}},
              "UnknownNameError"}),
    anycuda::test::kPrintedName);

TEST(AFormat, IsNamedWithoutRegardToCase) {
  for (const Format format : kFormats) EXPECT_EQ(format_named(name_of(format)), format);
  EXPECT_EQ(format_named("ptx"), Format::ptx);
  EXPECT_EQ(format_named("lto-ir"), Format::ltoir);
  EXPECT_EQ(format_named("ltoir"), Format::ltoir);
  EXPECT_EQ(format_named("nvvmir"), Format::nvvm_ir);
  EXPECT_EQ(format_named("Nvvm-Ir"), Format::nvvm_ir);
}

TEST(AFormat, Unknown_IsAnErrorThatNamesTheKnownOnes) {
  for (const char* name : {"", "SASS", "PTX ", "LTO", "PT"}) {
    EXPECT_THAT(message([&] { format_named(name); }),
                HasSubstr("PTX, CUBIN, ELF, LTO-IR or NVVM-IR"))
        << name;
    EXPECT_EQ(outcome([&] { format_named(name); }), "UnknownNameError") << name;
  }
}

}  // namespace
}  // namespace anycuda::compat::test
