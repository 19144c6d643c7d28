// SPDX-License-Identifier: Apache-2.0

// Which runtimes may be used, by the machine, its driver and its settings. The driver libraries are
// real; without a GPU, calls that get as far as the driver return 100, no device.
#include <sys/stat.h>
#include <unistd.h>

#include "real.h"
#include "support/this_computer.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Policy : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
    REQUIRE_PROGRAM(patched("call_cudart-12"));
  }
  static ProcessResult call(const Machine& machine, std::vector<std::string> steps,
                            const std::string& program = "call_cudart-12") {
    steps.insert(steps.begin(), patched(program));
    return machine.run(steps);
  }

  Machine machine_;
};

// Of this computer's kernel: another version than the driver library's makes it say 803.
std::string no_device() { return running_driver().empty() ? "100" : "803"; }

TEST_F(Policy, Driver535_Gets12_9AndTheReasonAgainst13_5) {
  REQUIRE_ARTIFACT("driver-535");
  machine_.wheel(cudart, "11.8").wheel(cudart, "12.9").wheel(cudart, "13.5").driver(535);
  machine_.env("ANYCUDA_LOG", "debug");
  const ProcessResult result = call(machine_, {"count", "loaded:libcudart"});
  EXPECT_EQ(answer(result, "count").substr(0, 3), no_device());
  EXPECT_THAT(answer(result, "loaded"), HasSubstr("/cuda_runtime/lib/libcudart.so.12"));
  EXPECT_THAT(
      result.err,
      ContainsRegex("libcudart.so.13 \\(CUDA 13.5, says wheel nvidia-cuda-runtime 13.5.[0-9]+"
                    "\\): needs a driver for CUDA 13; "
                    ".*libcuda.so.1 supports up to CUDA 12.2"));
}

TEST_F(Policy, LevelInfo_ReportsPassedOverFiles) {
  REQUIRE_ARTIFACT("driver-535");
  machine_.wheel(cudart, "11.8").wheel(cudart, "12.9").wheel(cudart, "13.5").driver(535);
  machine_.env("ANYCUDA_LOG", "info");
  const std::string said = call(machine_, {"peek"}).err;
  EXPECT_THAT(said, ContainsRegex("cudart: using .*libcudart.so.12 \\(CUDA 12"));
  EXPECT_THAT(said, ContainsRegex("cudart: passed over .*libcudart.so.13 .*needs a driver for CUDA "
                                  "13; .* supports up to CUDA 12.2"));
  EXPECT_THAT(said, Not(HasSubstr("libcudart.so.11.0"))) << "an older one is not passed over";
}

TEST_F(Policy, Driver535OnlyInTheSystem_IsQueried) {
  REQUIRE_ARTIFACT("driver-535");
  machine_.wheel(cudart, "12.9").wheel(cudart, "13.5").driver_out_of_reach(535);
  const ProcessResult result = call(machine_, {"peek", "loaded:libcudart"});
  EXPECT_THAT(answer(result, "loaded"), HasSubstr("/cuda_runtime/lib/libcudart.so.12"));
}

TEST_F(Policy, Driver550AndOnly13_5_ErrorHasTheReason) {
  REQUIRE_ARTIFACT("driver-550");
  machine_.wheel(cudart, "13.5").driver(550);
  const ProcessResult result = call(machine_, {"count", "loaded:libcudart"});
  EXPECT_THAT(answers(result), ElementsAre("count: 35 0", "loaded: none"));
  EXPECT_THAT(
      result.err,
      ContainsRegex("libcudart.so.13 \\(CUDA 13.5, says wheel [^)]*\\): needs a driver for "
                    "CUDA 13; .*libcuda.so.1 supports up to CUDA 12.4 \\(update the driver"));
  EXPECT_THAT(result.err, HasSubstr("ANYCUDA_DRIVER_COMPAT=assume_forward_compat"));
}

TEST_F(Policy, TierWithOnlyTooNewRuntimes_IsPassedOver) {
  REQUIRE_ARTIFACT("driver-535");
  machine_.on_library_path(cudart, "13.5").toolkit(cudart, "11.8").driver(535);
  const ProcessResult result = call(machine_, {"peek", "loaded:libcudart"});
  EXPECT_THAT(answer(result, "loaded"), HasSubstr("/usr/local/cuda"));
}

TEST_F(Policy, WithoutADriverTheNewestIsUsed) {
  machine_.wheel(cudart, "11.8").wheel(cudart, "12.9").wheel(cudart, "13.5");
  const ProcessResult result = call(machine_, {"runtime", "loaded:libcudart"});
  EXPECT_EQ(answer(result, "runtime"), "0 13050");
  EXPECT_THAT(answer(result, "loaded"), HasSubstr("/cu13/lib/libcudart.so.13"));
}

TEST_F(Policy, ABrokenDriverRefusesNothing) {
  machine_.wheel(cudart, "13.5");
  machine_.put_file("usr/lib/x86_64-linux-gnu/libcuda.so.1", "not a driver");
  EXPECT_EQ(answer(call(machine_, {"runtime"}), "runtime"), "0 13050");
}

TEST_F(Policy, Reject_CallerKeepsItsMajor) {
  machine_.wheel(cudart, "11.8").wheel(cudart, "12.9").wheel(cudart, "13.5");
  machine_.env("ANYCUDA_CROSS_MAJOR", "reject");
  for (const std::string major : {"11", "12", "13"}) {
    const ProcessResult result =
        call(machine_, {"peek", "loaded:libcudart"}, "call_cudart-" + major);
    EXPECT_THAT(answer(result, "loaded"), HasSubstr("libcudart.so." + major));
  }
}

TEST_F(Policy, RejectWithoutTheCallersMajor_ErrorHasTheReason) {
  machine_.wheel(cudart, "13.5").env("ANYCUDA_CROSS_MAJOR", "reject");
  const ProcessResult result = call(machine_, {"count", "loaded:libcudart"});
  EXPECT_THAT(answers(result), ElementsAre("count: 35 0", "loaded: none"));
  EXPECT_THAT(
      result.err,
      HasSubstr("of CUDA 13, and ANYCUDA_CROSS_MAJOR=reject allows only the caller's CUDA 12"));
}

TEST_F(Policy, AdaptIsTheDefault) {
  machine_.wheel(cudart, "13.5");
  const std::string plain = answer(call(machine_, {"runtime"}), "runtime");
  machine_.env("ANYCUDA_CROSS_MAJOR", "adapt");
  EXPECT_EQ(answer(call(machine_, {"runtime"}), "runtime"), plain);
  EXPECT_EQ(plain, "0 13050");
}

TEST_F(Policy, UnknownNewerMajorIsRefusedToVersionedCallers) {
  machine_.put_copy("opt/libcudart.so.14", fake("future")).library_path("opt");
  const ProcessResult alone = call(machine_, {"count", "loaded:libcudart"});
  EXPECT_THAT(answers(alone), ElementsAre("count: 35 0", "loaded: none"));
  EXPECT_THAT(alone.err, HasSubstr("CUDA 14 is newer than this anycuda knows (up to 13)"));
  machine_.on_library_path(cudart, "12.9");
  EXPECT_THAT(answer(call(machine_, {"peek", "loaded:libcudart"}), "loaded"),
              HasSubstr("libcudart.so.12"));
}

TEST_F(Policy, UnknownNewerMajorServesUnversionedCallers) {
  machine_.put_copy("opt/libcudart.so.14", fake("future")).library_path("opt");
  EXPECT_EQ(answer(machine_.run({versionless("call_cudart-12"), "peek"}), "peek"), "4242");
}

// A program with more rights than its user must not load what the user's environment names. The
// kernel marks such a program with AT_SECURE, which is all that the dynamic linker and the stubs
// look at.
TEST_F(Policy, PrivilegedProgramsIgnoreEveryVariable) {
  const Path program = patched("call_cudart-12");
  const Path log = machine_.root() / "tmp/log";
  machine_.wheel(cudart, "12.9").conda(cudart, "12.9").toolkit(cudart, "12.9");
  machine_.on_library_path(cudart, "12.9");
  machine_.env("CUDA_HOME", machine_.root() / "usr/local/cuda-12.9").env("ANYCUDA_LOG", log);
  const std::string file = machine_.root() / "usr/local/cuda-12.9/lib64/libcudart.so.12";
  const std::vector<std::string> steps = {program, "secure", "peek", "loaded:libcudart"};
  for (const char* variable : {"", "ANYCUDA_CUDART"}) {
    if (*variable != '\0') machine_.env(variable, file);
    // The same program, not privileged, heeds them.
    const ProcessResult normal = machine_.run(steps);
    EXPECT_EQ(answer(normal, "secure"), "0");
    EXPECT_THAT(answer(normal, "loaded"), HasSubstr(machine_.root().string()));
    ASSERT_TRUE(std::filesystem::exists(log)) << normal.describe();
    machine_.remove(log);

    const ProcessResult privileged = machine_.run_secure(steps);
    EXPECT_EQ(answer(privileged, "secure"), "1");
    // It may find what is really installed on this computer.
    EXPECT_THAT(answer(privileged, "loaded"), Not(HasSubstr(machine_.root().string())));
    EXPECT_FALSE(std::filesystem::exists(log));
  }
  // A wrong value, an error for others, is not even read.
  machine_.env("ANYCUDA_LOG", "");
  for (const char* variable :
       {"ANYCUDA_COMPAT", "ANYCUDA_STUB_COMPAT", "ANYCUDA_CROSS_MAJOR", "ANYCUDA_DRIVER_COMPAT"}) {
    machine_.env(variable, "nonsense");
    EXPECT_THAT(machine_.run(steps).err, HasSubstr("=nonsense: expected"));
    EXPECT_THAT(machine_.run_secure(steps).err, Not(HasSubstr("nonsense")));
    machine_.env(variable, "");
  }
}

}  // namespace
}  // namespace anycuda::test
