// SPDX-License-Identifier: Apache-2.0

// The message about a driver that does not answer.
#include "compat/metadata/driver/driver_problem.h"

#include <gtest/gtest.h>

namespace anycuda {
namespace {

std::string problem_of(const Driver& driver) {
  const LibraryDescriptor searched{};
  const Report report({&searched});
  Arena arena;
  return driver_problem({driver, &report}, &arena);
}

TEST(DriverProblem, NamesTheFileAndTheFailure) {
  Driver driver;
  driver.path = "/lib/libcuda.so.1";
  driver.status = Driver::kNoFunction;
  EXPECT_EQ(problem_of(driver), "/lib/libcuda.so.1 has no function cuDriverGetVersion");
  driver.status = 999;
  EXPECT_EQ(problem_of(driver), "cuDriverGetVersion of /lib/libcuda.so.1: error 999");
  driver.status = Driver::kNoVersion;
  EXPECT_EQ(problem_of(driver), "cuDriverGetVersion of /lib/libcuda.so.1 returns no version");
  driver.status = 0;
  driver.facts = {true, {12, 2}, 0};
  EXPECT_EQ(problem_of(driver), "");
}

TEST(DriverProblem, MissingDriver_NamesTheSearchedFolders) {
  Driver driver;
  driver.status = Driver::kNoFile;
  EXPECT_EQ(problem_of(driver), "no libcuda.so.1 in LD_LIBRARY_PATH or in the system's folders");
}

TEST(DriverProblem, WithoutMemoryIsStillASentence) {
  Arena arena;
  EXPECT_STREQ(driver_problem({}, &arena), "libcuda.so.1 was not looked for: out of memory");
}

}  // namespace
}  // namespace anycuda
