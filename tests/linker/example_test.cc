// SPDX-License-Identifier: Apache-2.0

// examples/linker without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "computer.h"

using namespace anycuda::test;
using testing::HasSubstr;

namespace {

ProcessResult run(const Computer& computer) { return computer.run({LINKER_EXAMPLE}); }

TEST(Example, LinksForADriverOfANewerMajor) {
  NEEDS_ARTIFACTS("nvjitlink-12.9", "nvrtc-12.9");
  Computer computer;
  computer.with_nvjitlink("12.9").with_nvrtc("12.9").with_fake_driver("gpu", "13000");
  const ProcessResult result = run(computer);
  EXPECT_EQ(result.status, 0) << result.describe();
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("nvJitLink 12.9 is used: the driver, of CUDA 13.0, loads the "
                                    "output of an older toolkit"));
  EXPECT_THAT(result.out, HasSubstr("no GPU to run it on: cuInit gives error 100"));
}

TEST(Example, LinksWithoutADriver) {
  NEEDS_ARTIFACTS("nvjitlink-13.5", "nvrtc-13.5");
  Computer computer;
  computer.with_nvjitlink("13.5").with_nvrtc("13.5");
  const ProcessResult result = run(computer);
  EXPECT_EQ(result.status, 0) << result.describe();
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("no GPU to run it on: no libcuda.so.1"));
}

TEST(Example, NamesTheMissingPart) {
  const Computer computer;
  const ProcessResult result = run(computer);
  EXPECT_EQ(result.status, 1) << result.describe();
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("compiling needs NVRTC"));
}

TEST(Example, OfALibrary_NeedsAGpu) {
  Computer computer;
  for (int round = 0; round < 2; ++round) {
    const ProcessResult result = computer.run({LINKER_LIBRARY_EXAMPLE});
    EXPECT_EQ(result.status, 0) << result.describe();
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out, "no GPU was found\n");
    computer.with_fake_driver("gpu");
  }
}

}  // namespace
