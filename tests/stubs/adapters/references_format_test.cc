// SPDX-License-Identifier: Apache-2.0

// Channel descriptors in the driver's form.
#include "stubs/cudart/adapters/references_format.h"

#include <gtest/gtest.h>

#include <map>

namespace anycuda::references {
namespace {

v11::cudaChannelFormatDesc desc(int bits, unsigned channels, unsigned kind) {
  return {channels > 0 ? bits : 0, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
          channels > 3 ? bits : 0, kind};
}

TEST(ReferenceFormat, IntegersAndFloatsOfOneTwoAndFourChannels) {
  const std::map<std::pair<unsigned, int>, unsigned> formats = {
      {{0, 8}, 8},  {{0, 16}, 9}, {{0, 32}, 10}, {{1, 8}, 1},
      {{1, 16}, 2}, {{1, 32}, 3}, {{2, 16}, 16}, {{2, 32}, 32}};
  for (unsigned kind = 0; kind < 4; ++kind) {
    for (const int bits : {0, 1, 4, 8, 16, 24, 32, 64, -8}) {
      for (unsigned channels = 0; channels <= 4; ++channels) {
        Format format = {999, 999};
        const auto known_format = formats.find({kind, bits});
        const bool expected =
            known_format != formats.end() && (channels == 1 || channels == 2 || channels == 4);
        ASSERT_EQ(format_of(desc(bits, channels, kind), &format), expected)
            << kind << " " << bits << " " << channels;
        if (!expected) continue;
        EXPECT_EQ(format.format, known_format->second);
        EXPECT_EQ(format.channels, channels);
        EXPECT_TRUE(known(format));
        EXPECT_EQ(bytes_of(format.format), static_cast<unsigned>(bits / 8));
      }
    }
  }
}

TEST(ReferenceFormat, ChannelsAreAlikeAndWithoutGaps) {
  Format format = {};
  EXPECT_FALSE(format_of({8, 16, 0, 0, 0}, &format));
  EXPECT_FALSE(format_of({8, 0, 8, 0, 0}, &format));
  EXPECT_FALSE(format_of({8, 8, 0, 8, 0}, &format));
  EXPECT_FALSE(format_of({0, 8, 8, 8, 0}, &format));
  EXPECT_FALSE(format_of({8, 8, 8, 16, 0}, &format));
}

// One line each: kind, bits, channels, what the driver calls it.
TEST(ReferenceFormat, NormalizedAndCompressedOnes) {
  const unsigned rows[][4] = {
      {4, 8, 3, 0xb0},   {5, 8, 1, 0xc0},   {6, 8, 2, 0xc1},   {7, 8, 4, 0xc2},   {8, 16, 1, 0xc3},
      {9, 16, 2, 0xc4},  {10, 16, 4, 0xc5}, {11, 8, 1, 0xc6},  {12, 8, 2, 0xc7},  {13, 8, 4, 0xc8},
      {14, 16, 1, 0xc9}, {15, 16, 2, 0xca}, {16, 16, 4, 0xcb}, {17, 8, 4, 0x91},  {18, 8, 4, 0x92},
      {19, 8, 4, 0x93},  {20, 8, 4, 0x94},  {21, 8, 4, 0x95},  {22, 8, 4, 0x96},  {23, 8, 1, 0x97},
      {24, 8, 1, 0x98},  {25, 8, 2, 0x99},  {26, 8, 2, 0x9a},  {27, 16, 3, 0x9b}, {28, 16, 3, 0x9c},
      {29, 8, 4, 0x9d},  {30, 8, 4, 0x9e}};
  for (const auto& [kind, bits, channels, expected] : rows) {
    for (unsigned count = 1; count <= 4; ++count) {
      Format format = {};
      ASSERT_EQ(format_of(desc(static_cast<int>(bits), count, kind), &format), count == channels)
          << kind;
      ASSERT_EQ(known({expected, count}), count == channels) << kind;
      if (count != channels) continue;
      EXPECT_EQ(format.format, expected);
      EXPECT_EQ(format.channels, channels);
    }
    Format format = {};
    EXPECT_FALSE(format_of(desc(static_cast<int>(24 - bits), channels, kind), &format)) << kind;
  }
}

TEST(ReferenceFormat, LaterFormatsAreUnknown) {
  Format format = {};
  EXPECT_FALSE(format_of(desc(10, 3, 31), &format));
  EXPECT_FALSE(known({80, 4}));
  EXPECT_FALSE(known({32, 3}));
  EXPECT_FALSE(known({0, 1}));
}

}  // namespace
}  // namespace anycuda::references
