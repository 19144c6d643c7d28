// SPDX-License-Identifier: Apache-2.0

// Cubins: their architecture, and the CUDA that made them.
#include "device_code/cubin.h"

#include <gmock/gmock.h>

#include "device_code/fatbin.h"
#include "device_code/unpack.h"
#include "tests/device_code/reading.h"

namespace anycuda::device_code {
namespace {

using ::testing::ElementsAre;

TEST(Cubin, TheHeaderHasArchitectureAndToolkitUpToCuda12) {
  EXPECT_EQ(reading_of(cubin(80)).kind, FileKind::cubin);
  EXPECT_THAT(described(reading_of(cubin(80, 118))), ElementsAre("sm_80 of 11.8, 64 at 0"));
  EXPECT_THAT(described(reading_of(cubin(90, 129, 0xd00))), ElementsAre("sm_90a of 12.9, 64 at 0"));
  EXPECT_THAT(described(reading_of(cubin(80, 124, 0xd00))), ElementsAre("sm_80 of 12.4, 64 at 0"));
}

TEST(Cubin, ANoteHasTheToolkitSince) {
  EXPECT_THAT(described(reading_of(cubin_with_note(100, note("13.0")))),
              ElementsAre("sm_100a of 13.0, 137 at 0"));
  EXPECT_THAT(described(reading_of(cubin_with_note(103, note("12.9", "-arch sm_103f")))),
              ElementsAre("sm_103f of 12.9, 131 at 0"));
  EXPECT_THAT(described(reading_of(cubin_with_note(120, note("13.4", "-arch sm_120 ")))),
              ElementsAre("sm_120 of 13.4, 131 at 0"));
}

TEST(Cubin, WithoutANoteItsToolkitIsNotKnown) {
  EXPECT_THAT(described(reading_of(cubin_with_note(100, ""))), ElementsAre("sm_100 of ?, 64 at 0"));
  EXPECT_THAT(described(reading_of(cubin_with_note(100, note("twelve")))),
              ElementsAre("sm_100a of ?, 141 at 0"));
}

TEST(Cubin, ItsSizeReachesToItsTables) {
  std::string file = cubin(80) + std::string(1000, '\0');
  file.replace(40, 8, test::bytes(std::uint64_t{600}));
  file.replace(58, 2, test::bytes(std::uint16_t{64}));
  file.replace(60, 2, test::bytes(std::uint16_t{3}));
  EXPECT_THAT(described(reading_of(file)), ElementsAre("sm_80 of 12.4, 792 at 0"));
  const Reading reading = reading_of(file.substr(0, 700));
  EXPECT_THAT(described(reading), ElementsAre("sm_80 of 12.4, 700 at 0"));
  EXPECT_THAT(reading.problems, ElementsAre("a cubin is truncated"));
}

TEST(Cubin, TablesBeyondTheFileDoNotCount) {
  std::string file = cubin(80);
  file.replace(32, 16, std::string(16, '\xff'));
  EXPECT_THAT(described(reading_of(file)), ElementsAre("sm_80 of 12.4, 64 at 0"));
}

TEST(Cubin, TruncatedHeaderIsNotACubin) {
  for (std::size_t size = 0; size < 64; ++size) {
    EXPECT_NE(reading_of(cubin(80).substr(0, size)).kind, FileKind::cubin) << size;
    EXPECT_TRUE(reading_of("data" + cubin(80).substr(0, size)).entries.empty()) << size;
  }
}

std::string in_fatbin(const std::string& content, std::uint64_t flags) {
  test::EntryHeader header;
  header.architecture = 100;
  header.flags = flags;
  header.unpacked = std::uint64_t{1} << 40;
  return test::fatbin(test::entry(test::kCubin, header, content));
}

// LZ4 without any compression: the count of literals, and the literals.
std::string lz4(const std::string& text) {
  std::string packed = "\xf0";
  std::size_t left = text.size() - 15;
  for (; left >= 255; left -= 255) packed += '\xff';
  return packed + static_cast<char>(left) + text;
}

// zstd likewise: a frame of one raw block.
std::string zstd_frame(const std::string& blocks, std::uint32_t size) {
  return std::string("\x28\xb5\x2f\xfd\xa0", 5) + test::bytes(size) + blocks;
}
std::string zstd_block(int type, bool last, std::size_t size, const std::string& content) {
  const auto word = static_cast<std::uint32_t>(size << 3 | type << 1 | (last ? 1 : 0));
  return test::bytes(word).substr(0, 3) + content;
}
std::string zstd(const std::string& text) {
  return zstd_frame(zstd_block(0, true, text.size(), text),
                    static_cast<std::uint32_t>(text.size()));
}

TEST(PackedCubin, ItsToolkitIsRead) {
  const std::string old = cubin(100, 124) + std::string(100, 'x');
  const std::string recent = cubin_with_note(100, note("13.4"), 20000);
  if (unpacks(Compression::lz4)) {
    EXPECT_EQ(reading_of(in_fatbin(lz4(old), 0x2011)).entries.at(0).toolkit.major, 12);
    EXPECT_EQ(reading_of(in_fatbin(lz4(recent), 0x2011)).entries.at(0).toolkit.minor, 4);
  }
  if (unpacks(Compression::zstd)) {
    EXPECT_EQ(reading_of(in_fatbin(zstd(old), 0x8011)).entries.at(0).toolkit.major, 12);
    EXPECT_EQ(reading_of(in_fatbin(zstd(recent), 0x8011)).entries.at(0).toolkit.minor, 4);
  }
}

TEST(PackedCubin, DamageLeavesTheToolkitUnknown) {
  for (const std::uint64_t flags : {0x2011, 0x8011, 0x12011}) {
    const Reading reading = reading_of(in_fatbin(std::string(200, '\xff'), flags));
    ASSERT_EQ(reading.entries.size(), 1u);
    EXPECT_FALSE(reading.entries[0].toolkit.known());
    EXPECT_EQ(reading.entries[0].architecture, 100u);
  }
}

TEST(PackedCubin, TruncatedDataIsReadOnlyToItsEnd) {
  const std::string recent = cubin_with_note(100, note("13.4"), 200);
  for (const auto& [packed, flags] : {std::pair{lz4(recent), 0x2011}, {zstd(recent), 0x8011}}) {
    for (std::size_t size = 1; size < packed.size(); ++size) {
      reading_of(in_fatbin(packed.substr(0, size), flags));
    }
  }
}

test::EntryHeader packed_header(std::uint64_t flags, std::uint64_t unpacked) {
  test::EntryHeader header;
  header.flags = flags;
  header.unpacked = unpacked;
  return header;
}

std::string concatenated_cubins(const std::string& first, const std::string& second,
                                const std::string& packed, std::uint64_t flags,
                                std::size_t between = 0) {
  const auto place = static_cast<std::uint32_t>(first.size() + between);
  return test::fatbin(test::concatenated(2,
                                         test::row(test::kCubin, {}, 0, first.size()) +
                                             test::row(test::kCubin, {}, place, second.size()),
                                         packed, packed_header(flags, place + second.size())));
}

TEST(PackedCubin, TheToolkitOfEachConcatenatedOneIsRead) {
  const std::string first = cubin_with_note(100, note("12.9"), 1000);
  const std::string second = cubin_with_note(120, note("13.5"), 1000);
  std::vector<std::pair<std::string, std::uint64_t>> kinds = {{first + second, 0x11}};
  if (unpacks(Compression::lz4)) kinds.emplace_back(lz4(first + second), 0x2011);
  if (unpacks(Compression::zstd)) kinds.emplace_back(zstd(first + second), 0x8011);
  for (const auto& [packed, flags] : kinds) {
    const Reading reading = reading_of(concatenated_cubins(first, second, packed, flags));
    ASSERT_EQ(reading.entries.size(), 2u) << flags;
    EXPECT_EQ(reading.entries[0].toolkit.minor, 9) << flags;
    EXPECT_EQ(reading.entries[0].compression, fatbin::compression_of(flags)) << flags;
    EXPECT_EQ(reading.entries[1].toolkit.minor, 5) << flags;
    EXPECT_LE(reading.entries[0].stored + reading.entries[1].stored, packed.size()) << flags;
  }
}

constexpr std::size_t kRun = std::size_t{128} << 10;

// `count` runs of "n" between two texts.
std::string zstd_of_runs(const std::string& first, std::size_t count, const std::string& last) {
  std::string blocks = zstd_block(0, false, first.size(), first);
  for (std::size_t i = 0; i < count; ++i) blocks += zstd_block(1, false, kRun, "n");
  blocks += zstd_block(0, true, last.size(), last);
  return zstd_frame(blocks, static_cast<std::uint32_t>(first.size() + count * kRun + last.size()));
}

// As nvlink writes it for a library of thousands of kernels.
TEST(PackedCubin, ANoteBehindTenMegabytesOfNamesIsRead) {
  if (!unpacks(Compression::zstd)) GTEST_SKIP() << "built without libzstd";
  const std::string packed = zstd_of_runs(cubin_with_note(90, ""), 80, note("13.4"));
  EXPECT_EQ(reading_of(in_fatbin(packed, 0x8011)).entries.at(0).toolkit.minor, 4);
}

TEST(PackedCubin, AConcatenatedOneBehindAHundredMegabytesIsRead) {
  if (!unpacks(Compression::zstd)) GTEST_SKIP() << "built without libzstd";
  const std::string first = cubin_with_note(90, note("13.4"));
  const std::string second = cubin_with_note(120, note("13.5"));
  const Reading reading = reading_of(
      concatenated_cubins(first, second, zstd_of_runs(first, 800, second), 0x8011, 800 * kRun));
  ASSERT_EQ(reading.entries.size(), 2u);
  EXPECT_EQ(reading.entries[0].toolkit.minor, 4);
  EXPECT_EQ(reading.entries[1].toolkit.minor, 5);
}

TEST(PackedCubin, ADamagedStreamIsReadAgainFromItsStart) {
  if (!unpacks(Compression::zstd)) GTEST_SKIP() << "built without libzstd";
  std::string packed = zstd(std::string(1000, 'a') + std::string(1000, 'b'));
  packed += packed.substr(0, 20) + "damage";
  Unpacker unpacker;
  const Bytes bytes = {reinterpret_cast<const unsigned char*>(packed.data()), packed.size()};
  EXPECT_EQ(unpacker.part(bytes, Compression::zstd, 999, 2).data[1], 'b');
  EXPECT_LT(unpacker.part(bytes, Compression::zstd, 1500, 100000).size, 1000u);
  EXPECT_EQ(unpacker.part(bytes, Compression::zstd, 5000, 1).size, 0u);
  EXPECT_EQ(unpacker.part(bytes, Compression::zstd, 1001, 1).data[0], 'b');
  EXPECT_EQ(unpacker.part(bytes, Compression::zstd, 0, 1).data[0], 'a');
}

// A few bytes of a run stand for many: no more than the limit of them is unpacked.
TEST(PackedCubin, ABombIsUnpackedUpToTheLimitOnly) {
  if (!unpacks(Compression::zstd)) GTEST_SKIP() << "built without libzstd";
  const std::string bomb = zstd_of_runs(cubin_with_note(100, ""), 1000, "n");
  const Reading reading = reading_of(in_fatbin(bomb, 0x8011));
  ASSERT_EQ(reading.entries.size(), 1u);
  EXPECT_FALSE(reading.entries[0].toolkit.known());

  Unpacker unpacker;
  const Bytes packed = {reinterpret_cast<const unsigned char*>(bomb.data()), bomb.size()};
  EXPECT_EQ(unpacker.part(packed, Compression::zstd, 0, ~std::size_t{0}).size, Unpacker::kMost);
  for (std::uint64_t done = Unpacker::kMost; done < Unpacker::kMostInAll; done += Unpacker::kMost) {
    unpacker.part(packed, Compression::zstd, 0, Unpacker::kMost);
  }
  EXPECT_EQ(unpacker.part(packed, Compression::zstd, 0, Unpacker::kMost).size, 0u);
}

}  // namespace
}  // namespace anycuda::device_code
