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

TEST(Fatbin, FlagsTellArchitectureAndFamilySpecificCode) {
  EXPECT_THAT(entries_of_file(fatbin(entry(kCubin, header(90, 0x100011), cubin(90)) +
                                     entry(kPtx, of_ptx(103, 8, 8, 0x200011), "text...."))),
              ElementsAre("sm_90a of 12.4, 64 at 80", "ptx 103f of 8.8, 8 at 208"));
}

TEST(Fatbin, FlagsTellTheCompression) {
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

TEST(Fatbin, SpoiledBytesAreReadToTheEndAndNoFurther) {
  const std::string whole = fatbin(entry(kCubin, header(80), cubin(80)) +
                                   entry(kPtx, of_ptx(90, 8, 4, 0x2011), std::string(40, 'p')) +
                                   entry(kCubin, header(100, 0x8011), std::string(40, 'z')));
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string spoiled = whole;
    for (int n = 0; n < 4; ++n) spoiled[random() % spoiled.size()] = static_cast<char>(random());
    for (const Entry& one : reading_of(spoiled).entries) EXPECT_LE(one.stored, spoiled.size());
  }
}

}  // namespace
}  // namespace anycuda::device_code
