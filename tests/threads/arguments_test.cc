// SPDX-License-Identifier: Apache-2.0

// A first call takes a long way; neither the caller nor the library may notice it.
#include <gtest/gtest.h>

#include <cstdio>

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

// As for a debugger or a profiler that stops the program there.
void expect_unwinding_at_each_step(const Machine& machine, const std::string& answer) {
#ifndef __x86_64__
  GTEST_SKIP() << "single steps of the own process are x86-64's";
#endif
  if (kSlowed) GTEST_SKIP() << "a sanitizer adds frames";
  const ProcessResult result = machine.run({program("unwinding_steps")}, 4 * kWatchdog);
  EXPECT_EQ(result.out, answer) << result.describe();
}

TEST(FirstCall, CanBeUnwoundAtEachStep) {
  ThreadsMachine machine;
  machine.put_copy(machine.root() / "cuda/lib64" / kName, fake("fake_cudart") / kName);
  machine.put_folder("venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib");
  machine.env("VIRTUAL_ENV", machine.root() / "venv").env("CUDA_PATH", machine.root() / "cuda");
  machine.env("ANYCUDA_LOG", "debug");
  expect_unwinding_at_each_step(machine, "status 0, lost 0\n");
}

TEST(FirstCall, CanBeUnwoundAtEachStepIfItFails) {
  ThreadsMachine machine;
  expect_unwinding_at_each_step(machine, "status 35, lost 0\n");
}

constexpr char kRuntime[] = "cudaRuntimeGetVersion";

// The bytes of stack that a first call takes: the stub's, or that of a program that opens
// `library`.
int stack_of(const Machine& machine, const std::string& function, const std::string& library) {
  std::vector<std::string> command = {program("small_stack"), "262144", function};
  if (!library.empty()) command.push_back(library);
  const ProcessResult result = machine.run(command, kWatchdog);
  int status = -1;
  int bytes = 0;
  EXPECT_EQ(std::sscanf(result.out.c_str(), "%d %d", &status, &bytes), 2) << result.describe();
  EXPECT_EQ(status, 0) << result.describe();
  return bytes;
}

// `library`: the one that the stub finds.
void expect_small_stack(const Machine& machine, const std::string& function,
                        const std::string& library) {
  if (kSlowed) GTEST_SKIP() << "a sanitizer's frames, and an emulator's, are larger";
  const int opened = stack_of(machine, function, library);
  EXPECT_LE(stack_of(machine, function, ""), opened + 6 * 1024) << "opened: " << opened;
  const ProcessResult result = machine.run({program("small_stack"), "16384", function}, kWatchdog);
  EXPECT_EQ(result.out.rfind("0 ", 0), 0u) << result.describe();
}

TEST(FirstCall, TakesLittleStack) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_cudart"));
  expect_small_stack(machine, kRuntime, fake("fake_cudart") / kName);
}

TEST(FirstCall, TakesLittleStackInAnEnvironment) {
  ThreadsMachine machine;
  const Machine::Path site = machine.site_packages();
  machine.put_copy(site / "nvidia/cuda_runtime/lib" / kName, fake("fake_cudart") / kName);
  machine.put_file("venv/pyvenv.cfg", "home = /usr/bin\n").put_folder("mine");
  machine.put_file(site / "app.pth", machine.root().string() + "/mine\n");
  machine.env("VIRTUAL_ENV", machine.root() / "venv").env("PYTHONPATH", machine.root() / "mine");
  expect_small_stack(machine, kRuntime, site / "nvidia/cuda_runtime/lib" / kName);
}

TEST(FirstCall, TakesLittleStackInAToolkit) {
  ThreadsMachine machine;
  const Machine::Path library = machine.root() / "cuda/lib64" / kName;
  machine.put_copy(library, fake("fake_cudart") / kName);
  machine.env("CUDA_PATH", machine.root() / "cuda").env("CUDA_HOME", machine.root() / "other");
  expect_small_stack(machine, kRuntime, library);
}

TEST(FirstCall, TakesLittleStackWithALog) {
  ThreadsMachine machine;
  machine.library_path(fake("fake_cudart")).env("ANYCUDA_LOG", "debug");
  expect_small_stack(machine, kRuntime, fake("fake_cudart") / kName);
}

TEST(FirstCall, OfRealLibraries_TakesLittleStack) {
  for (const char* artifact : {"cudart-12.9", "nvrtc-12.9"}) {
    const std::string missing = Artifacts::of_this_build().why_missing(artifact);
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
  ThreadsMachine machine;
  machine.wheel(cudart, "12.9").wheel(nvrtc, "12.9");
  const Machine::Path wheels = machine.site_packages() / "nvidia";
  expect_small_stack(machine, kRuntime, wheels / "cuda_runtime/lib" / kName);
  expect_small_stack(machine, "nvrtcVersion", wheels / "cuda_nvrtc/lib/libnvrtc.so.12");
}

}  // namespace
}  // namespace anycuda::test
