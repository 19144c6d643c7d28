// SPDX-License-Identifier: Apache-2.0

// The whole decision tables of compat/rules/rules.cc: item x item, flow x format.
#include "anycuda/compat/rules.h"
#include "tests/support/case_names.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace anycuda {

void PrintTo(PairVerdict verdict, std::ostream* out) {
  const char* const names[] = {"compatible", "minor_differs", "major_differs", "two_runtimes"};
  *out << names[static_cast<int>(verdict)];
}
void PrintTo(PipelineVerdict verdict, std::ostream* out) {
  const char* const names[] = {"compatible", "other_major", "consumer_older", "not_exact"};
  *out << names[static_cast<int>(verdict)];
}

namespace {

struct Pair {
  Version first;
  Version second;
};

// Every kind of relation, and minors that compare differently as texts, as majors and as sums.
const std::vector<Pair> kSame = {{{11, 8}, {11, 8}}, {{12, 0}, {12, 0}}, {{13, 10}, {13, 10}}};
const std::vector<Pair> kOtherMinor = {
    {{12, 8}, {12, 9}}, {{12, 0}, {12, 1}}, {{13, 0}, {13, 5}}, {{13, 9}, {13, 10}}};
const std::vector<Pair> kOtherMajor = {
    {{11, 8}, {12, 8}}, {{12, 9}, {13, 0}}, {{12, 0}, {13, 0}}, {{11, 2}, {13, 5}}};

std::vector<Pair> both_ways(const std::vector<Pair>& pairs) {
  std::vector<Pair> all = pairs;
  for (const Pair& pair : pairs) all.push_back({pair.second, pair.first});
  return all;
}

// ---- item x item

constexpr PairVerdict fine = PairVerdict::compatible;
constexpr PairVerdict minor = PairVerdict::minor_differs;
constexpr PairVerdict major = PairVerdict::major_differs;
constexpr PairVerdict twice = PairVerdict::two_runtimes;

struct ItemRow {
  int same_group;
  int both_runtimes;
  int only_portable_flows;
  int allowed;
  PairVerdict other_minor;
  PairVerdict other_major;
};
void PrintTo(const ItemRow& row, std::ostream* out) {
  *out << (row.same_group ? "one group" : "independent")
       << (row.both_runtimes ? ", both cudart" : "")
       << (row.only_portable_flows ? ", portable flows" : "") << (row.allowed ? ", allowed" : "");
}

class Items : public testing::TestWithParam<ItemRow> {
 protected:
  static void expect(const std::vector<Pair>& pairs, PairVerdict verdict) {
    const ItemRow& row = GetParam();
    for (const Pair& pair : both_ways(pairs)) {
      EXPECT_EQ(evaluate_pair({pair.first, pair.second, row.same_group != 0, row.both_runtimes != 0,
                               row.only_portable_flows != 0, row.allowed != 0}),
                verdict)
          << pair.first.major << '.' << pair.first.minor << " with " << pair.second.major << '.'
          << pair.second.minor;
    }
  }
};

TEST_P(Items, OfOneReleaseGoTogether) { expect(kSame, fine); }
TEST_P(Items, TwoMinors_FollowTheTable) { expect(kOtherMinor, GetParam().other_minor); }
TEST_P(Items, TwoMajors_FollowTheTable) { expect(kOtherMajor, GetParam().other_major); }

// The sources:
// - Independent components: "CUDA Compatibility", "Minor Version Compatibility" (a major is one
//   family); another major is another ABI, as its SONAME says, and only code in a form that both
//   know may pass between them, or what the caller answers for.
// - One group: CUDA Toolkit release notes, "CUDA Toolkit Component Versions" (made and tested
//   together); no flow and no allowance changes that.
// - Two majors of cudart: anycuda's rule; each keeps its own state about the same device.
INSTANTIATE_TEST_SUITE_P(Table, Items,
                         testing::Values(
                             //      group     runtimes flows allowed, other minor, other major
                             ItemRow{0, 0, 0, 0, fine, major}, ItemRow{0, 0, 0, 1, fine, fine},
                             ItemRow{0, 0, 1, 0, fine, fine}, ItemRow{0, 0, 1, 1, fine, fine},
                             ItemRow{0, 1, 0, 0, fine, twice}, ItemRow{0, 1, 0, 1, fine, twice},
                             ItemRow{0, 1, 1, 0, fine, twice}, ItemRow{0, 1, 1, 1, fine, twice},
                             ItemRow{1, 0, 0, 0, minor, major}, ItemRow{1, 0, 0, 1, minor, major},
                             ItemRow{1, 0, 1, 0, minor, major}, ItemRow{1, 0, 1, 1, minor, major},
                             ItemRow{1, 1, 0, 0, minor, twice}, ItemRow{1, 1, 0, 1, minor, twice},
                             ItemRow{1, 1, 1, 0, minor, twice}, ItemRow{1, 1, 1, 1, minor, twice}),
                         test::kPrintedName);

// ---- pipeline x format

constexpr PipelineVerdict flows = PipelineVerdict::compatible;
constexpr PipelineVerdict exact = PipelineVerdict::not_exact;

struct FlowRow {
  const char* name;
  Format format;
  bool with_nvvm;
  PipelineVerdict consumer_newer;  // minor
  PipelineVerdict consumer_older;  // minor
  PipelineVerdict other_major;     // whichever is newer
};
void PrintTo(const FlowRow& row, std::ostream* out) { *out << row.name; }

class Flows : public testing::TestWithParam<FlowRow> {
 protected:
  static void expect(const Version& producer, const Version& consumer, PipelineVerdict verdict) {
    EXPECT_EQ(evaluate_flow({GetParam().format, GetParam().with_nvvm, producer, consumer}), verdict)
        << "from " << producer.major << '.' << producer.minor << " to " << consumer.major << '.'
        << consumer.minor;
  }
};

TEST_P(Flows, WithinOneReleaseWork) {
  for (const Pair& pair : kSame) expect(pair.first, pair.second, flows);
}
TEST_P(Flows, ToANewerMinor_FollowTheTable) {
  for (const Pair& pair : kOtherMinor) expect(pair.first, pair.second, GetParam().consumer_newer);
}
TEST_P(Flows, ToAnOlderMinor_FollowTheTable) {
  for (const Pair& pair : kOtherMinor) expect(pair.second, pair.first, GetParam().consumer_older);
}
TEST_P(Flows, ToAnotherMajor_FollowTheTable) {
  for (const Pair& pair : both_ways(kOtherMajor)) {
    expect(pair.first, pair.second, GetParam().other_major);
  }
}

// PTX, CUBIN, ELF: not bound to the release that made them (PTX ISA, "Release Notes"; "CUDA Binary
// Utilities"); what an older consumer cannot read it refuses itself.
// LTO-IR: nvJitLink documentation, "Compatibility": a linker of the producer's major that is at
// least as new.
// libNVVM, NVVM IR: anycuda's rule, stricter than nvvmIRVersion(), which returns the version of the
// IR but not of the libdevice and headers that go with it: one release.
INSTANTIATE_TEST_SUITE_P(
    Table, Flows,
    testing::Values(FlowRow{"PTX", Format::ptx, false, flows, flows, flows},
                    FlowRow{"CUBIN", Format::cubin, false, flows, flows, flows},
                    FlowRow{"ELF", Format::elf, false, flows, flows, flows},
                    FlowRow{"LTO-IR", Format::ltoir, false, flows, PipelineVerdict::consumer_older,
                            PipelineVerdict::other_major},
                    FlowRow{"NVVM IR", Format::nvvm_ir, false, exact, exact, exact},
                    FlowRow{"PTX with nvvm", Format::ptx, true, exact, exact, exact},
                    FlowRow{"CUBIN with nvvm", Format::cubin, true, exact, exact, exact},
                    FlowRow{"ELF with nvvm", Format::elf, true, exact, exact, exact},
                    FlowRow{"LTO-IR with nvvm", Format::ltoir, true, exact, exact, exact},
                    FlowRow{"NVVM IR with nvvm", Format::nvvm_ir, true, exact, exact, exact}),
    test::kPrintedName);

TEST(Format, IsPortableWhereItMayCrossMajors) {
  EXPECT_TRUE(is_portable(Format::ptx));
  EXPECT_TRUE(is_portable(Format::cubin));
  EXPECT_TRUE(is_portable(Format::elf));
  EXPECT_FALSE(is_portable(Format::ltoir));
  EXPECT_FALSE(is_portable(Format::nvvm_ir));
}

}  // namespace
}  // namespace anycuda
