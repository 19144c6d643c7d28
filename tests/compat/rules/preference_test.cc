// SPDX-License-Identifier: Apache-2.0

// Which of several usable candidates comes first: the whole table of compat/rules/preference.h.
#include "compat/rules/preference.h"
#include "tests/support/case_names.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace anycuda {

void PrintTo(Preference preference, std::ostream* out) {
  const char* const names[] = {"none", "ptx", "lto_ir", "callers_major", "newest"};
  *out << names[static_cast<int>(preference)];
}

namespace {

constexpr LibraryRules kRuntime{13, true, true, Output::none, LtoIr::none};
constexpr LibraryRules kCompiler{13, true, false, Output::ptx, LtoIr::makes};
constexpr LibraryRules kLinker{13, true, false, Output::cubin, LtoIr::takes};

struct PreferenceCase {
  const char* sentence;
  LibraryRules library;
  std::vector<Version> peers;  // loaded
  Version driver;              // {}: no driver
  int caller;
  Version first;  // of these two the first goes before the second,
  Version second;
  Preference why;
};
void PrintTo(const PreferenceCase& c, std::ostream* out) { *out << c.sentence; }

class Order : public testing::TestWithParam<PreferenceCase> {
 protected:
  static Preference before(Version a, Version b, Mode mode = Mode::best_effort) {
    const PreferenceCase& c = GetParam();
    PreferenceContext context;
    context.driver = {c.driver.known(), c.driver, 0};
    context.peers = c.peers.data();
    context.peer_count = static_cast<int>(c.peers.size());
    context.caller_major = c.caller;
    context.mode = mode;
    return preference(rank_of(c.library, a, context), rank_of(c.library, b, context));
  }
};

TEST_P(Order, IsThis) {
  const PreferenceCase& c = GetParam();
  EXPECT_EQ(before(c.first, c.second), c.why);
  EXPECT_EQ(before(c.second, c.first), Preference::none) << "and not the other way round";
  EXPECT_EQ(before(c.first, c.first), Preference::none) << "nor before itself";
}

TEST_P(Order, WithoutTheDriverIsByTheOtherReasons) {
  const PreferenceCase& c = GetParam();
  const bool first_is_newer = newer(c.first, c.second);
  const Preference expected = c.why != Preference::ptx ? c.why
                              : first_is_newer         ? Preference::newest
                                                       : Preference::none;
  EXPECT_EQ(before(c.first, c.second, Mode::off), expected);
}

// If the rules need no minor, every minor has the same rank.
TEST_P(Order, DependsOnlyOnRequestedMinors) {
  const PreferenceCase& c = GetParam();
  for (const Mode mode : {Mode::best_effort, Mode::off}) {
    PreferenceContext context;
    context.driver = {c.driver.known(), c.driver, 0};
    context.peers = c.peers.data();
    context.peer_count = static_cast<int>(c.peers.size());
    context.caller_major = c.caller;
    context.mode = mode;
    if (needs_minor(c.library, c.first, context)) continue;
    const Rank rank = rank_of(c.library, c.first, context);
    for (int minor = -1; minor < 10; ++minor) {
      const Rank other = rank_of(c.library, {c.first.major, minor}, context);
      EXPECT_EQ(other.ptx_compiles, rank.ptx_compiles) << minor;
      EXPECT_EQ(other.lto_ir_flows, rank.lto_ir_flows) << minor;
      EXPECT_EQ(other.callers_major, rank.callers_major) << minor;
    }
  }
}

TEST(NeedsMinor, OnlyIfADriverOrPeerHasThatMajor) {
  PreferenceContext context;
  EXPECT_FALSE(needs_minor(kCompiler, {12, -1}, context));
  context.driver = {true, {12, 2}, 0};
  EXPECT_TRUE(needs_minor(kCompiler, {12, -1}, context));
  EXPECT_FALSE(needs_minor(kCompiler, {11, -1}, context));
  EXPECT_FALSE(needs_minor(kRuntime, {12, -1}, context));
  const Version peer{11, 8};
  context.peers = &peer;
  context.peer_count = 1;
  EXPECT_TRUE(needs_minor(kLinker, {11, -1}, context));
  EXPECT_FALSE(needs_minor(kLinker, {12, -1}, context));
  EXPECT_FALSE(needs_minor(kRuntime, {11, -1}, context));
}

TEST(RankOf, WithoutARuntimeEveryMajorIsItsMajor) {
  PreferenceContext context;
  EXPECT_TRUE(rank_of(kRuntime, {12, 9}, context).process_major);
  context.process_major = 13;
  EXPECT_FALSE(rank_of(kRuntime, {12, 9}, context).process_major);
  EXPECT_TRUE(rank_of(kRuntime, {13, 0}, context).process_major);
}

TEST(RankOf, CountsTheLoadedPeersOnly) {
  PreferenceContext context;
  EXPECT_TRUE(rank_of(kCompiler, {12, 9}, context).lto_ir_flows) << "no peer";
  const Version peers[] = {{11, 8}, {12, 9}};
  context.peers = peers;
  context.peer_count = 1;
  EXPECT_FALSE(rank_of(kCompiler, {12, 9}, context).lto_ir_flows);
  context.peer_count = 2;
  EXPECT_TRUE(rank_of(kCompiler, {12, 9}, context).lto_ir_flows);
  EXPECT_TRUE(rank_of(kRuntime, {13, 5}, context).lto_ir_flows) << "no LTO-IR";
}

constexpr Preference newest = Preference::newest;
constexpr Preference ptx = Preference::ptx;
constexpr Preference lto_ir = Preference::lto_ir;
constexpr Preference own = Preference::callers_major;
constexpr Version none{};
constexpr Version v122{12, 2};

INSTANTIATE_TEST_SUITE_P(
    Table, Order,
    testing::Values(
        // A runtime: the newest, whatever there is.
        PreferenceCase{"runtimes", kRuntime, {}, none, 12, {13, 5}, {12, 9}, newest},
        PreferenceCase{"runtimes of one major", kRuntime, {}, v122, 12, {12, 9}, {12, 2}, newest},
        PreferenceCase{
            "a runtime whose minor is known", kRuntime, {}, none, 12, {12, 0}, {12, -1}, newest},
        PreferenceCase{"runtimes beside a loaded compiler",
                       kRuntime,
                       {{12, 9}},
                       none,
                       12,
                       {13, 5},
                       {12, 9},
                       newest},
        // The first release of a major is a known minor.
        PreferenceCase{"linkers beside a loaded compiler of a later minor than one of them",
                       kLinker,
                       {{12, 9}},
                       none,
                       12,
                       {12, 9},
                       {12, 0},
                       lto_ir},
        PreferenceCase{"compilers beside a loaded linker of 12.0",
                       kCompiler,
                       {{12, 0}},
                       none,
                       12,
                       {12, 0},
                       {12, 9},
                       lto_ir},
        // A compiler: PTX that the driver compiles, LTO-IR that the loaded linker takes, the
        // newest.
        PreferenceCase{
            "compilers without a driver", kCompiler, {}, none, 12, {13, 5}, {12, 9}, newest},
        PreferenceCase{"compilers whose PTX the driver compiles",
                       kCompiler,
                       {},
                       v122,
                       12,
                       {12, 2},
                       {12, 1},
                       newest},
        PreferenceCase{"a compiler of the driver's own version",
                       kCompiler,
                       {},
                       v122,
                       12,
                       {12, 2},
                       {12, 3},
                       ptx},
        PreferenceCase{"a compiler of an older major than the driver's",
                       kCompiler,
                       {},
                       v122,
                       12,
                       {11, 8},
                       {12, 9},
                       ptx},
        PreferenceCase{"compilers whose PTX no driver here compiles",
                       kCompiler,
                       {},
                       v122,
                       12,
                       {12, 9},
                       {12, 4},
                       newest},
        PreferenceCase{
            "a compiler that a declaration allows", kCompiler, {}, v122, 12, {12, 1}, {13, 0}, ptx},
        PreferenceCase{
            "a compiler of unknown minor", kCompiler, {}, v122, 12, {12, -1}, {12, 9}, ptx},
        PreferenceCase{"a compiler as old as the linker",
                       kCompiler,
                       {{12, 4}},
                       none,
                       12,
                       {12, 4},
                       {12, 5},
                       lto_ir},
        PreferenceCase{"a compiler of the linker's major",
                       kCompiler,
                       {{12, 9}},
                       none,
                       13,
                       {12, 4},
                       {13, 0},
                       lto_ir},
        PreferenceCase{"a compiler that a newer linker does not understand",
                       kCompiler,
                       {{13, 0}},
                       none,
                       12,
                       {13, 0},
                       {12, 9},
                       lto_ir},
        PreferenceCase{"the newest that the linker takes",
                       kCompiler,
                       {{12, 6}},
                       none,
                       12,
                       {12, 6},
                       {12, 4},
                       newest},
        PreferenceCase{"PTX before LTO-IR", kCompiler, {{13, 0}}, v122, 12, {12, 2}, {13, 0}, ptx},
        PreferenceCase{"a compiler is not bound to its caller's major",
                       kCompiler,
                       {},
                       none,
                       12,
                       {13, 0},
                       {12, 9},
                       newest},
        // A linker: what takes the loaded compiler's LTO-IR, the caller's major, the newest.
        PreferenceCase{"a linker as new as the compiler",
                       kLinker,
                       {{12, 4}},
                       none,
                       13,
                       {12, 4},
                       {12, 3},
                       lto_ir},
        PreferenceCase{"a linker of the compiler's major",
                       kLinker,
                       {{12, 4}},
                       none,
                       13,
                       {12, 9},
                       {13, 5},
                       lto_ir},
        PreferenceCase{"the compiler before the caller",
                       kLinker,
                       {{13, 0}},
                       none,
                       12,
                       {13, 0},
                       {12, 9},
                       lto_ir},
        PreferenceCase{
            "the newest that takes it", kLinker, {{12, 4}}, none, 12, {12, 9}, {12, 4}, newest},
        PreferenceCase{"a linker beside a compiler of no linker's major",
                       kLinker,
                       {{11, 8}},
                       none,
                       12,
                       {12, 9},
                       {13, 5},
                       own},
        PreferenceCase{
            "a linker of the caller's major", kLinker, {}, none, 12, {12, 0}, {13, 5}, own},
        PreferenceCase{
            "a linker of the caller's newer major", kLinker, {}, none, 13, {13, 0}, {12, 9}, own},
        PreferenceCase{
            "linkers of the caller's major", kLinker, {}, none, 12, {12, 9}, {12, 0}, newest},
        PreferenceCase{"linkers for an unversioned caller",
                       kLinker,
                       {},
                       none,
                       kUnversionedCaller,
                       {13, 5},
                       {12, 9},
                       newest},
        PreferenceCase{"linkers of two majors that are not the caller's",
                       kLinker,
                       {},
                       none,
                       11,
                       {13, 5},
                       {12, 9},
                       newest},
        PreferenceCase{"a linker gives no PTX that a driver must compile",
                       kLinker,
                       {},
                       v122,
                       12,
                       {12, 9},
                       {12, 2},
                       newest},
        // Several loaded: one that fits is enough.
        PreferenceCase{"linkers between two compilers",
                       kLinker,
                       {{12, 4}, {13, 0}},
                       none,
                       12,
                       {12, 9},
                       {13, 5},
                       own},
        PreferenceCase{"a linker that one of two compilers fits",
                       kLinker,
                       {{11, 8}, {12, 4}},
                       none,
                       13,
                       {12, 9},
                       {13, 5},
                       lto_ir},
        // An unknown minor fits each version of that major.
        PreferenceCase{"a linker beside a compiler of unknown minor",
                       kLinker,
                       {{12, -1}},
                       none,
                       13,
                       {12, 0},
                       {13, 5},
                       lto_ir},
        PreferenceCase{
            "a linker of unknown minor", kLinker, {{12, 9}}, none, 13, {12, -1}, {12, 8}, lto_ir}),
    test::kPrintedName);

}  // namespace
}  // namespace anycuda
