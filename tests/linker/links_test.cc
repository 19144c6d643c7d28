// SPDX-License-Identifier: Apache-2.0

// Real links; other programs check their outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "computer.h"
#include "tests/support/case_names.h"

using namespace anycuda::test;
using testing::HasSubstr;
using testing::Not;

namespace {

struct Release {
  const char* nvjitlink;
  std::vector<std::string> more;  // what it can beside
};

void PrintTo(const Release& release, std::ostream* out) { *out << release.nvjitlink; }

// NVIDIA's disassembler finds the kernel in it.
void expect_cubin(const Computer& computer, const std::string& path) {
  const std::string nvdisasm = Artifacts::of_this_build().folder("nvdisasm") / "bin/nvdisasm";
  const ProcessResult result = computer.run({nvdisasm, path});
  EXPECT_EQ(result.status, 0) << result.describe();
  EXPECT_THAT(result.out, HasSubstr(".text.kernel")) << path;
  EXPECT_THAT(result.out, HasSubstr("EXIT")) << path;
}

class Links : public testing::TestWithParam<Release> {};

TEST_P(Links, OutputsAreAcceptedByOtherPrograms) {
  const Release& release = GetParam();
  const std::string version = release.nvjitlink;
  NEEDS_ARTIFACTS("nvjitlink-" + version, "nvrtc-" + version, "nvdisasm", "nvcc-13.0");
  Computer computer;
  computer.with_nvjitlink(version).put_folder("out");
  const std::string out = computer.resolve("out");
  std::vector<std::string> arguments = {"outputs", modules_of(version), out};
  arguments.insert(arguments.end(), release.more.begin(), release.more.end());
  const std::string told = computer.child(arguments);
  EXPECT_THAT(told, HasSubstr("the same PTX by compute_80: "));
  EXPECT_EQ(after(told, "the same CUBIN by compute_80: "), "1");
  int cubins = 0;
  for (const auto& file : std::filesystem::directory_iterator(out)) {
    if (file.path().extension() != ".cubin") continue;
    expect_cubin(computer, file.path());
    ++cubins;
  }
  EXPECT_EQ(cubins, 3 + (release.more.empty() ? 0 : 3));
  if (version[1] == '3') return;  // newer than any ptxas here; it was linked again
  const std::string ptxas = Artifacts::of_this_build().folder("nvcc-13.0") / "bin/ptxas";
  const ProcessResult result =
      computer.run({ptxas, "-arch=sm_80", out + "/lto.ptx", "-o", out + "/ptxas.cubin"});
  EXPECT_EQ(result.status, 0) << result.describe();
}

const Release kReleases[] = {{"12.3", {}}, {"12.9", {}}, {"13.5", {"incremental", "lto_ir"}}};
INSTANTIATE_TEST_SUITE_P(Releases, Links, testing::ValuesIn(kReleases), kPrintedName);

TEST(Links, TakeEveryContainerAsBytesAndAsAFile) {
  NEEDS_ARTIFACTS("nvjitlink-12.9", "nvrtc-12.9", "nvcc-12.4", "nvdisasm");
  Computer computer;
  computer.with_nvjitlink("12.9").put_folder("out");
  const std::string out = computer.child(
      {"containers", modules_of("12.9"), modules_of("nvcc"), computer.resolve("out")});
  for (const char* type : {"object", "library", "fatbin", "CUBIN", "PTX"}) {
    EXPECT_EQ(after(out, type + std::string(": ")), "4 of 4") << out;
  }
  for (const auto& file : std::filesystem::directory_iterator(computer.resolve("out"))) {
    expect_cubin(computer, file.path());
  }
}

// LTO-IR of CUDA 12 is not for an nvJitLink of 13, which would take it.
TEST(Links, LtoIrStaysInItsMajor) {
  NEEDS_ARTIFACTS("nvjitlink-13.5", "nvrtc-12.9");
  Computer computer;
  computer.with_nvjitlink("13.5");
  const std::string out = computer.child({"rows", modules_of("12.9")});
  EXPECT_EQ(after(out, "newer_driver | LTO-IR | "), "nvJitLink, InputError");
  EXPECT_THAT(out, HasSubstr("holds LTO-IR made by CUDA 12, and nvJitLink is 13.5"));
}

TEST(Links, TakeEveryOptionThatTheyHave) {
  NEEDS_ARTIFACTS("nvjitlink-12.3", "nvrtc-12.3", "nvjitlink-13.5", "nvrtc-13.5");
  const char* kAlways[] = {"optimization_level 0",
                           "optimization_level 3",
                           "debug",
                           "line_info",
                           "verbose, time, max_registers",
                           "ftz, prec_div, prec_sqrt, fma: true",
                           "ftz, prec_div, prec_sqrt, fma: false",
                           "kernels_used, variables_used, optimize_unused_variables",
                           "ptxas_options, nvvm_options",
                           "split_compile, split_compile_extended, jump_table_density"};
  for (const std::string version : {"12.3", "13.5"}) {
    Computer computer;
    computer.with_nvjitlink(version);
    const std::string out = computer.child({"options", modules_of(version)});
    for (const char* name : kAlways) {
      EXPECT_EQ(after(out, name + std::string(": ")), "ok") << version << "\n" << out;
    }
    const bool newest = version == "13.5";
    for (const char* name : {"no_cache", "incremental", "output LTO-IR"}) {
      EXPECT_EQ(after(out, name + std::string(": ")), newest ? "ok" : "UnsupportedOptionError")
          << out;
    }
    EXPECT_EQ(after(out, "cache_mode: "), "UnsupportedOptionError");
    EXPECT_EQ(after(out, "optimization_level 1: "), "UnsupportedOptionError");
    EXPECT_EQ(after(out, "arch unset: "), "OptionError");
    EXPECT_EQ(after(out, "nvvm_options that libNVVM has not: "), "LinkError");
    EXPECT_THAT(out, HasSubstr("-no-such-option is an unsupported option")) << version;
    EXPECT_THAT(out, HasSubstr("there is no driver"));
    if (newest) continue;
    EXPECT_THAT(out, HasSubstr("no_cache needs nvJitLink 12.5 or later; this is 12.3"));
    EXPECT_THAT(out, HasSubstr("needs nvJitLink 13.3 or later; this is 12.3"));
  }
}

TEST(Links, FailWithALogThatStays) {
  NEEDS_ARTIFACTS("nvjitlink-12.9", "nvrtc-12.9", "nvjitlink-13.5", "nvrtc-13.5");
  for (const std::string version : {"12.9", "13.5"}) {
    Computer computer;
    computer.with_nvjitlink(version);
    const std::string out = computer.child({"faults", modules_of(version), computer.root()});
    for (const char* fault : {"unresolved", "damaged PTX", "text that is not PTX", "PTX that stops",
                              "LTO-IR that stops", "junk as LTO-IR", "an unknown architecture"}) {
      EXPECT_EQ(after(out, fault + std::string(": ")), "LinkError") << version << "\n" << out;
    }
    EXPECT_EQ(after(out, "gone: "), "InputError");
    EXPECT_EQ(after(out, "good after all: "), "ok");
    EXPECT_THAT(out, HasSubstr("(nvJitLink " + version + ") failed: NVJITLINK_ERROR_"));
    EXPECT_THAT(out, HasSubstr("inputs: 'broken one' (PTX)"));
    EXPECT_THAT(out, HasSubstr("options: -arch=sm_80"));
    EXPECT_THAT(out, HasSubstr("  after close: "));
    EXPECT_THAT(after(out, "  after close: "), Not(HasSubstr("(no such line)")));
  }
}

TEST(Links, OneLinkersLife) {
  NEEDS_ARTIFACTS("nvjitlink-12.9", "nvrtc-12.9");
  Computer computer;
  computer.with_nvjitlink("12.9");
  EXPECT_EQ(computer.child({"life", modules_of("12.9")}),
            "before: closed 0, logs 0\n"
            "linked: log names the kernel 1\n"
            "again the same: 1\n"
            "moved from: closed 1, ClosedError, ClosedError\n"
            "moved to: 1\n"
            "closed: 1, link ClosedError, log kept 1, why kept 1\n"
            "assigned: 1\n"
            "two threads: 20 and 20 of 20\n");
}

}  // namespace
