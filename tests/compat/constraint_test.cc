// SPDX-License-Identifier: Apache-2.0

// PEP 440, "Version specifiers", as tables: which version satisfies which constraint. Each table is
// one section of it; constraint_error_test.cc has the invalid texts.
#include "anycuda/compat/constraint.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace anycuda::compat {
namespace {

struct Case {
  const char* constraint;
  std::vector<const char*> yes;
  std::vector<const char*> no;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << testing::PrintToString(std::string(c.constraint));
}

class Constraints : public testing::TestWithParam<Case> {};

TEST_P(Constraints, AllowAndForbid) {
  const Constraint constraint(GetParam().constraint);
  for (const char* version : GetParam().yes) EXPECT_TRUE(constraint.allows(version)) << version;
  for (const char* version : GetParam().no) EXPECT_FALSE(constraint.allows(version)) << version;
}

// "Version matching".
INSTANTIATE_TEST_SUITE_P(
    Equal, Constraints,
    testing::Values(
        Case{"==13.2",
             {"13.2", "13.2.0", "v13.02", "13.2+local", "0!13.2"},
             {"13", "13.2.1", "13.20", "13.2.post1", "13.2a1", "13.2.dev0", "1!13.2"}},
        Case{"==13.*",
             {"13", "13.0", "13.5", "13.5.79", "13.post1", "13.2+x"},
             {"12.9", "14", "130", "1!13", "13.0a1", "13.dev1"}},
        Case{"==13.0.*", {"13", "13.0", "13.0.2", "13.post1"}, {"13.1", "13.0rc1"}},
        Case{"==1!13.*", {"1!13.2"}, {"13.2", "2!13.2"}}, Case{"==013.*", {"13.2"}, {"1.3"}},
        Case{"==1.1.post1", {"1.1.post1", "1.1-1", "1.1.0-r1"}, {"1.1", "1.1.post2"}},
        Case{"==1.1a1", {"1.1a1", "1.1.0-ALPHA.1"}, {"1.1", "1.1a2", "1.1a1.post1"}},
        Case{"==1.1+ubuntu.1",
             {"1.1+ubuntu.1", "1.1.0+UBUNTU-01"},
             {"1.1", "1.1+ubuntu.2", "1.1+ubuntu", "1.1+ubuntu.1.0"}},
        // A prefix may end with a pre- or a post-release, but not further behind.
        Case{"==1.1a1.*",
             {"1.1a1", "1.1a1.post2", "1.1a1.dev3", "1.1.0a1", "1.1a1+x"},
             {"1.1", "1.1a2", "1.1.1a1", "1.1"}},
        Case{"==1.1.post1.*", {"1.1.post1", "1.1.post1+x"}, {"1.1", "1.1.post2", "1.1a1.post1"}},
        Case{"==1.1rc1.post1.*", {"1.1rc1.post1", "1.1rc1.post1.dev3"}, {"1.1rc1", "1.1.post1"}}));

// "Version exclusion".
INSTANTIATE_TEST_SUITE_P(
    NotEqual, Constraints,
    testing::Values(
        Case{"!=12.5", {"12.4", "12.5.1", "12.5.post1", "12.6"}, {"12.5", "12.5.0", "12.5+x"}},
        Case{"!=12.5.*", {"12.4", "12.6", "125"}, {"12.5", "12.5.1", "12.5.post1"}},
        Case{"!=1.1.post1", {"1.1", "1.2"}, {"1.1.post1"}},
        Case{"!=1.1+x", {"1.1", "1.1+y", "1.2"}, {"1.1+x", "1.1.0+X"}},
        // Naming a pre-release to exclude it asks for none.
        Case{"!=1.1a1", {"1.1"}, {"1.1a1", "1.1a2", "2a1"}}));

// "Compatible release".
INSTANTIATE_TEST_SUITE_P(
    Compatible, Constraints,
    testing::Values(
        Case{"~=12.4",
             {"12.4", "12.4.1", "12.9", "12.4.post1", "12.4+x"},
             {"12.3", "13.0", "12.5a1", "1!12.4"}},
        Case{"~=12.4.1", {"12.4.1", "12.4.99"}, {"12.4.0", "12.5"}},
        Case{"~=12.4.0", {"12.4", "12.4.3"}, {"12.5", "12.3.9"}},
        Case{"~=1.4.5.0", {"1.4.5", "1.4.5.9"}, {"1.4.6"}},
        Case{"~=2.2.post3", {"2.2.post3", "2.3"}, {"2.2", "2.2.post2", "3"}},
        Case{"~=1.4.5a4", {"1.4.5a4", "1.4.5", "1.4.6", "1.4.6.dev1"}, {"1.4.5a3", "1.5"}},
        Case{"~=2.2.dev1", {"2.2.dev1", "2.2", "2.9"}, {"2.2.dev0", "3.0"}},
        Case{"~=2.2-c1", {"2.2rc1", "2.3"}, {"2.2b1", "3"}},
        Case{"~=v1!2.2", {"1!2.2", "1!2.9"}, {"2.2", "1!3.0", "2!2.2"}}));

// "Inclusive ordered comparison": local versions do not count.
INSTANTIATE_TEST_SUITE_P(
    Inclusive, Constraints,
    testing::Values(
        Case{">=12.4",
             {"12.4", "12.4.0", "12.4+x", "12.4.post1", "12.10", "13", "1!0"},
             {"12.3", "12.4a1", "12.4.dev1", "13.0rc1"}},
        Case{"<=12.4", {"12.4", "12.4.0", "12.4+x", "12.3.99", "0"}, {"12.4.1", "12.4.post1"}},
        Case{">=12.4rc2", {"12.4rc2", "12.4", "12.5a1"}, {"12.4rc1", "12.4b9"}},
        Case{"<=12.4rc2", {"12.4rc2", "12.4rc1.post1", "12.3"}, {"12.4", "12.4rc2.post1"}},
        Case{">=1.1.post2", {"1.1.post2", "1.2"}, {"1.1", "1.1.post1"}}));

// "Exclusive ordered comparison".
INSTANTIATE_TEST_SUITE_P(
    Exclusive, Constraints,
    testing::Values(
        Case{">1.7",
             {"1.7.1", "1.7.0.1", "1.7.1.post1", "1.8", "1.8+x"},
             {"1.7", "1.7.0", "1.7.0.post1", "1.7.post1.dev1", "1.7+x", "1.7.post1+x", "1.8a1"}},
        Case{">1.7.post2",
             {"1.7.1", "1.7.0.post3", "1.7.post3+x"},
             {"1.7.0", "1.7.post2", "1.7.post2+x"}},
        Case{">1.7a1",
             {"1.7a2", "1.7", "1.7+x", "1.7.post1", "1.8a1"},
             {"1.7a1", "1.7a1+x", "1.7a1.post1", "1.7a1.post1.dev1"}},
        Case{">1.7.dev1", {"1.7.dev2", "1.7a1", "1.7", "1.7.post1"}, {"1.7.dev1", "1.7.dev1+x"}},
        Case{"<3.1",
             {"3.0", "3.0.99", "3.0.post1", "3.0+x"},
             {"3.1", "3.1.0", "3.1+x", "3.1a1", "3.1.dev0", "3.1rc1.post1", "3.0.dev1"}},
        Case{"<3.1rc1", {"3.1b1", "3.1.dev0", "3.1rc1.dev1", "3.0"}, {"3.1rc1", "3.1", "3.1rc2"}},
        Case{"<3.1.dev2", {"3.1.dev1", "3.0"}, {"3.1.dev2", "3.1a1"}},
        Case{"<3.1.post1", {"3.1", "3.1.post0", "3.1+x"}, {"3.1.post1", "3.1.post1.dev1", "3.1a1"}},
        Case{"<3.1.post1,>=3.1a1",
             {"3.1a1", "3.1"},
             {"3.1.post1.dev0", "3.1.post1.dev1", "3.1.dev0"}},
        Case{"<1!3.1", {"9", "1!3.0"}, {"1!3.1"}}));

// "Arbitrary equality": letters in either case, nothing else.
INSTANTIATE_TEST_SUITE_P(
    Arbitrary, Constraints,
    testing::Values(
        Case{"===12.9.79", {"12.9.79", " 12.9.79 "}, {"12.9.79.0", "v12.9.79", "12.9.79+x"}},
        Case{"===1.0RC1", {"1.0rc1", "1.0Rc1"}, {"1.0c1", "1.0.rc1"}},
        Case{"===foobar", {"foobar", "FooBar"}, {"foo", "1.0", ""}},
        Case{"===AbZ", {"aBz", "ABZ"}, {"A[Z", "@bZ"}},
        Case{"===foobar,>=1", {}, {"foobar", "1.0"}}, Case{"===13.*", {"13.*"}, {"13.2"}},
        Case{"====1", {"=1"}, {"1"}}));

// Commas and blanks; "Handling of pre-releases": one clause that names one lets all in.
INSTANTIATE_TEST_SUITE_P(
    Several, Constraints,
    testing::Values(Case{">=12.4,<13", {"12.4", "12.9"}, {"12.3", "13.0", "13.0rc1"}},
                    Case{" ~= 1.0 , >= 1.0,\t!= 1.3.4.*\n, < 2.0 ",
                         {"1.0", "1.3.3"},
                         {"0.9", "0.9.5", "1.3.4", "1.3.4.1", "2.0", "2.0a1"}},
                    Case{">=1.0,>=1.0", {"1.0"}, {"0.9"}}, Case{">=2,<1", {}, {"1", "1.5", "2"}},
                    Case{">=12.4,<14.0a1", {"13.5", "13.0rc1", "14.0.dev1"}, {"14.0a1", "14.0"}},
                    Case{"!=13.1,==13.*", {"13.0", "13.2"}, {"13.1", "12.9"}}));

TEST(Constraint, AToolkitIsItsMajorAndMinor) {
  const Constraint constraint(">=12.4,<13");
  EXPECT_FALSE(constraint.allows(anycuda::Version{12, 3}));
  EXPECT_TRUE(constraint.allows(anycuda::Version{12, 4}));
  EXPECT_TRUE(constraint.allows(anycuda::Version{12, 10}));
  EXPECT_FALSE(constraint.allows(anycuda::Version{13, 0}));
  EXPECT_TRUE(Constraint("==13.*").allows(anycuda::Version{13, 0}));
  EXPECT_TRUE(Constraint("===12.4").allows(anycuda::Version{12, 4}));
  EXPECT_FALSE(Constraint("==12.4.1").allows(anycuda::Version{12, 4}));
  // A third number in the constraint is not satisfied by a release of two.
  EXPECT_FALSE(Constraint(">=12.4.1").allows(anycuda::Version{12, 4}));
}

TEST(Constraint, AnUnknownToolkitOrMinorSatisfiesNothing) {
  for (const char* text : {">=0", "!=1", "==12.*", "===12", "===12.-1", "===0.-1"}) {
    EXPECT_FALSE(Constraint(text).allows(anycuda::Version{})) << text;
    EXPECT_FALSE(Constraint(text).allows(anycuda::Version{0, 5})) << text;
    EXPECT_FALSE(Constraint(text).allows(anycuda::Version{12, -1})) << text;
  }
}

TEST(Constraint, InvalidVersionSatisfiesNoOtherClause) {
  for (const char* text : {">=0", "<9", "!=1", "!=1.*", "==1.*", "~=1.0", "<=9", ">0"}) {
    EXPECT_FALSE(Constraint(text).allows("unknown")) << text;
    EXPECT_FALSE(Constraint(text).allows("")) << text;
  }
}

TEST(Constraint, KeepsItsTextAsItWasGiven) {
  const Constraint constraint(" >= 12.4,<13 ");
  const Constraint copy = constraint;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.text(), " >= 12.4,<13 ");
  EXPECT_TRUE(copy.allows("12.4"));
}

// Half a million digits: neither an overflow, nor work that grows with their square (the test would
// then run into the limit of its program).
TEST(Constraint, NumbersMayBeOfAnyLength) {
  const std::string nines(500000, '9');
  const std::string next = "1" + std::string(500000, '0');
  EXPECT_TRUE(Constraint(">=" + nines).allows(next));
  EXPECT_FALSE(Constraint(">=" + next).allows(nines));
  EXPECT_TRUE(Constraint("==" + nines).allows("000" + nines + ".0"));
  EXPECT_TRUE(Constraint("==1a" + nines).allows("1a" + nines));
  EXPECT_FALSE(Constraint("==18446744073709551616").allows("0"));
  EXPECT_FALSE(Constraint("==4294967308.*").allows("12.4"));
  EXPECT_EQ(compare_versions(nines + "!1", next + "!1"), -1);
}

TEST(Constraint, SoMayVersionsAndLists) {
  std::string release = "1";
  std::string list = ">=1";
  for (int i = 0; i < 100000; ++i) {
    release += ".1";
    list += ",>=1";
  }
  EXPECT_TRUE(Constraint("~=" + release).allows(release + ".1"));
  EXPECT_FALSE(Constraint("~=" + release + ".2").allows(release + ".1"));
  EXPECT_TRUE(Constraint(list).allows("1"));
}

}  // namespace
}  // namespace anycuda::compat
