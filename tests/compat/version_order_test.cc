// SPDX-License-Identifier: Apache-2.0

// PEP 440, "Version scheme": which texts are versions, and in which order versions come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "anycuda/compat/constraint.h"
#include "anycuda/compat/errors.h"
#include "pep440_text.h"

namespace anycuda::compat {
namespace {

// PEP 440, "Summary of permitted suffixes and relative ordering", and "Local version identifiers".
// Every line is older than the next one.
const std::vector<std::string> kInOrder = {"0.dev0",
                                           "0",
                                           "0.0.1",
                                           "0.9",
                                           "1.dev0",
                                           "1.dev1",
                                           "1a0.dev1",
                                           "1a1.dev456",
                                           "1a1",
                                           "1a1.post0.dev1",
                                           "1a1.post0",
                                           "1a2",
                                           "1a12.dev456",
                                           "1a12",
                                           "1b1.dev456",
                                           "1b2",
                                           "1b2.post345.dev456",
                                           "1b2.post345",
                                           "1rc1.dev456",
                                           "1rc1",
                                           "1",
                                           "1+abc.5",
                                           "1+abc.7",
                                           "1+5",
                                           "1+5.abc",
                                           "1+5.1",
                                           "1+10",
                                           "1.post456.dev34",
                                           "1.post456",
                                           "1.0.15",
                                           "1.1.dev1",
                                           "1.1",
                                           "1.9",
                                           "1.10",
                                           "12.9.79",
                                           "13.0",
                                           "99999999999999999999",
                                           "100000000000000000000",
                                           "1!0.1",
                                           "2!0.0.1"};

TEST(VersionOrder, IsThatOfPep440ForEveryPair) {
  for (std::size_t a = 0; a < kInOrder.size(); ++a) {
    for (std::size_t b = 0; b < kInOrder.size(); ++b) {
      const int expected = a < b ? -1 : (a > b ? 1 : 0);
      EXPECT_EQ(compare_versions(kInOrder[a], kInOrder[b]), expected)
          << kInOrder[a] << " and " << kInOrder[b];
    }
  }
}

// PEP 440, "Normalization": the spellings of each line are one version.
class Spellings : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Spellings, AreOneVersion) {
  for (const std::string& a : GetParam()) {
    for (const std::string& b : GetParam())
      EXPECT_EQ(compare_versions(a, b), 0) << a << " and " << b;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Spellings,
    testing::Values(
        std::vector<std::string>{"1.1", "v1.1", "V1.1", " 1.1", "1.1\n", "\t1.1 \r\f\v"},
        std::vector<std::string>{"1.1", "1.1.0", "1.1.0.0", "01.001", "0!1.1", "00!1.1"},
        std::vector<std::string>{"0", "0.0", "00", "0.0.0"},
        std::vector<std::string>{"1.1a1", "1.1alpha1", "1.1.a1", "1.1-alpha1", "1.1_ALPHA.1",
                                 "1.1a.1", "1.1a-1", "1.1a_1", "1.1A01", "1.1.0a1"},
        std::vector<std::string>{"1.1b2", "1.1beta2", "1.1.Beta-2", "1.1-b2"},
        std::vector<std::string>{"1.1rc3", "1.1c3", "1.1pre3", "1.1preview3", "1.1-PreView_3",
                                 "1.1.rc.3"},
        std::vector<std::string>{"1.1a0", "1.1a", "1.1alpha", "1.1.a", "1.1a-", "1.1a."},
        std::vector<std::string>{"1.1.post2", "1.1post2", "1.1-2", "1.1rev2", "1.1-r2", "1.1_Post2",
                                 "1.1.post-2", "1.1R02"},
        std::vector<std::string>{"1.1.post0", "1.1.post", "1.1post", "1.1-r"},
        std::vector<std::string>{"1.1.dev4", "1.1dev4", "1.1-DEV4", "1.1_dev.4"},
        std::vector<std::string>{"1.1.dev0", "1.1.dev", "1.1dev"},
        std::vector<std::string>{"1.1a1.post2.dev3", "1.1a1-2dev3", "1.1alpha-1.rev.2-dev-3"},
        std::vector<std::string>{"1.1+ubuntu.1", "1.1+Ubuntu-1", "1.1+ubuntu_01"},
        std::vector<std::string>{"1.1+az09", "1.1+AZ09"}));

struct NormalForm {
  const char* text;
  const char* normal;
};

TEST(Version, HasOneNormalForm) {
  for (const NormalForm& c : {NormalForm{" v01.010.0 ", "1.10.0"},
                              {"0!1", "1"},
                              {"02!1", "2!1"},
                              {"1Alpha", "1a0"},
                              {"1-BETA_02", "1b2"},
                              {"1.PREVIEW.3", "1rc3"},
                              {"1-4", "1.post4"},
                              {"1rev", "1.post0"},
                              {"1dev05", "1.dev5"},
                              {"1+Ab-01_z.0", "1+ab.1.z.0"},
                              {"1!2.3C4-5dev6+7", "1!2.3rc4.post5.dev6+7"}}) {
    const auto version = pep440::parse(c.text);
    ASSERT_TRUE(version) << c.text;
    EXPECT_EQ(pep440::to_text(*version), c.normal);
    EXPECT_EQ(compare_versions(c.text, c.normal), 0) << c.text;
  }
}

TEST(Version, OtherTextsAreInvalid) {
  for (const char* text : {"",
                           " ",
                           "v",
                           "a",
                           "1.",
                           ".1",
                           "1..1",
                           "-1",
                           "+1",
                           "1.1+",
                           "1.1+a..b",
                           "1.1+a+b",
                           "1.1+.a",
                           "1.1+ a",
                           "1 .1",
                           "1.1 a",
                           "1.1x",
                           "1.1ab",
                           "1.1a1a2",
                           "1.1.post1.post2",
                           "1.1.dev1.post1",
                           "1.1.dev1a1",
                           "1!",
                           "!1",
                           "1!2!3",
                           "1.1-",
                           "1.1-a-b",
                           "vv1",
                           "1,1",
                           "1.1.*",
                           "1.1\n1",
                           "\xd9\xa1.1",
                           "1.1\xc2\xa0",
                           "13.x",
                           "latest"}) {
    EXPECT_THROW(compare_versions(text, "1"), ConstraintError) << text;
    EXPECT_THROW(compare_versions("1", text), ConstraintError) << text;
  }
}

TEST(Version, AZeroByteIsPartOfTheText) {
  using namespace std::string_view_literals;
  EXPECT_THROW(compare_versions("1\0"sv, "1"), ConstraintError);
  EXPECT_THROW(compare_versions("1.\0001"sv, "1"), ConstraintError);
}

TEST(Version, Invalid_IsQuoted) {
  try {
    compare_versions("13.0", "thirteen");
    FAIL() << "no error";
  } catch (const ConstraintError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("\"thirteen\" is not a PEP 440 version"));
  }
}

}  // namespace
}  // namespace anycuda::compat
