// SPDX-License-Identifier: Apache-2.0

// The whole table of the choice of a backend.
#include "anycuda/linker/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace anycuda::linker;
using testing::HasSubstr;

namespace {

Facts facts_of(Version driver, Version nvjitlink, bool input, bool asked, Rule rule) {
  Facts facts;
  facts.driver = driver;
  facts.nvjitlink = nvjitlink;
  facts.lto_ir_input = input;
  facts.lto_or_ptx_asked = asked;
  facts.rule = rule;
  return facts;
}

// The choice without and with something that needs nvJitLink.
struct Choices {
  Choice plain;
  Choice needed;
};

// A row of the table in docs/linker.md.
struct Row {
  const char* name;
  Version driver;
  Version nvjitlink;
  Choices same_major;
  Choices newer_driver;
};

constexpr Version kUnknown{};
constexpr Version k124{12, 4};
constexpr Version k129{12, 9};
constexpr Version k130{13, 0};
constexpr Version k135{13, 5};
const Choice kByNvJitLink{Backend::nvjitlink, Refusal::none};
const Choice kByDriver{Backend::driver, Refusal::none};
const Choice kNeedsNvJitLink{std::nullopt, Refusal::needs_nvjitlink};
const Choice kTooOld{std::nullopt, Refusal::driver_too_old};
const Choice kOtherMajor{std::nullopt, Refusal::other_major};

const Choices kAbsent{kByDriver, kNeedsNvJitLink};
const Choices kAlways{kByNvJitLink, kByNvJitLink};
const Choices kOlder{kByDriver, kTooOld};
const Choices kOther{kByDriver, kOtherMajor};

const Row kRows[] = {
    {"nothing at all", kUnknown, kUnknown, kAbsent, kAbsent},
    {"only a driver", k124, kUnknown, kAbsent, kAbsent},
    {"of one major, newer driver", k129, k124, kAlways, kAlways},
    {"of one major, newer nvJitLink", k124, k129, kAlways, kAlways},
    {"older driver", k124, k130, kOlder, kOlder},
    {"newer driver", k130, k129, kOther, kAlways},
    {"driver newer by two", {14, 0}, k129, kOther, kAlways},
    {"only nvJitLink", kUnknown, k135, kAlways, kAlways},
};

void expect(const Facts& facts, const Choice& expected, const char* name) {
  const Choice choice = choose(facts);
  EXPECT_EQ(choice.backend, expected.backend) << name;
  EXPECT_EQ(choice.refusal, expected.refusal) << name;
  EXPECT_EQ(choice.backend.has_value(), choice.refusal == Refusal::none) << name;
  EXPECT_FALSE(explain(facts, choice).empty()) << name;
}

TEST(Choice, IsTheTable) {
  for (const Row& row : kRows) {
    for (const Rule rule : {Rule::same_major, Rule::newer_driver}) {
      const Choices& choices = rule == Rule::same_major ? row.same_major : row.newer_driver;
      const auto at = [&](bool input, bool asked) {
        return facts_of(row.driver, row.nvjitlink, input, asked, rule);
      };
      expect(at(false, false), choices.plain, row.name);
      expect(at(true, false), choices.needed, row.name);
      expect(at(false, true), choices.needed, row.name);
      expect(at(true, true), choices.needed, row.name);
    }
  }
}

TEST(Choice, DefaultRuleIsNewerDriver) { EXPECT_EQ(Facts{}.rule, Rule::newer_driver); }

// Whatever the minors are, and where the driver's version cannot change the answer it is not asked.
TEST(Choice, QueriesTheDriverOnlyIfItMatters) {
  for (int bits = 0; bits < 8; ++bits) {
    const Rule rule = (bits & 4) != 0 ? Rule::same_major : Rule::newer_driver;
    const auto at = [&](Version driver, Version nvjitlink) {
      return facts_of(driver, nvjitlink, (bits & 1) != 0, (bits & 2) != 0, rule);
    };
    EXPECT_FALSE(needs_driver(at(kUnknown, kUnknown)));
    EXPECT_TRUE(needs_driver(at(kUnknown, k129)));
    const Choice without = choose(at(kUnknown, kUnknown));
    for (const Version driver : {k124, k130, Version{11, 8}}) {
      EXPECT_EQ(choose(at(driver, kUnknown)).backend, without.backend);
    }
  }
}

TEST(Choice, ErrorsNameBothVersionsAndTheCure) {
  const Facts old = facts_of(k124, k135, true, true, Rule::newer_driver);
  const std::string text = explain(old, choose(old));
  EXPECT_THAT(text, HasSubstr("nvJitLink is 13.5"));
  EXPECT_THAT(text, HasSubstr("CUDA 12.4"));
  EXPECT_THAT(text, HasSubstr("install nvJitLink 12.x (pip install nvidia-nvjitlink-cu12)"));
  // CUDA 11 has no nvJitLink to install.
  const Facts oldest = facts_of({11, 8}, k129, true, true, Rule::newer_driver);
  EXPECT_THAT(explain(oldest, choose(oldest)),
              HasSubstr("a newer major: install a driver for CUDA 12;"));
  const Facts other = facts_of(k130, k129, true, false, Rule::same_major);
  const std::string rule = explain(other, choose(other));
  EXPECT_THAT(rule, HasSubstr("nvJitLink is 12.9"));
  EXPECT_THAT(rule, HasSubstr("CUDA 13.0"));
  EXPECT_THAT(rule, HasSubstr("the rule newer_driver"));
  EXPECT_THAT(rule, HasSubstr("(pip install 'nvidia-nvjitlink==13.*')"));
  const Facts none = facts_of(kUnknown, kUnknown, false, true, Rule::newer_driver);
  EXPECT_THAT(
      explain(none, choose(none)),
      HasSubstr("(pip install nvidia-nvjitlink-cu12, pip install 'nvidia-nvjitlink==13.*', or"));
}

TEST(Choice, RefusalNamesTheNeedForNvJitLink) {
  const auto begin = [](bool input, bool asked) {
    const Facts facts = facts_of(kUnknown, kUnknown, input, asked, Rule::newer_driver);
    const std::string text = explain(facts, choose(facts));
    return text.substr(0, text.find(", which needs nvJitLink"));
  };
  EXPECT_EQ(begin(true, false), "LTO-IR is among the inputs");
  EXPECT_EQ(begin(false, true), "link-time optimisation or PTX output is requested");
  EXPECT_EQ(begin(true, true),
            "LTO-IR is among the inputs, and link-time optimisation or PTX output is requested");
}

TEST(Choice, HasTheReasonOfTheBackend) {
  for (const bool asked : {false, true}) {
    const Facts newer = facts_of(k130, k129, asked, asked, Rule::newer_driver);
    EXPECT_EQ(explain(newer, choose(newer)),
              "nvJitLink 12.9 is used: the driver, of CUDA 13.0, loads the output of an older "
              "toolkit");
  }
  const Facts same_major = facts_of(k130, k129, false, false, Rule::same_major);
  EXPECT_THAT(
      explain(same_major, choose(same_major)),
      HasSubstr("nvJitLink is 12.9, the driver supports CUDA 13.0, the rule is same_major"));
  const Facts older = facts_of(k124, k130, false, false, Rule::newer_driver);
  EXPECT_THAT(explain(older, choose(older)),
              HasSubstr("CUDA 12.4, and cannot load the output of a newer major, and neither"));
  const Facts none = facts_of(k130, kUnknown, false, false, Rule::newer_driver);
  EXPECT_THAT(explain(none, choose(none)),
              HasSubstr("is used: there is no nvJitLink, and neither"));
  const Facts same = facts_of(k129, k124, true, true, Rule::newer_driver);
  EXPECT_THAT(explain(same, choose(same)),
              HasSubstr("of the driver's major (the driver supports CUDA 12.9)"));
  const Facts no_driver = facts_of(kUnknown, k124, true, true, Rule::newer_driver);
  EXPECT_THAT(explain(no_driver, choose(no_driver)), HasSubstr("driver's version is unknown"));
}

TEST(Choice, BackendsHaveNames) {
  EXPECT_STREQ(name_of(Backend::nvjitlink), "nvJitLink");
  EXPECT_STREQ(name_of(Backend::driver), "the driver's linker");
}

}  // namespace
