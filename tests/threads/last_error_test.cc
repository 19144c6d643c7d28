// SPDX-License-Identifier: Apache-2.0

// Errors that the stub makes itself, in many threads at once.
#include <gtest/gtest.h>

#include "fixture.h"

namespace anycuda::test {
namespace {

TEST(LastErrors, ArePerThreadAndReportedOnce) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_recorder"));
  for (int i = 0; i < times(1000); ++i) {
    const ProcessResult result = machine.run({program("last_errors")}, kWatchdog);
    ASSERT_TRUE(result.ok()) << "run " << i << ": " << result.describe();
    ASSERT_EQ(result.out, "threads with a wrong last error: 0\n")
        << "run " << i << ": " << result.describe();
    ASSERT_EQ(count_of(result.err, "anycuda: "), 1) << "run " << i << ": " << result.describe();
  }
}

}  // namespace
}  // namespace anycuda::test
