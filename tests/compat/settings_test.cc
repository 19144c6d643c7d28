// SPDX-License-Identifier: Apache-2.0

// The values of the policy's variables, valid and invalid (compat/rules/settings.cc).
#include "anycuda/compat/settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace anycuda {
namespace {

// Every way to misspell a value: another case, blanks, more or less of it, a list, other tools'
// words, bytes that are not text, a text longer than any value.
std::vector<std::string> missed(const std::string& value) {
  std::string upper;
  for (const char c : value) upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return {upper,
          upper.substr(0, 1) + value.substr(1),
          " " + value,
          value + " ",
          value + "\n",
          "\t" + value,
          value + value,
          value + "," + value,
          value + "=",
          value.substr(1),
          value.substr(0, value.size() - 1),
          "\"" + value + "\"",
          value + "\xff",
          std::string(1 << 20, value[0]),
          value + std::string(1 << 20, ' ')};
}

const std::vector<std::string> kNoValues = {" ",    "\n",   "0",       "1",        "true", "none",
                                            "warn", "auto", "default", "\xc3\xa9", "=",    "-"};

// Are all texts that miss one of `values` not understood, with what `unset` stands for?
template <typename Value, typename Parse>
void expect_not_understood(const std::vector<std::string>& values, Value unset, Parse parse) {
  std::vector<std::string> texts = kNoValues;
  for (const std::string& value : values) {
    for (const std::string& text : missed(value)) texts.push_back(text);
  }
  for (const std::string& text : texts) {
    const Setting<Value> setting = parse(text.c_str());
    EXPECT_FALSE(setting.understood) << text.substr(0, 60);
    EXPECT_EQ(setting.value, unset) << text.substr(0, 60);
  }
}

struct ModeCase {
  const char* text;
  Mode mode;
};

TEST(ModeSetting, HasThreeValues) {
  for (const ModeCase& c :
       {ModeCase{"strict", Mode::strict}, {"best_effort", Mode::best_effort}, {"off", Mode::off}}) {
    for (const Mode unset : {Mode::strict, Mode::best_effort, Mode::off}) {
      EXPECT_TRUE(parse_mode(c.text, unset).understood) << c.text;
      EXPECT_EQ(parse_mode(c.text, unset).value, c.mode) << c.text;
    }
    EXPECT_STREQ(name_of(c.mode), c.text);
  }
}

// Strict for the C++ API, best_effort for the stubs: each says its own.
TEST(ModeSetting, UnsetOrEmpty_CallersDefault) {
  for (const Mode unset : {Mode::strict, Mode::best_effort, Mode::off}) {
    for (const char* text : {static_cast<const char*>(nullptr), ""}) {
      EXPECT_TRUE(parse_mode(text, unset).understood);
      EXPECT_EQ(parse_mode(text, unset).value, unset);
    }
  }
}

TEST(ModeSetting, OfAnyOtherTextIsNotUnderstood) {
  for (const Mode unset : {Mode::strict, Mode::best_effort, Mode::off}) {
    expect_not_understood({"strict", "best_effort", "off", "best-effort", "besteffort", "adapt"},
                          unset, [&](const char* text) { return parse_mode(text, unset); });
  }
  EXPECT_FALSE(parse_mode("best-effort", Mode::strict).understood);
  EXPECT_FALSE(parse_mode("adapt", Mode::strict).understood);
}

TEST(CrossMajorSetting, IsAdaptUnlessItIsReject) {
  for (const char* text : {static_cast<const char*>(nullptr), "", "adapt"}) {
    EXPECT_TRUE(parse_cross_major(text).understood);
    EXPECT_EQ(parse_cross_major(text).value, CrossMajor::adapt);
  }
  EXPECT_TRUE(parse_cross_major("reject").understood);
  EXPECT_EQ(parse_cross_major("reject").value, CrossMajor::reject);
}

TEST(CrossMajorSetting, OfAnyOtherTextIsNotUnderstood) {
  expect_not_understood({"adapt", "reject", "adopt", "off"}, CrossMajor::adapt, parse_cross_major);
  EXPECT_FALSE(parse_cross_major("off").understood);
}

TEST(DriverCompatSetting, IsAsReportedUnlessForwardCompatibilityIsDeclared) {
  for (const char* text : {static_cast<const char*>(nullptr), ""}) {
    EXPECT_TRUE(parse_driver_compat(text).understood);
    EXPECT_EQ(parse_driver_compat(text).value, DriverCompat::as_reported);
  }
  EXPECT_TRUE(parse_driver_compat("assume_forward_compat").understood);
  EXPECT_EQ(parse_driver_compat("assume_forward_compat").value,
            DriverCompat::assume_forward_compat);
}

TEST(DriverCompatSetting, OfAnyOtherTextIsNotUnderstood) {
  expect_not_understood({"assume_forward_compat", "forward_compat"}, DriverCompat::as_reported,
                        parse_driver_compat);
  // No value stands for the default: programs should not rely on a name for it.
  EXPECT_FALSE(parse_driver_compat("as_reported").understood);
}

TEST(Settings, NameTheirValuesForMessages) {
  for (const char* mode : {"ANYCUDA_COMPAT", "ANYCUDA_STUB_COMPAT", "ANYCUDA_API_COMPAT"}) {
    EXPECT_STREQ(values_of(mode), "strict, best_effort or off");
  }
  EXPECT_STREQ(values_of("ANYCUDA_CROSS_MAJOR"), "adapt or reject");
  EXPECT_STREQ(values_of("ANYCUDA_DRIVER_COMPAT"), "assume_forward_compat");
  EXPECT_STREQ(values_of("ANYCUDA_LOG"), "");
  EXPECT_STREQ(kModeVariable, "ANYCUDA_COMPAT");
  EXPECT_STREQ(kStubModeVariable, "ANYCUDA_STUB_COMPAT");
  EXPECT_STREQ(kApiModeVariable, "ANYCUDA_API_COMPAT");
  EXPECT_STREQ(kCrossMajorVariable, "ANYCUDA_CROSS_MAJOR");
  EXPECT_STREQ(kDriverCompatVariable, "ANYCUDA_DRIVER_COMPAT");
}

}  // namespace
}  // namespace anycuda
