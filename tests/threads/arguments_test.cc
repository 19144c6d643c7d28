// A first call takes a long way, and neither the caller nor the library may notice.
#include <gtest/gtest.h>

#include "laboratory.h"

namespace anycuda::test {
namespace {

ProcessResult run(const std::string& name) {
  Laboratory machine;
  machine.library_path(fake("fake_arguments"));
  const ProcessResult result = machine.run({program(name)}, kWatchdog);
  EXPECT_TRUE(result.ok()) << result.describe();
  return result;
}

TEST(FirstCall, KeepsArgumentsResultsAndErrno) {
  const ProcessResult result = run("arguments");
  EXPECT_EQ(result.out,
            "1 2 3 4 5 6 7 8 9 10 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 {11 12 13} {14 15} {16 9.5} "
            "10.25 errno 42 -> 77, errno 42\n"
            "6.375\n"
            "1 2.5 three 4.5 5 6.5 -> 21\n"
            "{21 22 23} {31 15.5}\n")
      << result.describe();
}

TEST(FirstCall, CanBeUnwoundAndThrownThrough) {
  const ProcessResult result = run("unwinding");
  EXPECT_EQ(result.out, "constructor 1, replay 1, call 1\ncaught thirteen\n") << result.describe();
}

}  // namespace
}  // namespace anycuda::test
