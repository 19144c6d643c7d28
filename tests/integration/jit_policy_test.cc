// SPDX-License-Identifier: Apache-2.0

// Which NVRTC and which nvJitLink a machine's programs get: by the driver, whose version decides
// which PTX it compiles and whose code it runs, and by each other, since LTO-IR works only within
// a major.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class JitPolicy : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact :
         {"nvrtc-11.8", "nvrtc-12.1", "nvrtc-12.4", "nvrtc-12.9", "nvrtc-13.5", "nvjitlink-12.1",
          "nvjitlink-12.4", "nvjitlink-12.9", "nvjitlink-13.5", "driver-535"}) {
      REQUIRE_ARTIFACT(artifact);
    }
    for (const char* program : {"call_nvrtc-12", "call_nvrtc-13", "call_nvjitlink-12",
                                "call_nvjitlink-13", "jit_nvjitlink-12"}) {
      REQUIRE_PROGRAM(patched(program));
    }
  }
  // "0 12.9", what NVRTC says of itself to a program of a major; `before`: a file that the process
  // has loaded.
  std::string compiler(const std::string& major = "12", const std::string& before = "") {
    std::vector<std::string> steps = {patched("call_nvrtc-" + major), "version", "version"};
    if (!before.empty()) steps.insert(steps.begin() + 1, "open:" + before);
    result_ = machine_.run(steps);
    return answer(result_, "version");
  }
  // Path of the linker.
  std::string linker(const std::string& major = "12", const std::string& before = "") {
    std::vector<std::string> steps = {patched("call_nvjitlink-" + major), "create",
                                      "loaded:libnvJitLink"};
    if (!before.empty()) steps.insert(steps.begin() + 1, "open:" + before);
    result_ = machine_.run(steps);
    return answer(result_, "loaded");
  }
  // A toolkit with the header that states its version.
  void toolkit(Component library, const std::string& version, const std::string& number) {
    machine_.toolkit(library, version);
    machine_.put_file("usr/local/cuda-" + version + "/include/cuda.h",
                      "#define CUDA_VERSION " + number + "\n");
  }
  // A library of a toolkit elsewhere, for the process to have loaded.
  std::string elsewhere(Component library, const std::string& version, const std::string& number) {
    const Path from = library_of(library, version);
    const Path root = machine_.root() / ("opt/elsewhere-" + version);
    machine_.put_copy(root / "lib64" / from.filename(), from);
    machine_.put_file(root / "include/cuda.h", "#define CUDA_VERSION " + number + "\n");
    return root / "lib64" / from.filename();
  }
  Machine machine_;
  ProcessResult result_;
};

// ---- NVRTC and the driver

TEST_F(JitPolicy, NvrtcOfANewerMajor_IsPassedOver) {
  machine_.wheel(nvrtc, "12.9").wheel(nvrtc, "13.5").driver(535).env("ANYCUDA_LOG", "info");
  EXPECT_EQ(compiler(), "0 12.9");
  EXPECT_EQ(compiler("13"), "0 12.9");
  EXPECT_THAT(result_.err,
              ContainsRegex("passed over .*libnvrtc.so.13 \\(CUDA 13.*\\): its output "
                            "needs a driver for CUDA 13; .* supports up to CUDA 12.2"));
}

TEST_F(JitPolicy, WithoutADriverTheNewestNvrtcIsUsed) {
  machine_.wheel(nvrtc, "12.9").wheel(nvrtc, "13.5");
  EXPECT_EQ(compiler(), "0 13.5");
}

TEST_F(JitPolicy, OnlyNewerNvrtc_ErrorHasAHint) {
  machine_.wheel(nvrtc, "13.5").driver(535);
  EXPECT_EQ(compiler(), "11 0.0");
  EXPECT_THAT(result_.err, ContainsRegex("libnvrtc.so.13 .*its output needs a driver for CUDA 13; "
                                         ".*ANYCUDA_DRIVER_COMPAT=assume_forward_compat"));
  EXPECT_THAT(result_.err, HasSubstr("for another machine, set ANYCUDA_STUB_COMPAT=off"));
  machine_.env("ANYCUDA_COMPAT", "off");
  EXPECT_EQ(compiler(), "0 13.5");
  machine_.env("ANYCUDA_COMPAT", "").env("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat");
  EXPECT_EQ(compiler(), "0 13.5");
}

TEST_F(JitPolicy, NvrtcWithUsablePtxComesBeforeANewerOne) {
  toolkit(nvrtc, "12.1", "12010");
  toolkit(nvrtc, "12.9", "12090");
  EXPECT_EQ(compiler(), "0 12.9") << "without a driver";
  machine_.driver(535).env("ANYCUDA_LOG", "info");
  EXPECT_EQ(compiler(), "0 12.1");
  EXPECT_THAT(result_.err,
              ContainsRegex("passed over .*/usr/local/cuda/.* \\(CUDA 12.9, .*: .* supports up to "
                            "CUDA 12.2 and cannot compile its PTX"));
  EXPECT_THAT(result_.err, Not(HasSubstr("is newer than")));
  machine_.env("ANYCUDA_COMPAT", "off");
  EXPECT_EQ(compiler(), "0 12.9") << "where the driver does not count";
}

TEST_F(JitPolicy, OlderMajorsCountAsNewPtxDoes) {
  machine_.wheel(nvrtc, "11.8").wheel(nvrtc, "12.9").driver(535);
  EXPECT_EQ(compiler(), "0 11.8");
}

TEST_F(JitPolicy, NvrtcNewerThanTheDriverIsUsedAndReportedOnce) {
  machine_.wheel(nvrtc, "12.9").driver(535);
  EXPECT_EQ(compiler(), "0 12.9");
  EXPECT_THAT(result_.err, IsEmpty()) << "at the usual level";
  machine_.env("ANYCUDA_LOG", "warn");
  EXPECT_EQ(compiler(), "0 12.9");
  EXPECT_THAT(
      result_.err,
      ContainsRegex("nvrtc: .*libnvrtc.so.12 \\(CUDA 12.9, says wheel nvidia-cuda-nvrtc-cu12 "
                    "12.9.[0-9]+\\) is newer than .*libcuda.so.1, of CUDA 12.2: that driver "
                    "cannot compile PTX from this library"));
  EXPECT_EQ(count_of("anycuda:", result_.err), 1u) << result_.err;
}

// An earlier place still wins: preferences order what one place has.
TEST_F(JitPolicy, PreferenceDoesNotReachIntoAnotherTier) {
  machine_.wheel(nvrtc, "12.9").driver(535);
  toolkit(nvrtc, "12.1", "12010");
  EXPECT_EQ(compiler(), "0 12.9");
}

// ---- nvJitLink and the driver, and the caller's major

TEST_F(JitPolicy, NvJitLinkOfANewerMajor_IsPassedOver) {
  machine_.wheel(nvjitlink, "12.9").wheel(nvjitlink, "13.5").driver(535);
  EXPECT_THAT(linker("13"), HasSubstr("libnvJitLink.so.12"));
  machine_.env("ANYCUDA_COMPAT", "off");
  EXPECT_THAT(linker("13"), HasSubstr("libnvJitLink.so.13"));
}

TEST_F(JitPolicy, LinkerNewerThanTheDriver_HasNoPtxWarning) {
  machine_.wheel(nvjitlink, "12.9").driver(535).env("ANYCUDA_LOG", "warn");
  EXPECT_THAT(linker(), HasSubstr("libnvJitLink.so.12"));
  EXPECT_THAT(result_.err, IsEmpty());
}

TEST_F(JitPolicy, AProgramGetsTheLinkerOfItsMajor) {
  machine_.wheel(nvjitlink, "12.9").wheel(nvjitlink, "13.5").env("ANYCUDA_LOG", "info");
  EXPECT_THAT(linker("12"), HasSubstr("libnvJitLink.so.12"));
  EXPECT_THAT(result_.err, ContainsRegex("passed over .*libnvJitLink.so.13 .*: the program was "
                                         "built for CUDA 12, and its LTO-IR, if it has any"));
  EXPECT_THAT(linker("13"), HasSubstr("libnvJitLink.so.13"));
}

// ---- nvJitLink and NVRTC

TEST_F(JitPolicy, ALinkerOfTheLoadedCompilersMajorIsTaken) {
  machine_.wheel(nvjitlink, "12.9").wheel(nvjitlink, "13.5").env("ANYCUDA_LOG", "info");
  EXPECT_THAT(linker("12", library_of(nvrtc, "13.5")), HasSubstr("libnvJitLink.so.13"));
  EXPECT_THAT(linker("13", library_of(nvrtc, "12.9")), HasSubstr("libnvJitLink.so.12"));
  EXPECT_THAT(result_.err,
              ContainsRegex("passed over .*libnvJitLink.so.13 .*: it cannot exchange LTO-IR with "
                            "the NVRTC .* of this process, .*libnvrtc.so.12"));
}

TEST_F(JitPolicy, OfMany_LinkerFittingTheLoadedCompilerIsTaken) {
  toolkit(nvjitlink, "12.1", "12010");
  toolkit(nvjitlink, "12.4", "12040");
  toolkit(nvjitlink, "13.5", "13050");
  EXPECT_THAT(linker("13", elsewhere(nvrtc, "12.4", "12040")), HasSubstr("cuda-12.4/"));
  EXPECT_THAT(linker("13", elsewhere(nvrtc, "12.1", "12010")), HasSubstr("cuda-12.4/"));
  // None of 12 is new enough: the caller's own major.
  EXPECT_THAT(linker("13", elsewhere(nvrtc, "12.9", "12090")),
              HasSubstr("/usr/local/cuda/lib64/libnvJitLink.so.13"));
  EXPECT_THAT(linker("12", elsewhere(nvrtc, "12.9", "12090")), HasSubstr("cuda-12.4/"));
}

TEST_F(JitPolicy, CompilerThatFitsTheLoadedLinkerIsTaken) {
  machine_.wheel(nvrtc, "12.9").wheel(nvrtc, "13.5");
  EXPECT_EQ(compiler("13", library_of(nvjitlink, "12.9")), "0 12.9");
  EXPECT_EQ(compiler("12", library_of(nvjitlink, "13.5")), "0 13.5");
}

TEST_F(JitPolicy, CompilerIsNotNewerThanTheLoadedLinker) {
  toolkit(nvrtc, "12.1", "12010");
  toolkit(nvrtc, "12.4", "12040");
  toolkit(nvrtc, "12.9", "12090");
  EXPECT_EQ(compiler("12", elsewhere(nvjitlink, "12.4", "12040")), "0 12.4");
  EXPECT_EQ(compiler("12", elsewhere(nvjitlink, "12.9", "12090")), "0 12.9");
}

// The one that our own stub opened is loaded like any other; the stub itself is not.
TEST_F(JitPolicy, PeersStubIsNotAPeer) {
  machine_.wheel(nvrtc, "12.9").wheel(nvrtc, "13.5");
  EXPECT_EQ(compiler("12", stub("nvjitlink")), "0 13.5");
}

// What the preference is for: LTO fatbins of the program's own nvcc.
TEST_F(JitPolicy, ProgramOf12LinksLtoFatbinsBesideBothLinkers) {
  const Path fatbin = kernels("12.4").parent_path() / "lto-12.4.fatbin";
  REQUIRE_PROGRAM(fatbin);
  machine_.wheel(nvjitlink, "12.9").wheel(nvjitlink, "13.5");
  result_ = machine_.run(
      {patched("jit_nvjitlink-12"), "options:-arch=sm_80 -lto", "link:fatbin=" + fatbin.string()});
  EXPECT_THAT(answers(result_), ElementsAre("options: done", "link: 0 0 0 0 cubin")) << result_.err;
}

}  // namespace
}  // namespace anycuda::test
