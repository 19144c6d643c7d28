// SPDX-License-Identifier: Apache-2.0

// The guard rails on real wheels, toolkits and drivers. Opened libraries stay in a process, so each
// machine runs a program (programs/rails.cc) that takes the steps and prints the result of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "rails_computer.h"

namespace anycuda::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(NvrtcAndNvJitLink, OfOneToolkitAreLoaded) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvjitlink-12.9");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9").wheel(nvjitlink, "12.9");
  const Steps steps = computer.rails({"driver=12.9/575", "load:nvrtc", "load:nvJitLink",
                                      "mapped:libnvrtc.so.12", "mapped:libnvJitLink.so.12"});
  EXPECT_THAT(steps["load:nvrtc"], EndsWith("/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
  EXPECT_THAT(steps["load:nvJitLink"], EndsWith("/nvidia/nvjitlink/lib/libnvJitLink.so.12"));
  EXPECT_EQ(steps["mapped:libnvrtc.so.12"], "yes");
  EXPECT_EQ(steps["mapped:libnvJitLink.so.12"], "yes");
}

// It opens its builtins by their name, and has no run path.
TEST(NvrtcWithoutARunPath, Loaded_Compiles) {
  NEEDS_ARTIFACTS("nvrtc-13.0");
  RailsComputer computer;
  computer.wheel(nvrtc, "13.0");
  const std::string file = computer.site_packages() / "nvidia/cu13/lib/libnvrtc.so.13";
  for (const std::string& first : {std::string("load:nvrtc"), "dlopen:" + file}) {
    EXPECT_EQ(computer.rails({"driver=13.0/580", first, "compile:"})["compile:"], "0") << first;
  }
}

TEST(NvrtcAndNvJitLink, OfTwoMajorsAreRefusedBeforeTheSecondIsLoaded) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvjitlink-13.5");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9").wheel(nvjitlink, "13.5");
  const Steps steps =
      computer.rails({"driver=13.5/600", "load:nvrtc", "load:nvJitLink", "mapped:libnvJitLink"});
  EXPECT_THAT(
      steps["load:nvJitLink"],
      AllOf(StartsWith("ToolkitMismatchError: nvJitLink and nvrtc must be of one CUDA major"),
            HasSubstr("of CUDA 13.5: "), HasSubstr("wheel nvidia-nvjitlink 13.5."),
            HasSubstr("wheel nvidia-cuda-nvrtc-cu12 12.9.")));
  EXPECT_EQ(steps["mapped:libnvJitLink"], "no");
}

TEST(NvrtcAndNvJitLink, TwoMajors_AreLoadedForAPtxPipeline) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvjitlink-13.5");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9").wheel(nvjitlink, "13.5");
  const Steps steps = computer.rails(
      {"driver=13.5/600", "load:nvrtc", "pipeline:nvrtc,nvJitLink,ptx", "load:nvJitLink",
       "mapped:libnvJitLink.so.13", "pipeline:nvrtc,nvJitLink,LTO-IR"});
  EXPECT_EQ(steps["mapped:libnvJitLink.so.13"], "yes");
  EXPECT_THAT(steps["pipeline:nvrtc,nvJitLink,LTO-IR"],
              AllOf(StartsWith("ToolkitMismatchError: "), HasSubstr("does not cross majors")));
}

TEST(NvrtcAndNvJitLink, TwoMinors_LtoIrFlowsOnlyToTheNewer) {
  NEEDS_ARTIFACTS("nvrtc-12.4", "nvjitlink-12.9", "nvrtc-12.9", "nvjitlink-12.4");
  for (const auto& [compiler, linker, expected] :
       {std::tuple{"12.4", "12.9", "declared"}, {"12.9", "12.4", "ToolkitMismatchError: "}}) {
    RailsComputer computer;
    computer.wheel(nvrtc, compiler).wheel(nvjitlink, linker);
    const Steps steps = computer.rails(
        {"driver=12.9/575", "load:nvrtc", "load:nvJitLink", "pipeline:nvrtc,nvJitLink,LTO-IR"});
    EXPECT_THAT(steps["load:nvJitLink"], StartsWith("/"));
    EXPECT_THAT(steps["pipeline:nvrtc,nvJitLink,LTO-IR"], StartsWith(expected));
  }
}

// Wheels of two majors in two site-packages, a toolkit of a third release.
TEST(Candidates, AllTiersAreSearchedForTheFirstFit) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvrtc-13.5", "nvcc-12.4", "cudart-12.9");
  RailsComputer computer;
  computer.wheel(nvrtc, "13.5");
  computer.env("PYTHONPATH", computer.extra_wheel(nvrtc, "12.9", "others"));
  const auto loads = [&](const std::string& constraint) {
    return computer.rails(
        {"driver=13.5/600", "constraint=" + constraint, "load:nvrtc"})["load:nvrtc"];
  };
  EXPECT_THAT(loads("==12.*"),
              EndsWith("/others/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/"
                       "libnvrtc.so.12"));
  EXPECT_THAT(loads("==13.*"), EndsWith("/nvidia/cu13/lib/libnvrtc.so.13"));
  EXPECT_THAT(loads("==11.*"),
              AllOf(StartsWith("ToolkitMismatchError: "), HasSubstr("also refused: "),
                    HasSubstr("(wheel nvidia-cuda-nvrtc-cu12 12.9.86)"),
                    HasSubstr("(wheel nvidia-cuda-nvrtc 13.5.37)")));
}

TEST(ARuntime, LoadedByOtherCode_ComesBeforeANewerInstalledOne) {
  NEEDS_ARTIFACTS("cudart-12.9", "cudart-13.5");
  RailsComputer computer;
  computer.wheel(cudart, "13.5");
  const std::string theirs = computer.extra_wheel(cudart, "12.9", "theirs");
  const std::string file = theirs + "/nvidia/cuda_runtime/lib/libcudart.so.12";
  const Steps steps = computer.rails(
      {"driver=13.5/600", "dlopen:" + file, "load:cudart", "mapped:libcudart.so.13"});
  EXPECT_EQ(steps["load:cudart"], file + " (was loaded)");
  EXPECT_EQ(steps["mapped:libcudart.so.13"], "no");
}

TEST(ARuntime, BesideOneOfAnotherMajorIsRefusedAndBothStay) {
  NEEDS_ARTIFACTS("cudart-12.9", "cudart-13.5");
  for (const char* mode : {"mode=strict", "mode=best_effort"}) {
    RailsComputer computer;
    const std::string old =
        computer.extra_wheel(cudart, "12.9", "theirs") + "/nvidia/cuda_runtime/lib/libcudart.so.12";
    const std::string newer =
        computer.extra_wheel(cudart, "13.5", "others") + "/nvidia/cu13/lib/libcudart.so.13";
    const Steps steps = computer.rails({mode, "driver=13.5/600", "allow=cudart,cudart",
                                        "dlopen:" + old, "dlopen:" + newer, "load:cudart"});
    EXPECT_THAT(steps["load:cudart"],
                AllOf(StartsWith("ToolkitMismatchError: only one major of the CUDA runtime"),
                      HasSubstr(old), HasSubstr(newer), HasSubstr("stays loaded")));
  }
}

// As auditwheel names the libraries that it puts into a wheel: it changes file name and SONAME, not
// the version definition.
TEST(ARuntime, ThatAWheelHasRenamedIsRecognised) {
  NEEDS_ARTIFACTS("cudart-13.5");
  RailsComputer computer;
  computer.wheel(cudart, "13.5");
  const std::string file = fake_library("renamed");
  const Steps steps =
      computer.rails({"mode=best_effort", "driver=13.5/600", "dlopen:" + file, "load:cudart"});
  EXPECT_EQ(steps["load:cudart"], file + " (was loaded)");
}

TEST(ARuntime, UnknownMajor_CountsAsLoaded) {
  NEEDS_ARTIFACTS("cudart-13.5");
  RailsComputer computer;
  const std::string old =
      computer.extra_wheel(cudart, "13.5", "theirs") + "/nvidia/cu13/lib/libcudart.so.13";
  const Steps steps = computer.rails({"mode=best_effort", "driver=13.5/600", "dlopen:" + old,
                                      "dlopen:" + fake_library("newer"), "load:cudart"});
  EXPECT_THAT(steps["load:cudart"], AllOf(StartsWith("ToolkitMismatchError: "), HasSubstr(old),
                                          HasSubstr(fake_library("newer"))));
}

TEST(AnycudaStub, ThatCallsItselfTheRuntimeIsNotTakenForOne) {
  NEEDS_ARTIFACTS("cudart-12.9");
  RailsComputer computer;
  computer.wheel(cudart, "12.9");
  const std::string stub = fake_library("stub");
  const Steps steps = computer.rails({"driver=12.9/575", "dlopen:" + stub, "load:cudart"});
  EXPECT_EQ(steps["dlopen:" + stub], "open");
  EXPECT_THAT(steps["load:cudart"], EndsWith("/nvidia/cuda_runtime/lib/libcudart.so.12"));
}

TEST(TheToolchain, OfAToolkitIsOfOneRelease) {
  NEEDS_ARTIFACTS("nvcc-12.4");
  RailsComputer computer;
  computer.env("CUDA_HOME", Artifacts::of_this_build().folder("nvcc-12.4"));
  const Steps steps =
      computer.rails({"driver=12.4/550", "constraint===12.4.*", "program:nvcc", "program:nvlink",
                      "static:cudadevrt", "bitcode:libdevice", "headers:cudart", "headers:nvcc"});
  for (const char* step : {"program:nvcc", "program:nvlink", "static:cudadevrt",
                           "bitcode:libdevice", "headers:cudart", "headers:nvcc"}) {
    EXPECT_THAT(steps[step], StartsWith("/")) << step;
  }
}

TEST(TheToolchain, WithoutARunBitIsPassedOver) {
  NEEDS_ARTIFACTS("nvcc-12.4");
  RailsComputer computer;
  computer.put_file("silent/bin/nvcc", "#!/bin/sh").chmod("silent/bin/nvcc", 0644);
  computer.env("CUDA_PATH", (computer.root() / "silent").string());
  EXPECT_THAT(
      computer.rails({"mode=off", "program:nvcc"})["program:nvcc"],
      AllOf(StartsWith("NotFoundError: "), HasSubstr("/silent/bin/nvcc is not executable")));
  const std::string toolkit = Artifacts::of_this_build().folder("nvcc-12.4");
  computer.env("CUDA_HOME", toolkit);
  EXPECT_EQ(computer.rails({"driver=12.9/575", "program:nvcc"})["program:nvcc"],
            toolkit + "/bin/nvcc");
  // Where a rule refuses that one, the error has the other too.
  EXPECT_THAT(
      computer.rails({"driver=12.9/575", "constraint=>=12.9", "program:nvcc"})["program:nvcc"],
      AllOf(StartsWith("ToolkitMismatchError: nvcc of CUDA 12.4 does not satisfy"),
            HasSubstr("\n  passed over: "),
            HasSubstr("/silent/bin/nvcc is not executable for this user")));
}

TEST(TheToolchain, DoesNotTakeHeadersOfAnotherMinor) {
  NEEDS_ARTIFACTS("nvcc-12.4", "crt-12.9");
  RailsComputer computer;
  const std::string toolkit = Artifacts::of_this_build().folder("nvcc-12.4");
  computer.env("CUDA_HOME", toolkit);
  computer.wheel_of_headers("crt-12.9", "nvidia-cuda-nvcc-cu12", "12.9.86");
  const Steps steps = computer.rails({"driver=12.9/575", "program:nvcc", "headers:nvcc"});
  EXPECT_THAT(steps["program:nvcc"], StartsWith(toolkit));
  EXPECT_EQ(steps["headers:nvcc"], toolkit + "/include") << "the wheel's come first and do not fit";
  // The headers first: then no compiler fits them.
  const Steps turned = computer.rails({"driver=12.9/575", "headers:nvcc", "program:nvcc"});
  EXPECT_THAT(turned["headers:nvcc"], HasSubstr("/site-packages/nvidia/cuda_nvcc/include"));
  EXPECT_THAT(turned["program:nvcc"],
              AllOf(StartsWith("ToolkitMismatchError: nvcc (program) and nvcc (headers) must be of "
                               "exactly the same"),
                    HasSubstr("nvcc (headers) of CUDA 12.9"),
                    HasSubstr("(wheel nvidia-cuda-nvcc-cu12 12.9.86)"),
                    HasSubstr("nvcc (program) of CUDA 12.4"), HasSubstr("CUDA_VERSION in ")));
}

TEST(TheHeadersOfALibrary, AreOfItsToolkitExactly) {
  NEEDS_ARTIFACTS("cudart-12.9", "nvcc-12.4");
  RailsComputer computer;
  computer.env("CUDA_HOME", Artifacts::of_this_build().folder("nvcc-12.4")).wheel(cudart, "12.9");
  const Steps steps = computer.rails({"driver=12.9/575", "load:cudart", "headers:cudart"});
  EXPECT_THAT(steps["load:cudart"], StartsWith("/"));
  EXPECT_THAT(
      steps["headers:cudart"],
      StartsWith("ToolkitMismatchError: cudart (headers) and cudart (dynamic library) must be"));
}

TEST(ARuntime, LoadedByOtherCode_LeadsToItsToolkitsHeaders) {
  NEEDS_ARTIFACTS("nvcc-12.4");
  RailsComputer computer;
  const std::string toolkit = Artifacts::of_this_build().folder("nvcc-12.4");
  const Steps steps =
      computer.rails({"driver=12.9/575", "dlopen:" + toolkit + "/lib64/libcudart.so.12",
                      "load:cudart", "headers:cudart", "program:nvcc"});
  EXPECT_EQ(steps["headers:cudart"], toolkit + "/include");
  EXPECT_EQ(steps["program:nvcc"], toolkit + "/bin/nvcc");
  EXPECT_THAT(computer.rails({"driver=12.9/575", "headers:cudart"})["headers:cudart"],
              StartsWith("NotFoundError: "));
}

TEST(Nvrtc, AndTheRuntimesHeadersAreOfOneToolkitExactly) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvrtc-12.4", "nvcc-12.4");
  for (const char* version : {"12.4", "12.9"}) {
    RailsComputer computer;
    computer.env("CUDA_HOME", Artifacts::of_this_build().folder("nvcc-12.4"));
    computer.wheel(nvrtc, version);
    const Steps steps = computer.rails({"driver=12.9/575", "library:nvrtc", "headers:cudart"});
    EXPECT_THAT(steps["library:nvrtc"], EndsWith("libnvrtc.so.12"));
    EXPECT_THAT(
        steps["headers:cudart"],
        StartsWith(version == std::string("12.4") ? "/"
                                                  : "ToolkitMismatchError: cudart and nvrtc must "
                                                    "be of exactly the same CUDA Toolkit"));
  }
}

TEST(TheToolchain, BitcodeLibraryIsFoundByFileName) {
  NEEDS_ARTIFACTS("nvcc-12.4");
  RailsComputer computer;
  computer.env("CUDA_HOME", Artifacts::of_this_build().folder("nvcc-12.4"));
  EXPECT_THAT(
      computer.rails({"driver=12.9/575", "bitcode:libdevice.10.bc"})["bitcode:libdevice.10.bc"],
      EndsWith("/nvvm/libdevice/libdevice.10.bc"));
}

TEST(TheRealDriver535, ServesOnlyItsMajor) {
  NEEDS_ARTIFACTS("driver-535", "cudart-12.2", "nvrtc-13.5");
  RailsComputer computer;
  computer.wheel(cudart, "12.2").wheel(nvrtc, "13.5").driver(535);
  const Steps steps = computer.rails({"allow=cudart,nvrtc", "load:cudart", "load:nvrtc"});
  EXPECT_THAT(steps["load:cudart"], EndsWith("libcudart.so.12"));
  EXPECT_THAT(
      steps["load:nvrtc"],
      AllOf(StartsWith("DriverToolkitError: the driver is too old for nvrtc: CUDA 13.5 is of "
                       "a newer major than the driver's CUDA 12.2"),
            HasSubstr("assume_forward_compat")));
}

TEST(TheRealDriver535, ServesANewerMajorWhereForwardCompatibilityIsDeclared) {
  NEEDS_ARTIFACTS("driver-535", "cudart-13.5");
  RailsComputer computer;
  computer.wheel(cudart, "13.5").driver(535).env("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat");
  EXPECT_THAT(computer.rails({"load:cudart"})["load:cudart"], EndsWith("libcudart.so.13"));
}

// No kernel module runs, so NVML cannot say which branch this is.
TEST(TheRealDriver535, UnknownBranch_ServesANewerMinorOnlyByBestEffort) {
  NEEDS_ARTIFACTS("driver-535", "cudart-12.9");
  if (!running_driver().empty()) GTEST_SKIP() << "this computer's own driver answers NVML";
  RailsComputer computer;
  computer.wheel(cudart, "12.9").driver(535);
  EXPECT_THAT(computer.rails({"load:cudart"})["load:cudart"],
              AllOf(StartsWith("InsufficientMetadataError: CUDA 12.9 is newer than the driver's "
                               "CUDA 12.2"),
                    HasSubstr("driver branch: unknown: ")));
  computer.env("ANYCUDA_COMPAT", "best_effort");
  EXPECT_THAT(computer.rails({"load:cudart"})["load:cudart"], EndsWith("libcudart.so.12"));
}

TEST(AMachineWithoutADriver, IsADriverErrorUnlessOffOrDeclared) {
  NEEDS_ARTIFACTS("nvrtc-12.9");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9");
  const std::string loaded = "libnvrtc.so.12";
  EXPECT_THAT(computer.rails({"load:nvrtc"})["load:nvrtc"], StartsWith("DriverQueryError: "));
  EXPECT_THAT(computer.rails({"mode=best_effort", "load:nvrtc"})["load:nvrtc"],
              StartsWith("DriverQueryError: "));
  EXPECT_THAT(computer.rails({"mode=off", "load:nvrtc"})["load:nvrtc"], EndsWith(loaded));
  EXPECT_THAT(computer.rails({"nodriver", "load:nvrtc"})["load:nvrtc"], EndsWith(loaded));
}

TEST(ALibraryWithoutMetadata, IsRefusedInStrictAndLoadedByBestEffort) {
  NEEDS_ARTIFACTS("nvrtc-12.9");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9");
  computer.remove_metadata();
  const Steps steps = computer.rails({"driver=12.9/575", "load:nvrtc", "mapped:libnvrtc.so"});
  EXPECT_THAT(steps["load:nvrtc"], StartsWith("InsufficientMetadataError: "));
  EXPECT_EQ(steps["mapped:libnvrtc.so"], "no");
  computer.env("ANYCUDA_COMPAT", "best_effort");
  EXPECT_THAT(computer.rails({"load:nvrtc"})["load:nvrtc"], EndsWith("libnvrtc.so.12"));
}

TEST(ALibraryThatDoesNotOpen, IsALoadErrorWithTheLinkersText) {
  NEEDS_ARTIFACTS("nvrtc-12.9");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9");
  computer.need_what_is_not_there(computer.site_packages() /
                                  "nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  const Steps steps = computer.rails({"driver=12.9/575", "load:nvrtc"});
  EXPECT_THAT(steps["load:nvrtc"], AllOf(StartsWith("LoadError: the dynamic linker refused nvrtc"),
                                         HasSubstr("its message: libnothere.so.0: cannot")));
}

// A CUDA 12.9 runtime whose SONAME and symbol versions are edited to those of 13, and a toolkit
// behind it.
class ALibraryThatLies : public testing::Test {
 protected:
  void SetUp() override {
    NEEDS_ARTIFACTS("cudart-12.9", "cudart-13.5");
    std::ifstream file(file_of("cudart-12.9", "libcudart.so.12"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::string from = "libcudart.so.12";
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at)) {
      bytes.replace(at, from.size(), "libcudart.so.13");
    }
    computer.put_file("liar/lib64/libcudart.so.13", bytes);
    computer.env("CUDA_HOME", (computer.root() / "liar").string());
  }
  RailsComputer computer;
  const std::string kLie = "its SONAME says CUDA 13, but the library reports CUDA 12.9";
};

TEST_F(ALibraryThatLies, IsClosedAgainAndTheNextIsLoaded) {
  computer.toolkit(cudart, "13.5");
  for (const char* mode : {"mode=best_effort", "mode=off"}) {
    const Steps steps = computer.rails({mode, "driver=13.5/600", "load:cudart", "mapped:/liar/"});
    EXPECT_THAT(steps["load:cudart"], HasSubstr("/usr/local/cuda"));
    EXPECT_EQ(steps["mapped:/liar/"], "no");
  }
}

TEST_F(ALibraryThatLies, IsNamedInTheErrorWhereNoOtherIsThere) {
  EXPECT_THAT(computer.rails({"mode=best_effort", "driver=13.5/600", "load:cudart"})["load:cudart"],
              AllOf(StartsWith("LoadError: cudart is not the library that its file seems to be: "),
                    HasSubstr(kLie), HasSubstr("/liar/lib64/libcudart.so.13")));
}

TEST_F(ALibraryThatLies, AlreadyLoaded_IsRefusedAndNoOtherIsLoaded) {
  computer.toolkit(cudart, "13.5");
  const std::string liar = (computer.root() / "liar/lib64/libcudart.so.13").string();
  const Steps steps = computer.rails({"mode=best_effort", "driver=13.5/600", "dlopen:" + liar,
                                      "load:cudart", "mapped:/usr/local/cuda"});
  EXPECT_THAT(steps["load:cudart"],
              AllOf(StartsWith("LoadError: "), HasSubstr(kLie), HasSubstr("stays loaded")));
  EXPECT_EQ(steps["mapped:/usr/local/cuda"], "no");
}

// A file of 12.4 in the place of the 12.9 that the wheel's metadata name.
TEST(ALibrary, ReportedMinorCountsNotTheMetadatas) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvrtc-12.4");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9");
  const std::string file = "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
  computer.remove(computer.site_packages() / file);
  computer.put_copy(computer.site_packages() / file, file_of("nvrtc-12.4", "libnvrtc.so.12"));
  const auto loads = [&](const std::string& constraint) {
    return computer.rails({"driver=12.9/575", constraint, "load:nvrtc"})["load:nvrtc"];
  };
  EXPECT_THAT(loads("constraint=>=12"), EndsWith(file));
  EXPECT_THAT(loads("constraint=>=12.9"),
              AllOf(StartsWith("ToolkitMismatchError: nvrtc of CUDA 12.4 does not satisfy"),
                    HasSubstr("(version by its own version function)")));
}

// cuSPARSE needs nvJitLink, which is in another wheel of its environment, and has no run path.
class ANeededLibrary : public testing::Test {
 protected:
  void SetUp() override {
    computer.put_copy(computer.site_packages() / "nvidia/cusparse/lib/libcusparse.so.12",
                      fake_library("cusparse"));
    computer.put_copy(computer.site_packages() / kNvJitLink, fake_library("nvjitlink"));
    computer.put_file("venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.0\n");
    computer.env("VIRTUAL_ENV", (computer.root() / "venv").string());
  }
  // `mapped:` with the file that the process must have, and with the other.
  void expect(const std::string& file, const std::string& other) {
    const Steps steps = computer.rails(
        {"mode=best_effort", "nodriver", "load:cusparse", "mapped:" + file, "mapped:" + other});
    EXPECT_THAT(steps["load:cusparse"], EndsWith("/nvidia/cusparse/lib/libcusparse.so.12"));
    EXPECT_EQ(steps["mapped:" + file], "yes");
    EXPECT_EQ(steps["mapped:" + other], "no");
  }
  RailsComputer computer;
  const std::string kNvJitLink = "nvidia/nvjitlink/lib/libnvJitLink.so.12";
};

TEST_F(ANeededLibrary, InItsEnvironmentIsOpenedFirst) { expect(kNvJitLink, "/nothing/"); }

TEST_F(ANeededLibrary, InLibraryPath_IsNotTakenBeforeItsEnvironments) {
  computer.put_copy("old/libnvJitLink.so.12", fake_library("nvjitlink"));
  computer.env("LD_LIBRARY_PATH", (computer.root() / "old").string());
  expect(kNvJitLink, "/old/libnvJitLink.so.12");
}

TEST_F(ANeededLibrary, Missing_IsALoadErrorWithItsName) {
  computer.remove(computer.site_packages() / kNvJitLink);
  EXPECT_THAT(computer.rails({"mode=best_effort", "nodriver", "load:cusparse"})["load:cusparse"],
              AllOf(StartsWith("LoadError: the dynamic linker refused cusparse"),
                    HasSubstr("libnvJitLink.so.12: cannot open shared object file")));
}

TEST(CuFile, IsOpenedBehindLibrtWhichItMayNotName) {
  RailsComputer computer;
  computer.put_copy("cuda/lib64/libcufile.so.0", fake_library("cufile"));
  computer.env("CUDA_HOME", (computer.root() / "cuda").string());
  const Steps steps =
      computer.rails({"mode=off", "mapped:librt.so.1", "load:cufile", "mapped:librt.so"});
  EXPECT_EQ(steps["mapped:librt.so.1"], "no");
  EXPECT_THAT(steps["load:cufile"], EndsWith("/cuda/lib64/libcufile.so.0"));
  EXPECT_EQ(steps["mapped:librt.so"], "yes");
}

TEST(TheProcesssInstance, TriesAgainAfterAWrongSetting) {
  RailsComputer computer;
  computer.env("ANYCUDA_COMPAT", "lenient");
  const Steps steps = computer.rails({"process", "mode:", "load:nvrtc"});
  const char* const wrong = "SettingError: invalid ANYCUDA_COMPAT=\"lenient\": expected ";
  EXPECT_THAT(steps["mode:"], StartsWith(wrong));
  EXPECT_THAT(steps["load:nvrtc"], StartsWith(wrong));
}

TEST(TheProcesssInstance, DefaultIsStrict) {
  RailsComputer computer;
  EXPECT_EQ(computer.rails({"process", "mode:"})["mode:"], "strict");
  computer.env("ANYCUDA_COMPAT", "best_effort");
  EXPECT_EQ(computer.rails({"process", "mode:"})["mode:"], "best_effort");
  computer.env("ANYCUDA_API_COMPAT", "off");
  EXPECT_EQ(computer.rails({"process", "mode:"})["mode:"], "off");
  computer.env("ANYCUDA_COMPAT", "").env("ANYCUDA_API_COMPAT", "");
  computer.env("ANYCUDA_STUB_COMPAT", "off");
  EXPECT_EQ(computer.rails({"process", "mode:"})["mode:"], "strict");
}

TEST(TheProcesssInstance, Reset_ReadsTheVariablesAgain) {
  RailsComputer computer;
  const Steps steps =
      computer.rails({"process", "mode:", "setenv:ANYCUDA_COMPAT=off", "reset:", "mode:"});
  EXPECT_EQ(steps["mode:"], "off");
  const Steps unchanged =
      computer.rails({"process", "mode:", "setenv:ANYCUDA_COMPAT=off", "mode:"});
  EXPECT_EQ(unchanged["mode:"], "strict");
}

TEST(TheProcesssInstance, Reset_ForgetsComponentsAndKeepsLibrariesLoaded) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvjitlink-13.5", "driver-535");
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9").wheel(nvjitlink, "13.5").driver(535);
  computer.env("ANYCUDA_COMPAT", "best_effort");
  computer.env("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat");
  const Steps before = computer.rails({"process", "load:nvrtc", "load:nvJitLink"});
  EXPECT_THAT(before["load:nvJitLink"], StartsWith("ToolkitMismatchError: "));
  const Steps after = computer.rails(
      {"process", "load:nvrtc", "reset:", "load:nvJitLink", "mapped:libnvrtc.so.12", "load:nvrtc"});
  EXPECT_THAT(after["load:nvJitLink"], EndsWith("libnvJitLink.so.13"));
  EXPECT_EQ(after["mapped:libnvrtc.so.12"], "yes");
  EXPECT_THAT(after["load:nvrtc"], StartsWith("ToolkitMismatchError: "));
  EXPECT_THAT(after["load:nvrtc"], HasSubstr("the library is already loaded, and stays loaded"));
}

}  // namespace
}  // namespace anycuda::test
