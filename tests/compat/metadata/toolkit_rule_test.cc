// SPDX-License-Identifier: Apache-2.0

// The decision about a file's toolkit, as a table of the statements of wheels and headers.
#include "compat/metadata/toolkit_rule.h"
#include "tests/support/case_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace anycuda {
namespace {

constexpr Version k129{12, 9};
constexpr Version k130{13, 0};
constexpr Version k135{13, 5};
constexpr Version kNone{};

struct Case {
  const char* name;
  std::vector<OwnerFacts> owners;
  std::vector<HeaderFacts> headers;
  Authority authority;
  Version version;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

OwnerFacts pinned(Version version, Version own = kNone) { return {version, false, own, false}; }
OwnerFacts own(Version version) { return {kNone, false, version, false}; }
OwnerFacts silent() { return {}; }
OwnerFacts pinned_twice() { return {k130, true, kNone, false}; }
OwnerFacts lying() { return {kNone, false, k129, true}; }
OwnerFacts package(Version version) { return {kNone, false, version, false, false}; }
HeaderFacts nobodys(Version version) { return {version, false, 0}; }
HeaderFacts of_first(Version version) { return {version, true, 1}; }
HeaderFacts of_second(Version version) { return {version, true, 2}; }
HeaderFacts of_another(Version version) { return {version, true, 0}; }

class ToolkitRule : public ::testing::TestWithParam<Case> {};

TEST_P(ToolkitRule, Decides) {
  const Case& row = GetParam();
  const ToolkitDecision decision =
      decide_toolkit(row.owners.data(), static_cast<int>(row.owners.size()), row.headers.data(),
                     static_cast<int>(row.headers.size()));
  EXPECT_EQ(decision.authority, row.authority);
  EXPECT_EQ(decision.version.major, row.version.major);
  EXPECT_EQ(decision.version.minor, row.version.minor);
}

using A = Authority;

INSTANTIATE_TEST_SUITE_P(
    WithoutAnOwner, ToolkitRule,
    ::testing::Values(
        Case{"nothing", {}, {}, A::none, kNone},
        Case{"a_header", {}, {nobodys(k129)}, A::header, k129},
        Case{"a_header_that_says_nothing", {}, {nobodys(kNone)}, A::none, kNone},
        Case{"a_wheels_header", {}, {of_another(k129)}, A::none, kNone},
        Case{"headers_that_agree", {}, {nobodys(k129), nobodys(k129)}, A::header, k129},
        Case{"headers_that_differ", {}, {nobodys(k129), nobodys(k130)}, A::header_differs, kNone},
        Case{"a_second_header", {}, {nobodys(kNone), nobodys(k130)}, A::header, k130},
        Case{
            "a_wheels_header_and_nobodys", {}, {of_another(k129), nobodys(k130)}, A::header, k130}),
    test::kPrintedName);

INSTANTIATE_TEST_SUITE_P(
    WithOneOwner, ToolkitRule,
    ::testing::Values(
        Case{"a_pin", {pinned(k130)}, {}, A::pin, k130},
        Case{"its_version", {own(k129)}, {}, A::own_version, k129},
        Case{"a_pin_before_its_version", {pinned(k130, k129)}, {}, A::pin, k130},
        Case{"a_header_of_its_own", {silent()}, {of_first(k129)}, A::header, k129},
        Case{"nobodys_header_is_not_its", {silent()}, {nobodys(k129)}, A::none, kNone},
        Case{"anothers_header_is_not_its", {silent()}, {of_another(k129)}, A::none, kNone},
        Case{"its_header_agrees", {own(k129)}, {of_first(k129)}, A::own_version, k129},
        Case{"its_header_differs", {own(k129)}, {of_first(k130)}, A::header_differs, kNone},
        Case{"nobodys_header_agrees", {own(k129)}, {nobodys(k129)}, A::own_version, k129},
        Case{"nobodys_header_differs", {own(k129)}, {nobodys(k130)}, A::header_differs, kNone},
        Case{"anothers_header_differs", {own(k130)}, {of_another(k135)}, A::own_version, k130},
        Case{"its_headers_differ",
             {silent()},
             {of_first(k129), of_first(k130)},
             A::header_differs,
             kNone},
        Case{"two_pins_that_differ", {pinned_twice()}, {}, A::contradiction, kNone},
        Case{"metadata_that_lie", {lying()}, {of_first(k129)}, A::contradiction, kNone}),
    test::kPrintedName);

INSTANTIATE_TEST_SUITE_P(
    WithTwoOwners, ToolkitRule,
    ::testing::Values(
        Case{"agree", {own(k129), own(k129)}, {}, A::own_version, k129},
        Case{"differ", {own(k129), own(k130)}, {}, A::owners_differ, kNone},
        Case{"differ_by_a_pin", {own(k129), pinned(k130, k129)}, {}, A::owners_differ, kNone},
        Case{"differ_by_a_header",
             {own(k129), silent()},
             {of_second(k130)},
             A::owners_differ,
             kNone},
        Case{"one_is_silent", {silent(), own(k130)}, {}, A::own_version, k130},
        Case{"the_second_is_silent", {own(k130), silent()}, {}, A::own_version, k130},
        Case{"both_are_silent", {silent(), silent()}, {nobodys(k129)}, A::none, kNone},
        Case{"one_lies", {own(k129), lying()}, {}, A::contradiction, kNone},
        Case{"a_header_differs_from_both",
             {own(k129), own(k129)},
             {nobodys(k130)},
             A::header_differs,
             kNone}),
    test::kPrintedName);

INSTANTIATE_TEST_SUITE_P(
    WithAPackageOfARoot, ToolkitRule,
    ::testing::Values(
        Case{"its_version", {package(k129)}, {}, A::own_version, k129},
        Case{"a_header_agrees", {package(k129)}, {nobodys(k129)}, A::own_version, k129},
        Case{"a_header_differs", {package(k129)}, {nobodys(k130)}, A::header_differs, kNone},
        Case{"anothers_header", {package(k129)}, {of_another(k130)}, A::own_version, k129},
        Case{"is_silent", {package(kNone)}, {nobodys(k129)}, A::header, k129},
        Case{"is_silent_without_header", {package(kNone)}, {}, A::none, kNone},
        Case{"one_of_two_is_silent", {package(kNone), package(k129)}, {}, A::own_version, k129},
        Case{"two_differ", {package(k130), package(k129)}, {}, A::owners_differ, kNone}),
    test::kPrintedName);

TEST(ToolkitRule, NextManagerIsQueriedOnlyIfNoneListsTheFile) {
  EXPECT_TRUE(needs_next_manager(0));
  EXPECT_FALSE(needs_next_manager(1));
}

TEST(ToolkitRule, SystemManagerIsNeededOnlyWithoutOtherSources) {
  EXPECT_TRUE(needs_system_manager(0, 0));
  EXPECT_FALSE(needs_system_manager(1, 0));
  EXPECT_FALSE(needs_system_manager(0, 1));
}

TEST(ToolkitRule, VersionFileIsNeededOnlyWithoutOtherSources) {
  const auto needs = [](const std::vector<OwnerFacts>& owners, int headers) {
    return needs_version_file(owners.data(), static_cast<int>(owners.size()), headers);
  };
  EXPECT_TRUE(needs({}, 0));
  EXPECT_TRUE(needs({package(kNone)}, 0));
  EXPECT_FALSE(needs({}, 1));
  EXPECT_FALSE(needs({package(k129)}, 0));
  EXPECT_FALSE(needs({silent()}, 0));
  EXPECT_FALSE(needs({own(k129)}, 0));
  OwnerFacts contradicting = package(kNone);
  contradicting.unreliable = true;
  EXPECT_FALSE(needs({contradicting}, 0));
}

TEST(ToolkitRule, NamesTheContradiction) {
  const OwnerFacts owners[] = {silent(), own(k129), own(k130)};
  const ToolkitDecision differ = decide_toolkit(owners, 3, nullptr, 0);
  EXPECT_EQ(differ.owner, 1);
  EXPECT_EQ(differ.other_owner, 2);
  const HeaderFacts headers[] = {nobodys(kNone), nobodys(k129), nobodys(k130)};
  const ToolkitDecision header = decide_toolkit(nullptr, 0, headers, 3);
  EXPECT_EQ(header.header, 2);
  EXPECT_EQ(header.other_header, 1);
  // The owner stands for the header that it owns.
  const OwnerFacts owner = silent();
  const HeaderFacts owned[] = {of_first(k129), of_first(k130)};
  const ToolkitDecision both = decide_toolkit(&owner, 1, owned, 2);
  EXPECT_EQ(both.owner, 0);
  EXPECT_EQ(both.other_owner, -1);
  EXPECT_EQ(both.header, 1);
  EXPECT_EQ(both.other_header, -1);
}

}  // namespace
}  // namespace anycuda
