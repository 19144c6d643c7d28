// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/version.h"

#include <gtest/gtest.h>

namespace anycuda {
namespace {

TEST(Version, ReadsCudasNumbers) {
  EXPECT_EQ(version_from_cuda_number(11080).major, 11);
  EXPECT_EQ(version_from_cuda_number(11080).minor, 8);
  EXPECT_EQ(version_from_cuda_number(12090).minor, 9);
  EXPECT_EQ(version_from_cuda_number(13000).major, 13);
  EXPECT_EQ(version_from_cuda_number(13000).minor, 0);
  EXPECT_EQ(version_from_cuda_number(12120).minor, 12);
}

TEST(Version, InvalidNumberIsUnknown) {
  EXPECT_FALSE(version_from_cuda_number(0).known());
  EXPECT_FALSE(version_from_cuda_number(-1).known());
  EXPECT_FALSE(Version{}.known());
  EXPECT_TRUE(version_from_cuda_number(12000).known());
}

TEST(Version, GivesTheNumberBack) {
  for (const int number : {11080, 12000, 12090, 13050}) {
    EXPECT_EQ(cuda_number(version_from_cuda_number(number)), number);
  }
  EXPECT_EQ(cuda_number({13, -1}), 13000);
}

TEST(Version, MayBeConstant) {
  static_assert(version_from_cuda_number(12090).minor == 9, "the rules are usable at compile time");
}

}  // namespace
}  // namespace anycuda
