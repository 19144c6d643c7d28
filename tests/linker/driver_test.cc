// SPDX-License-Identifier: Apache-2.0

// The driver's linker with faults of a fake driver: the memory that it may write to lives until its
// cuLinkDestroy has run, on every path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "computer.h"

using namespace anycuda::test;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string run(const std::string& fault, const char* how = "everything") {
  Computer computer;
  computer.with_fake_driver(fault);
  return computer.child({"driver", how});
}

TEST(DriverLinker, GetsEverythingAndIsDestroyed) {
  const std::string out = run("");
  EXPECT_THAT(out, HasSubstr("fake: create\n"
                             "fake: option 9=65626\n"  // CU_JIT_TARGET: sm_90a
                             "fake: option 0=64\n"
                             "fake: option 7=2\n"
                             "fake: option 11=1\n"
                             "fake: option 13=1\n"
                             "fake: option 12=1\n"
                             "fake: option 14=2\n"
                             "fake: add first type 1 size 28 ends with zero 1\n"
                             "fake: add input 2 type 1 size 28 ends with zero 1\n"
                             "fake: add file third.ptx type 1\n"
                             "fake: complete\n"
                             "fake: destroy, none is left\n"
                             "link: 64\n"
                             "info: completed\n"
                             "error: completed\n"))
      << out;
  EXPECT_THAT(out, HasSubstr("warning: the driver's linker ignores ftz"));
}

TEST(DriverLinker, WithoutOptions_HasOnlyTheLogs) {
  EXPECT_THAT(run("", "plain"), HasSubstr("fake: create\nfake: add first"));
  EXPECT_THAT(run("", "forced"), HasSubstr("link: 64\n"));
}

TEST(DriverLinker, EveryFailureGivesAllBack) {
  const std::string add = run("add");
  EXPECT_THAT(add, HasSubstr("fake: destroy, none is left\nlink: LinkError\n"
                             "  cuLinkAddData of 'first' failed: CUDA_ERROR_INVALID_PTX (218)\n"));
  EXPECT_THAT(add, HasSubstr("options: CU_JIT_TARGET=65626 CU_JIT_MAX_REGISTERS=64"));
  EXPECT_THAT(add, HasSubstr("\nerror: first\n"));
  const std::string complete = run("complete");
  EXPECT_THAT(complete, HasSubstr("none is left\nlink: LinkError\n  cuLinkComplete failed"));
  EXPECT_THAT(complete, HasSubstr("what to do: compile the PTX with an NVRTC"));
  const std::string create = run("create");
  EXPECT_THAT(create, HasSubstr("cuLinkCreate failed: CUDA_ERROR_INVALID_VALUE (1)"));
  EXPECT_THAT(create, HasSubstr("\ninfo: created\n"));
  EXPECT_THAT(create, Not(HasSubstr("fake: destroy")));
}

TEST(DriverLinker, FullLogStatesItsTruncation) {
  const std::string out = run("log");
  EXPECT_THAT(out,
              HasSubstr("info: " + std::string(64, 'x') + "\n[cut: the log is full with 64 bytes"));
}

TEST(DriverLinker, OutputThatIsNotACubin_IsNotReturned) {
  EXPECT_THAT(run("junk"), HasSubstr("returned 64 bytes that are not CUBIN"));
}

TEST(DriverLinker, NeedsACurrentContext) {
  const std::string out = run("context");
  EXPECT_THAT(out, HasSubstr("link: BackendError\n"));
  EXPECT_THAT(out, HasSubstr("no current context (call cuCtxSetCurrent first)"));
  EXPECT_THAT(out, Not(HasSubstr("fake: create")));
}

TEST(DriverLinker, OutOfMemoryAnywhereLosesNothing) {
  Computer computer;
  computer.with_fake_driver().env("FAKE_DRIVER_QUIET", "1");
  const std::string out = computer.child({"no_memory"});
  EXPECT_THAT(out, Not(HasSubstr("LEFT")));
  EXPECT_THAT(out, Not(HasSubstr("DEAD")));
  EXPECT_GT(std::atoi(after(out, "allocations that failed: ").c_str()), 20) << out;
}

}  // namespace
