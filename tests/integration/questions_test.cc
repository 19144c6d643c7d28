// SPDX-License-Identifier: Apache-2.0

// A stub answers a version query without a message: a program that only checks for CUDA, in a
// constructor as UCX does, writes nothing without CUDA. An installed but unusable CUDA is reported
// once.
#include <algorithm>

#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::size_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class Questions : public ::testing::Test {
 protected:
  void SetUp() override { REQUIRE_PROGRAM(fake("asks_in_constructor")); }
  ProcessResult import(std::vector<std::string> steps) {
    std::vector<std::string> all = {native("host"),
                                    "import:" + fake("asks_in_constructor").string()};
    all.insert(all.end(), steps.begin(), steps.end());
    return machine_.run(all);
  }
  Machine machine_;
};

TEST_F(Questions, InAConstructorWriteNothingWithoutCuda) {
  const ProcessResult result = import({"call:answer"});
  EXPECT_THAT(answers(result), ElementsAre("import: yes", "call: 35"));
  EXPECT_EQ(result.err, "");
}

// As a Python process has it, where the search looks into its packages.
TEST_F(Questions, WriteNothingInPython) {
  const std::string file = fake("asks_in_constructor").string();
  const ProcessResult result =
      machine_.run({python(), "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", file});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(Questions, LeaveTheMessageToTheFirstOtherCall) {
  const ProcessResult result = import({"call:allocate", "call:allocate", "call:answer"});
  EXPECT_THAT(answers(result), ElementsAre("import: yes", "call: 35", "call: 35", "call: 35"));
  EXPECT_THAT(result.err,
              HasSubstr("anycuda: cudaMalloc failed: no usable CUDA runtime was found"));
  EXPECT_THAT(result.err, HasSubstr("libcudart.so.13, libcudart.so.12, libcudart.so.11.0"));
  EXPECT_THAT(result.err, HasSubstr("built for CUDA 12"));
  EXPECT_THAT(result.err, HasSubstr("pip install nvidia-cuda-runtime"));
  EXPECT_THAT(result.err, HasSubstr("ANYCUDA_CUDART"));
  EXPECT_THAT(result.err, HasSubstr("`anycuda doctor`"));
  EXPECT_EQ(count_of("anycuda: ", result.err), 1u) << result.err;
  EXPECT_LE(lines(result.err), 5u) << result.err;
}

// Each stub has its message.
TEST_F(Questions, LeaveTheDriversMessageToTheDriversCall) {
  const ProcessResult result = import({"call:allocate_by_driver"});
  EXPECT_THAT(answers(result), ElementsAre("import: yes", "call: 3"));
  EXPECT_THAT(result.err, HasSubstr("anycuda: cuMemAlloc_v2 failed: no usable CUDA driver"));
  EXPECT_LE(lines(result.err), 5u) << result.err;
}

TEST_F(Questions, LevelWarn_AreReported) {
  for (const char* level : {"warn", "info", "debug"}) {
    machine_.env("ANYCUDA_LOG", level);
    const ProcessResult result = import({});
    EXPECT_THAT(result.err, HasSubstr("anycuda: cudaGetDeviceCount failed: no usable")) << level;
    EXPECT_THAT(result.err, HasSubstr("anycuda: cuInit failed: no usable")) << level;
    EXPECT_THAT(result.err, HasSubstr("anycuda: nvrtcVersion failed: no usable")) << level;
  }
}

// What the search refuses, and the line about it.
TEST_F(Questions, ReportARefusedRuntimeOnce) {
  REQUIRE_ARTIFACT("cudart-13.5");
  REQUIRE_ARTIFACT("driver-535");
  machine_.wheel(cudart, "13.5").driver(535);
  const ProcessResult result = import({"call:allocate"});
  EXPECT_THAT(result.err, HasSubstr("anycuda: cudaGetDeviceCount failed: no usable CUDA runtime"));
  EXPECT_THAT(result.err, HasSubstr("supports up to CUDA 12.2"));
  EXPECT_THAT(result.err, HasSubstr("what to do: update the driver"));
  EXPECT_EQ(count_of("anycuda: ", result.err), 1u) << result.err;
  EXPECT_LE(lines(result.err), 5u) << result.err;
}

TEST_F(Questions, ReportATruncatedFileOnce) {
  REQUIRE_ARTIFACT("cudart-12.9");
  machine_.on_library_path(cudart, "12.9");
  const std::string folder = machine_.environment().at("LD_LIBRARY_PATH");
  machine_.truncate(Path(folder) / "libcudart.so.12", 5000);
  const ProcessResult result = import({"call:allocate"});
  EXPECT_THAT(result.err, HasSubstr("libcudart.so.12: truncated"));
  EXPECT_EQ(count_of("anycuda: ", result.err), 1u) << result.err;
  EXPECT_LE(lines(result.err), 5u) << result.err;
}

TEST_F(Questions, ReportANamedFileThatIsMissing) {
  machine_.env("ANYCUDA_CUDART", "/nowhere/libcudart.so.12");
  const ProcessResult result = import({});
  EXPECT_THAT(result.err, HasSubstr("/nowhere/libcudart.so.12: no such file"));
  EXPECT_EQ(count_of("anycuda: ", result.err), 1u) << result.err;
}

// With the runtime there, the answers are its own.
TEST_F(Questions, WriteNothingBesideTheRealRuntime) {
  REQUIRE_ARTIFACT("cudart-12.9");
  REQUIRE_ARTIFACT("driver-535");
  machine_.wheel(cudart, "12.9").driver(535);
  const ProcessResult result = import({"call:answer", "call:allocate"});
  EXPECT_THAT(answers(result), ElementsAre("import: yes", "call: 100", "call: 100"));
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace anycuda::test
