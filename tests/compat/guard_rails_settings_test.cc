// SPDX-License-Identifier: Apache-2.0

// Settings: the variables and the options that overrule them, as a pure function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard_rails_machine.h"

namespace anycuda::compat::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Policy resolve(const char* mode, const char* driver_compat, const Options& options = {},
               bool linux = true) {
  return resolve_policy(options, {mode, driver_compat}, linux);
}

TEST(TheMode, DefaultIsStrict) {
  EXPECT_EQ(resolve(nullptr, nullptr).mode, Mode::strict);
  EXPECT_EQ(resolve("", "").mode, Mode::strict);
  EXPECT_EQ(resolve("strict", nullptr).mode, Mode::strict);
  EXPECT_EQ(resolve("best_effort", nullptr).mode, Mode::best_effort);
  EXPECT_EQ(resolve("off", nullptr).mode, Mode::off);
}

Policy with_api_mode(const char* api_mode, const char* mode, const Options& options = {}) {
  return resolve_policy(options, {mode, nullptr, api_mode}, true);
}

TEST(TheMode, ReadsTheSpecificVariableFirst) {
  for (const char* common : {static_cast<const char*>(nullptr), "", "strict", "off"}) {
    EXPECT_EQ(with_api_mode("best_effort", common).mode, Mode::best_effort);
  }
  for (const char* unset : {static_cast<const char*>(nullptr), ""}) {
    EXPECT_EQ(with_api_mode(unset, "off").mode, Mode::off);
    EXPECT_EQ(with_api_mode(unset, unset).mode, Mode::strict);
  }
}

TEST(TheMode, OfTheOptionsWinsOverTheVariables) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    EXPECT_EQ(resolve("best_effort", nullptr, with_mode(mode)).mode, mode);
    EXPECT_EQ(with_api_mode("best_effort", "off", with_mode(mode)).mode, mode);
  }
}

// It helps whichever variable is set, and leaves the stubs as they are.
TEST(AHint, NamesTheSpecificVariable) {
  for (const char* const api_mode : {"", "strict"}) {
    const std::string variable = "ANYCUDA_API_COMPAT";
    RailsMachine machine;
    machine.library("nvrtc", "").library("nccl", "").library("cufft", "12.9").driver("12.2");
    GuardRailsImpl rails({}, with_api_mode(api_mode, "strict"), machine.system());
    for (const char* name : {"nvrtc", "nccl", "cufft"}) {
      EXPECT_THAT(message([&] { rails.load(name); }), HasSubstr(" " + variable + "=best_effort"))
          << name;
    }
    machine.no_driver();
    EXPECT_THAT(message([&] { rails.load("cufft"); }), HasSubstr(" " + variable + "=off"));
  }
}

TEST(AWrongMode, IsAnErrorThatNamesVariableValuesAndDefault) {
  for (const char* text : {"Strict", "strict ", "on", "0", "best-effort"}) {
    EXPECT_EQ(outcome([&] { resolve(text, nullptr); }), "SettingError") << text;
    EXPECT_THAT(
        message([&] { resolve(text, nullptr); }),
        AllOf(HasSubstr("ANYCUDA_COMPAT=\"" + std::string(text) + "\""),
              HasSubstr("expected strict, best_effort or off"), HasSubstr("default: strict")));
  }
}

TEST(AWrongMode, InTheSpecificVariableIsAnErrorThatNamesIt) {
  const auto text = [](const char* common) {
    return message([&] { with_api_mode("lenient", common); });
  };
  const std::string named =
      "invalid ANYCUDA_API_COMPAT=\"lenient\": expected strict, best_effort or off; default: ";
  EXPECT_EQ(text(nullptr), named + "strict");
  EXPECT_EQ(text("off"), named + "off");
}

TEST(AWrongMode, IsAnErrorAlsoWhereAnOptionOverrulesIt) {
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    EXPECT_EQ(outcome([&] { resolve("on", nullptr, with_mode(mode)); }), "SettingError");
    EXPECT_EQ(outcome([&] { with_api_mode("on", "off", with_mode(mode)); }), "SettingError");
  }
}

TEST(AWrongMode, IsAnErrorAlsoWhereTheSpecificVariableOverrulesIt) {
  for (const char* api_mode : {"strict", "best_effort", "off"}) {
    EXPECT_THAT(message([&] { with_api_mode(api_mode, "on"); }),
                HasSubstr("invalid ANYCUDA_COMPAT=\"on\""));
  }
}

TEST(AWrongMode, InTheOptionsIsAnError) {
  EXPECT_EQ(outcome([] { resolve(nullptr, nullptr, with_mode(static_cast<Mode>(7))); }),
            "SettingError");
}

TEST(AWrongMode, AnyLengthAndBytes_MakesAReadableLine) {
  const std::string text =
      message([] { resolve((std::string(5000, 'x') + "\n\x1b").c_str(), nullptr); });
  EXPECT_LT(text.size(), 300u);
  EXPECT_THAT(message([] { resolve("a\n\x1b[31m", nullptr); }), HasSubstr("\"a??[31m\""));
}

TEST(AWrongDriverSetting, ErrorInEveryModeNamesVariableValuesAndDefault) {
  for (const char* mode : {"strict", "best_effort", "off"}) {
    EXPECT_EQ(outcome([&] { resolve(mode, "yes"); }), "SettingError") << mode;
    EXPECT_THAT(
        message([&] { resolve(mode, "yes"); }),
        AllOf(HasSubstr("ANYCUDA_DRIVER_COMPAT=\"yes\""), HasSubstr("assume_forward_compat"),
              HasSubstr("default: the version that the driver reports")));
  }
}

TEST(ForwardCompatibility, IsDeclaredByVariableOrOption) {
  EXPECT_FALSE(resolve(nullptr, nullptr).forward_compatibility);
  EXPECT_TRUE(resolve(nullptr, "assume_forward_compat").forward_compatibility);
  Options options;
  options.driver_compat = DriverCompat::assume_forward_compat;
  EXPECT_TRUE(resolve(nullptr, nullptr, options).forward_compatibility);
  options.driver_compat = DriverCompat::as_reported;
  EXPECT_FALSE(resolve(nullptr, "assume_forward_compat", options).forward_compatibility);
}

TEST(ForwardCompatibility, IsRefusedOutsideLinuxExceptWhenOff) {
  Options declared;
  declared.driver_compat = DriverCompat::assume_forward_compat;
  for (const auto& [mode, expected] : {std::pair{"strict", "SettingError"},
                                       {"best_effort", "SettingError"},
                                       {"off", "accepted"}}) {
    const char* const text = mode;
    EXPECT_EQ(outcome([&] { resolve(text, "assume_forward_compat", {}, false); }), expected);
    EXPECT_EQ(outcome([&] { resolve(text, nullptr, declared, false); }), expected);
    EXPECT_EQ(outcome([&] { resolve(text, "assume_forward_compat", {}, true); }), "accepted");
    EXPECT_EQ(outcome([&] { resolve(text, nullptr, {}, false); }), "accepted");
  }
  EXPECT_THAT(
      message([&] { resolve("strict", "assume_forward_compat", {}, false); }),
      AllOf(HasSubstr("ANYCUDA_DRIVER_COMPAT=assume_forward_compat"), HasSubstr("needs Linux")));
}

TEST(AConstraint, Invalid_IsAnErrorAtOnceInEveryMode) {
  for (const char* text : {"", "13.2", "=>13", "==13.*.*", "latest"}) {
    for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
      Options options = with_mode(mode);
      options.constraint = text;
      EXPECT_EQ(outcome([&] { resolve(nullptr, nullptr, options); }), "ConstraintError") << text;
    }
  }
}

TEST(AConstraint, IsHeldAgainstEveryToolkitComponent) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "12.3").headers("cudart", "12.4");
  Options options;
  options.constraint = ">=12.4,<13";
  GuardRailsImpl rails = machine.rails(options);
  EXPECT_EQ(outcome([&] { rails.load("nvrtc"); }), "ToolkitMismatchError");
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "cudart"); }), "accepted");
}

}  // namespace
}  // namespace anycuda::compat::test
