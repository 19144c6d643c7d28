// SPDX-License-Identifier: Apache-2.0

// Fatbins and their entries, whole and damaged.
#include <gmock/gmock.h>

#include <random>

#include "tests/device_code/reading.h"

namespace anycuda::device_code {
namespace {

using test::entry;
using test::EntryHeader;
using test::fatbin;
using test::kCubin;
using test::kLtoIr;
using test::kPtx;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

EntryHeader header(std::uint32_t architecture, std::uint64_t flags = 0x11) {
  EntryHeader made;
  made.architecture = architecture;
  made.flags = flags;
  return made;
}

EntryHeader of_ptx(std::uint32_t architecture, std::uint16_t major, std::uint16_t minor,
                   std::uint64_t flags = 0x11) {
  EntryHeader made = header(architecture, flags);
  made.major = major;
  made.minor = minor;
  return made;
}

std::vector<std::string> entries_of_file(const std::string& file) {
  return described(reading_of(file));
}

TEST(Fatbin, EntriesHaveKindArchitectureAndVersion) {
  const Reading reading = reading_of(
      fatbin(entry(kCubin, header(80), cubin(80)) + entry(kPtx, of_ptx(90, 8, 4), "// text!") +
             entry(kLtoIr, of_ptx(80, 1, 61), "lto-ir..") + entry(64, header(100), "unknown.")));
  EXPECT_EQ(reading.kind, FileKind::fatbin);
  EXPECT_THAT(reading.problems, IsEmpty());
  EXPECT_THAT(described(reading),
              ElementsAre("sm_80 of 12.4, 64 at 80", "ptx 90 of 8.4, 8 at 208",
                          "lto 80 of 1.61, 8 at 280", "kind 64 100 of 1.7, 8 at 352"));
}

TEST(Fatbin, FlagsMarkArchitectureAndFamilySpecificCode) {
  EXPECT_THAT(entries_of_file(fatbin(entry(kCubin, header(90, 0x100011), cubin(90)) +
                                     entry(kPtx, of_ptx(103, 8, 8, 0x200011), "text...."))),
              ElementsAre("sm_90a of 12.4, 64 at 80", "ptx 103f of 8.8, 8 at 208"));
}

TEST(Fatbin, FlagsMarkTheCompression) {
  const std::string file = fatbin(entry(kPtx, header(90, 0x2011), "packed..") +
                                  entry(kPtx, header(90, 0x8011), "packed..") +
                                  entry(kLtoIr, header(90, 0x12011), "packed.."));
  const Reading reading = reading_of(file);
  ASSERT_EQ(reading.entries.size(), 3u);
  EXPECT_EQ(reading.entries[0].compression, Compression::lz4);
  EXPECT_EQ(reading.entries[1].compression, Compression::zstd);
  EXPECT_EQ(reading.entries[2].compression, Compression::unknown);
}

TEST(Fatbin, ThePaddingIsNotPartOfAnEntry) {
  std::string padded = entry(kPtx, header(90, 0x2011), "packed..");
  padded[16] = 5;
  EXPECT_THAT(entries_of_file(fatbin(padded)), ElementsAre("ptx 90 of 1.7, 5 at 80"));
}

TEST(Fatbin, WithoutEntriesIsWhole) {
  const Reading reading = reading_of(fatbin(""));
  EXPECT_EQ(reading.kind, FileKind::fatbin);
  EXPECT_THAT(reading.entries, IsEmpty());
  EXPECT_THAT(reading.problems, IsEmpty());
}

TEST(Fatbin, SeveralFollowEachOtherWithGaps) {
  const std::string one = fatbin(entry(kCubin, header(80), cubin(80)));
  EXPECT_THAT(entries_of_file(one + std::string(24, '\0') + one),
              ElementsAre("sm_80 of 12.4, 64 at 80", "sm_80 of 12.4, 64 at 248"));
}

TEST(Fatbin, BytesBesideThemAreDamageUnlessTheyAreZero) {
  const std::string one = fatbin(entry(kCubin, header(80), cubin(80)));
  for (std::size_t zeros = 0; zeros < 40; ++zeros) {
    EXPECT_THAT(reading_of(one + std::string(zeros, '\0')).problems, IsEmpty()) << zeros;
  }
  for (const std::string& rest :
       {std::string("x"), std::string("\0\0\0x", 4), fatbin("").substr(0, 3),
        fatbin("").substr(0, 7), std::string(16, '\0') + "more bytes" + one}) {
    EXPECT_THAT(reading_of(one + rest).problems,
                ElementsAre("a fatbin is damaged or truncated: its magic number is missing"));
  }
  for (std::size_t size = 8; size < 16; ++size) {
    EXPECT_THAT(reading_of(one + fatbin("").substr(0, size)).problems,
                ElementsAre("a fatbin is damaged or truncated"))
        << size;
  }
}

TEST(Fatbin, ATruncatedOneKeepsItsFirstEntries) {
  const std::string whole =
      fatbin(entry(kCubin, header(80), cubin(80)) + entry(kCubin, header(90), cubin(90)));
  for (std::size_t size = 16; size < whole.size(); ++size) {
    const Reading reading = reading_of(whole.substr(0, size));
    EXPECT_EQ(reading.entries.size(), size < 144 ? 0u : 1u) << size;
    EXPECT_THAT(reading.problems, ElementsAre("a fatbin is damaged or truncated")) << size;
  }
}

TEST(Fatbin, SizesBeyondTheFileAreDamage) {
  const std::string whole = fatbin(entry(kCubin, header(80), cubin(80)));
  for (const auto& [at, size] : {std::pair{8, 8}, {20, 4}, {24, 8}}) {
    std::string damaged = whole;
    std::memset(&damaged[at], 0xff, size);
    EXPECT_THAT(reading_of(damaged).problems, ElementsAre("a fatbin is damaged or truncated"))
        << at;
  }
}

TEST(Fatbin, AnEntryWithoutAHeaderDoesNotRepeat) {
  std::string damaged = fatbin(entry(kCubin, header(80), cubin(80)));
  std::memset(&damaged[20], 0, 12);  // sizes of header and content
  EXPECT_THAT(reading_of(damaged).problems, ElementsAre("a fatbin is damaged or truncated"));
}

TEST(Fatbin, AnotherOneBehindTheDamageIsRead) {
  std::string damaged = fatbin(entry(kCubin, header(80), cubin(80)));
  std::memset(&damaged[20], 0xff, 4);
  EXPECT_THAT(entries_of_file(damaged + fatbin(entry(kCubin, header(90), cubin(90)))),
              ElementsAre("sm_90 of 12.4, 64 at 224"));
}

using test::concatenated;
using test::row;

// As nvcc 13.5 --concat writes it: texts and cubins, one behind the other.
const std::string kRows =
    test::with_options(row(kPtx, of_ptx(90, 9, 5), 0, 8), "-O3 --verbose") +
    test::with_name(row(kCubin, header(90, 0x100011), 8, 64), "a kernel") +
    test::with_options(test::with_name(row(kCubin, header(100, 0x200011), 72, 64), ""), "");
const std::string kCodes = "// text!" + cubin(90, 129) + cubin(100, 130);

TEST(Concatenated, EachCodeIsAnEntry) {
  const Reading reading =
      reading_of(fatbin(entry(kCubin, header(80), cubin(80)) + concatenated(3, kRows, kCodes) +
                        entry(kCubin, header(75), cubin(75))));
  EXPECT_THAT(reading.problems, IsEmpty());
  const std::string at = std::to_string(16 + 128 + 64 + 8 + kRows.size());
  EXPECT_THAT(described(reading),
              ElementsAre("sm_80 of 12.4, 64 at 80", "ptx 90 of 9.5, 8 at " + at,
                          "sm_90a of 12.9, 64 at " + at, "sm_100f of 13.0, 64 at " + at,
                          "sm_75 of 12.4, 64 at " + std::to_string(std::stoi(at) + 136 + 64)));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(reading.entries[i].concatenated, i > 0 && i < 4) << i;
  }
}

std::vector<std::string> problems_of(std::uint32_t count, const std::string& rows) {
  const Reading reading =
      reading_of(fatbin(concatenated(count, rows, kCodes) + entry(kCubin, header(75), cubin(75))));
  EXPECT_EQ(reading.entries.empty() ? 0u : reading.entries.back().architecture, 75u);
  return reading.problems;
}

TEST(Concatenated, DamageIsReportedAndTheNextEntryRead) {
  const auto damaged = ElementsAre("a concatenated entry is damaged");
  EXPECT_THAT(problems_of(3, kRows), IsEmpty());
  EXPECT_THAT(problems_of(0, ""), IsEmpty());
  EXPECT_THAT(problems_of(4, kRows), damaged);
  EXPECT_THAT(problems_of(~0u, kRows), damaged);
  EXPECT_THAT(problems_of(1, row(kCubin, header(80), 0, kCodes.size() + 1)), damaged);
  EXPECT_THAT(problems_of(1, row(kCubin, header(80), ~0u, ~std::uint64_t{0})), damaged);
  EXPECT_THAT(problems_of(1, row(test::kConcatenated, header(80), 0, 8)), damaged);
  for (std::size_t size = 0; size < kRows.size(); ++size) {
    EXPECT_THAT(problems_of(3, kRows.substr(0, size)), damaged) << size;
  }
  for (const std::size_t at : {20, 32, 64, 68}) {  // places and sizes of texts
    std::string spoiled = kRows;
    spoiled.replace(at, 4, "\xff\xff\xff\xff");
    EXPECT_THAT(problems_of(3, spoiled), damaged) << at;
  }
  std::string without_rows = entry(test::kConcatenated, header(0), kCodes);
  EXPECT_THAT(reading_of(fatbin(without_rows)).problems, damaged);
}

// Each byte of the content belongs to one code: thousands that share it would take hours.
TEST(Concatenated, OverlappingCodesAreDamage) {
  EXPECT_THAT(problems_of(2, row(kCubin, header(80), 0, 64) + row(kCubin, header(90), 63, 64)),
              ElementsAre("a concatenated entry is damaged"));
}

TEST(Fatbin, DamagedBytesAreReadOnlyToTheEnd) {
  const std::string whole = fatbin(entry(kCubin, header(80), cubin(80)) +
                                   entry(kPtx, of_ptx(90, 8, 4, 0x2011), std::string(40, 'p')) +
                                   entry(kCubin, header(100, 0x8011), std::string(40, 'z')) +
                                   concatenated(3, kRows, kCodes));
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string spoiled = whole;
    for (int n = 0; n < 4; ++n) spoiled[random() % spoiled.size()] = static_cast<char>(random());
    for (const Entry& one : reading_of(spoiled).entries) EXPECT_LE(one.stored, spoiled.size());
  }
}

}  // namespace
}  // namespace anycuda::device_code
