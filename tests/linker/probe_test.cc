// SPDX-License-Identifier: Apache-2.0

// Queries without a Linker; and NVRTC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "computer.h"

using namespace anycuda::test;
using testing::HasSubstr;

namespace {

TEST(Probes, AreKeptAndCanBeReset) {
  NEEDS_ARTIFACTS("nvjitlink-12.9");
  const Computer computer;
  const std::string out = computer.child({"probes", path_of_nvjitlink("12.9")});
  EXPECT_EQ(after(out, "first: "), "nvJitLink absent 0.-1") << out;
  // The folder of the library that this program is linked with is in its RUNPATH.
  EXPECT_THAT(out, HasSubstr("libnvJitLink.so: an anycuda stub"));
  EXPECT_THAT(out, HasSubstr("what to do: install nvJitLink"));
  EXPECT_THAT(after(out, "driver "), HasSubstr("0.-1, no libcuda.so.1"));
  EXPECT_EQ(after(out, "kept: "), "nvJitLink absent 0.-1");
  EXPECT_EQ(after(out, "reset: "), "nvJitLink usable 12.9");
  EXPECT_EQ(after(out, "in use: "), "nvJitLink usable 12.9");
  EXPECT_EQ(after(out, "still the same: "), "1");
  EXPECT_THAT(after(out, "wrong setting: "),
              HasSubstr("BackendError: invalid ANYCUDA_COMPAT=lenient"));
  EXPECT_EQ(after(out, "right again: "), "nvJitLink absent 0.-1");
  EXPECT_EQ(after(out, "of the driver: "), "BackendError");
}

TEST(Probes, HaveTheReasonAgainstEach) {
  NEEDS_ARTIFACTS("nvjitlink-12.0", "nvjitlink-13.5", "driver-535");
  Computer old;
  old.with_nvjitlink("12.0").with_driver(535);
  EXPECT_EQ(after(old.child({"probes"}), "first: "), "nvJitLink too old 0.-1");
  Computer refused;
  refused.with_nvjitlink("13.5").with_driver(535);
  const std::string out = refused.child({"probes"});
  EXPECT_EQ(after(out, "first: "), "nvJitLink refused 13.5");
  EXPECT_THAT(out, HasSubstr("supports up to CUDA 12.2"));
  EXPECT_EQ(after(out, "driver "), "12.2, ");
}

TEST(Probes, DamagedFileIsUnusable) {
  NEEDS_ARTIFACTS("nvjitlink-12.9");
  Computer computer;
  computer.on_library_path(nvjitlink, "12.9");
  computer.env("ANYCUDA_NVJITLINK", computer.resolve("junk"));
  computer.put_file("junk", "no library");
  const std::string out = computer.child({"probes"});
  EXPECT_EQ(after(out, "first: "), "nvJitLink absent 0.-1");
  EXPECT_THAT(out, HasSubstr("not an ELF shared library"));
}

TEST(Programs, AnswerWithNvrtc) {
  NEEDS_ARTIFACTS("nvrtc-12.9");
  Computer computer;
  computer.with_nvrtc("12.9");
  const std::string out = computer.child({"programs", "tell"});
  for (const char* good :
       {"PTX", "LTO-IR", "CUBIN of sm_80", "CUBIN of compute_80", "many options"}) {
    EXPECT_EQ(after(out, good + std::string(": ")), "ok") << out;
  }
  for (const char* wrong : {"CUBIN without arch", "no such arch", "wrong value"}) {
    EXPECT_EQ(after(out, wrong + std::string(": ")), "OptionError") << out;
  }
  EXPECT_EQ(after(out, "empty: "), "NoInputError");
  EXPECT_EQ(after(out, "zero byte: "), "InputError");
  EXPECT_EQ(after(out, "zero byte in its name: "), "InputError");
  EXPECT_EQ(after(out, "another output: "), "CompileError");
  EXPECT_EQ(after(out, "wrong source: "), "CompileError");
  EXPECT_THAT(out, HasSubstr("NVRTC_ERROR_COMPILATION (6)"));
  EXPECT_THAT(out, HasSubstr("wrong.cu(1): error"));
  EXPECT_EQ(after(out, "too early: "), "another exception");
  EXPECT_EQ(after(out, "lowered: "), "_Z5scaleIfEvPT_");
  EXPECT_EQ(after(out, "warned: "), "1");
  EXPECT_EQ(after(out, "version: "), "12.9");
  EXPECT_EQ(after(out, "moved from: "), "ClosedError");
}

TEST(Programs, AResultIsAnInput) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvjitlink-12.9");
  Computer computer;
  computer.with_nvrtc("12.9").with_nvjitlink("12.9");
  const std::string linked =
      "  linked: CUBIN 'caller.cu and 1 more', log 1, _Z5scaleIiEvPT_, _Z5clearIiEvPT_\n";
  EXPECT_EQ(computer.child({"programs", "steps"}),
            "LTO-IR: LTO-IR 'caller.cu', look 1, 1 name\n" + linked +
                "PTX: PTX 'caller.cu', look 1, 1 name\n" + linked +
                "CUBIN: CUBIN 'caller.cu', look 1, 1 name\n" + linked);
}

TEST(Programs, CompilePtx) {
  NEEDS_ARTIFACTS("nvjitlink-12.9");
  Computer computer;
  computer.with_nvjitlink("12.9");
  const std::string out = computer.child({"programs", "ptx"});
  for (const char* good : {"CUBIN of PTX", "all options of PTX"}) {
    EXPECT_EQ(after(out, good + std::string(": ")), "ok") << out;
  }
  for (const char* wrong :
       {"PTX of PTX", "LTO-IR of PTX", "PTX with standard", "PTX with defines",
        "PTX with a name expression", "PTX with a time trace", "unknown language"}) {
    EXPECT_EQ(after(out, wrong + std::string(": ")), "OptionError") << out;
  }
  EXPECT_EQ(after(out, "damaged PTX: "), "CompileError") << out;
  EXPECT_EQ(after(out, "empty PTX: "), "NoInputError") << out;
  EXPECT_EQ(after(out, "CUDA C++ as PTX: "), "CompileError") << out;
  EXPECT_EQ(after(out, "NVVM IR: "), "UnsupportedOptionError") << out;
  EXPECT_THAT(out, HasSubstr("compile it with libNVVM to PTX, or with its option -gen-lto"));
}

TEST(Programs, PtxWithoutNvJitLink_IsForTheDriver) {
  Computer computer;
  computer.with_fake_driver();
  const std::string out = computer.child({"programs", "ptx"});
  EXPECT_EQ(after(out, "CUBIN of PTX: "), "ok") << out;
  EXPECT_THAT(out, HasSubstr("fake: option 9=80\n"));
}

TEST(Programs, CubinWithoutArch_IsForTheContextsDevice) {
  NEEDS_ARTIFACTS("nvrtc-12.9");
  Computer computer;
  // NVRTC itself calls a driver whose cuInit succeeds, for what the fake one does not have.
  computer.with_nvrtc("12.9").with_fake_driver("gpu");
  EXPECT_EQ(computer.child({"programs", "context"}), "for sm_90\n");
}

// It opens its builtins by their name, and has no run path.
TEST(Programs, NvrtcWithoutARunPath_Compiles) {
  NEEDS_ARTIFACTS("nvrtc-13.0");
  Computer computer;
  computer.with_nvrtc("13.0");
  const std::string out = computer.child({"programs", "tell"});
  for (const char* good : {"PTX", "LTO-IR", "CUBIN of sm_80"}) {
    EXPECT_EQ(after(out, good + std::string(": ")), "ok") << out;
  }
}

TEST(Programs, LtoIrNeedsNvrtc12) {
  NEEDS_ARTIFACTS("nvrtc-11.8");
  Computer computer;
  computer.with_nvrtc("11.8");
  const std::string out = computer.child({"programs", "tell"});
  EXPECT_EQ(after(out, "PTX: "), "ok");
  EXPECT_EQ(after(out, "LTO-IR: "), "BackendError");
  EXPECT_THAT(out, HasSubstr("LTO-IR needs NVRTC 12.0 or later"));
}

// A newline in a path must not begin a line, nor an escape sequence reach the terminal.
TEST(Messages, HaveEachPathInOneLine) {
  NEEDS_ARTIFACTS("nvrtc-11.8", "nvjitlink-12.0");
  Computer computer;
  const Artifacts& artifacts = Artifacts::of_this_build();
  const auto named = [&](const char* variable, const std::string& file) {
    const std::string folder = std::string("odd\nfirst: \x1b[2J ") + variable;
    computer.put_link(folder, std::filesystem::path(file).parent_path());
    computer.env(variable, computer.resolve(folder) / std::filesystem::path(file).filename());
  };
  named("ANYCUDA_NVRTC", artifacts.folder("nvrtc-11.8") / "nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2");
  named("ANYCUDA_NVJITLINK", path_of_nvjitlink("12.0"));
  const std::string out = computer.child({"programs", "tell"}) + computer.child({"probes"});
  EXPECT_THAT(out, HasSubstr("LTO-IR needs NVRTC 12.0 or later; " + computer.root().string() +
                             "/odd\\x0afirst: \\x1b[2J ANYCUDA_NVRTC/"));
  EXPECT_EQ(after(out, "first: "), "nvJitLink too old 0.-1");
  EXPECT_THAT(out, HasSubstr("odd\\x0afirst: \\x1b[2J ANYCUDA_NVJITLINK/"));
  computer.env("ANYCUDA_LOG", "off");
  computer.env("ANYCUDA_CUDA", computer.root().string() + "/gone\ndriver \xc2\x9b");
  EXPECT_THAT(computer.child({"probes"}), HasSubstr("/gone\\x0adriver \\xc2\\x9b: no such file"));
  computer.env("ANYCUDA_COMPAT", "a\nfirst: b");
  EXPECT_THAT(computer.child({"programs", "tell"}),
              HasSubstr("invalid ANYCUDA_COMPAT=a\\x0afirst: b, so "));
}

TEST(Programs, WithoutNvrtc_MessageNamesTheFiles) {
  const Computer computer;
  const std::string out = computer.child({"programs", "tell"});
  EXPECT_EQ(after(out, "PTX: "), "BackendError");
  EXPECT_THAT(out, HasSubstr("compiling needs NVRTC, and no NVRTC"));
  EXPECT_EQ(after(out, "empty: "), "NoInputError");
  EXPECT_EQ(after(out, "no such arch: "), "OptionError");
}

}  // namespace
