// SPDX-License-Identifier: Apache-2.0

// A first call takes a long way; neither the caller nor the library may notice it.
#include <gtest/gtest.h>

#include "fixture.h"

namespace anycuda::test {
namespace {

ProcessResult run(const Machine& machine, const std::string& name) {
  const ProcessResult result = machine.run({program(name)}, kWatchdog);
  EXPECT_TRUE(result.ok()) << result.describe();
  return result;
}

// A library is opened as soon as its environment is complete: inside the walk over the next one.
void expect_unwinding(const Machine& machine, const char* tier) {
  const ProcessResult result = run(machine, "unwinding");
  EXPECT_EQ(result.out, "constructor 1, replay 1, call 1\ncaught thirteen\n")
      << tier << ": " << result.describe();
}

constexpr char kName[] = "libcudart.so.12";

TEST(FirstCall, KeepsArgumentsResultsAndErrno) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_arguments"));
  const ProcessResult result = run(machine, "arguments");
  EXPECT_EQ(result.out,
            "1 2 3 4 5 6 7 8 9 10 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 {11 12 13} {14 15} {16 9.5} "
            "10.25 errno 42 -> 77, errno 42\n"
            "6.375\n"
            "1 2.5 three 4.5 5 6.5 -> 21\n"
            "{21 22 23} {31 15.5}\n")
      << result.describe();
}

TEST(FirstCall, CanBeUnwoundAndThrownThrough) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_arguments"));
  expect_unwinding(machine, "LD_LIBRARY_PATH");
}

TEST(FirstCall, CanBeUnwoundFromTheWalkOverPackages) {
  ThreadsMachine machine;
  machine.put_copy(machine.root() / "mine/nvidia/cuda_runtime/lib" / kName,
                   fake("fake_arguments") / kName);
  machine.put_folder("venv/lib/python3.12/site-packages");
  machine.env("PYTHONPATH", machine.root() / "mine").env("VIRTUAL_ENV", machine.root() / "venv");
  expect_unwinding(machine, "PYTHONPATH");
}

TEST(FirstCall, CanBeUnwoundFromTheWalkOverToolkits) {
  ThreadsMachine machine;
  machine.put_copy(machine.root() / "cuda/lib64" / kName, fake("fake_arguments") / kName);
  machine.env("CUDA_PATH", machine.root() / "cuda").env("CUDA_HOME", machine.root() / "other");
  expect_unwinding(machine, "CUDA_PATH");
}

}  // namespace
}  // namespace anycuda::test
