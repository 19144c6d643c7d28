// SPDX-License-Identifier: Apache-2.0

// A successful link contains all its inputs; an input that a linker would leave out is refused, by
// name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "computer.h"
#include "tests/support/case_names.h"

using namespace anycuda::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

struct Release {
  const char* nvjitlink;
  const char* nvrtc;
  const char* nvcc;
  int links;  // that succeed at least
};

void PrintTo(const Release& release, std::ostream* out) { *out << release.nvjitlink; }

// 12.3 takes nothing of nvcc 12.4; LTO-IR of NVRTC 12.9 is not for 13.0.
const Release kReleases[] = {{"12.3", "12.3", "12.4", 10},
                             {"12.9", "12.9", "12.4", 80},
                             {"13.0", "12.9", "13.0", 50},
                             {"13.5", "13.5", "13.0", 120}};

#define NEEDS_RELEASE(release)                                     \
  NEEDS_ARTIFACTS(std::string("nvjitlink-") + (release).nvjitlink, \
                  std::string("nvrtc-") + (release).nvrtc, std::string("nvcc-") + (release).nvcc)

class Lost : public testing::TestWithParam<Release> {};

TEST_P(Lost, ASuccessHasEveryKernel) {
  const Release& release = GetParam();
  NEEDS_RELEASE(release);
  Computer computer;
  computer.with_nvjitlink(release.nvjitlink);
  const std::string out =
      computer.walk({"product", modules_of(release.nvrtc), forms_of(release.nvcc)});
  EXPECT_EQ(after(out, "lost: "), "0") << out;
  int good = 0;
  for (const char* mode : {"CUBIN: ", "CUBIN by lto: ", "PTX: ", "LTO-IR: ", "partial CUBIN: ",
                           "partial CUBIN by lto: ", "partial LTO-IR: "}) {
    good += std::atoi(after(out, mode).c_str());
  }
  EXPECT_GE(good, release.links) << out;
}

// nvJitLink 12.3 and 12.9 call exit() on such a pair.
TEST_P(Lost, ASecondModuleOfLtoIrIsRefused) {
  const Release& release = GetParam();
  NEEDS_RELEASE(release);
  Computer computer;
  computer.with_nvjitlink(release.nvjitlink);
  const std::string two = computer.resolve("two.ltoir");
  std::ofstream file(two, std::ios::binary);
  for (const char* one : {"/first.ltoir", "/second.ltoir"}) {
    file << std::ifstream(modules_of(release.nvrtc) + one, std::ios::binary).rdbuf();
  }
  file.close();
  EXPECT_THAT(
      computer.walk({"link", "lto", two}),
      AllOf(StartsWith("InputError: "), HasSubstr("has a second LTO-IR module, from byte ")));
}

INSTANTIATE_TEST_SUITE_P(Releases, Lost, testing::ValuesIn(kReleases), kPrintedName);

class Walk : public testing::TestWithParam<Release> {};

// ANYCUDA_STRESS=hours: an hour for all releases together, with a random seed.
TEST_P(Walk, LosesNothing) {
  const Release& release = GetParam();
  NEEDS_RELEASE(release);
  Computer computer;
  computer.with_nvjitlink(release.nvjitlink).with_fake_driver("", "13050");
  computer.env("FAKE_DRIVER_QUIET", "1");
  const char* stress = std::getenv("ANYCUDA_STRESS");
  const bool hours = stress != nullptr && std::string(stress) == "hours";
  const std::string seed = hours ? std::to_string(std::random_device()()) : "1";
  const std::string out = computer.walk(
      {"walk", hours ? "--seconds" : "--steps", hours ? "900" : "60", "--seed", seed, "--story",
       computer.resolve("story"), modules_of(release.nvrtc), forms_of(release.nvcc)},
      std::chrono::seconds(hours ? 1200 : 120));
  if (hours) std::printf("nvJitLink %s: %s\n", release.nvjitlink, out.c_str());
  EXPECT_THAT(out, HasSubstr("seed " + seed + ": "));
  EXPECT_GT(std::atoi(after(out, "seed " + seed + ": ").c_str()), 50) << out;
}

INSTANTIATE_TEST_SUITE_P(Releases, Walk, testing::ValuesIn(kReleases), kPrintedName);

// The output of one link of these files by nvJitLink 13.5, or by another release.
std::string link(std::vector<std::string> arguments, const std::string& release = "13.5") {
  Computer computer;
  computer.with_nvjitlink(release);
  arguments.insert(arguments.begin(), "link");
  return computer.walk(std::move(arguments));
}

std::string made(const std::string& file) { return modules_of("13.5") + "/" + file; }
std::string form(const std::string& file) { return forms_of("13.0") + "/" + file; }

TEST(Lost, LtoIrOutputTakesLtoIrOnly) {
  NEEDS_RELEASE(kReleases[3]);
  for (const char* output : {"lto_ir", "ptx"}) {
    for (const std::string& other :
         {made("second.ptx"), made("second.cubin"), form("second.o"), form("second.fatbin"),
          form("second.a"), form("first+second.lto.a")}) {
      std::vector<std::string> arguments = {"lto", output, made("first.ltoir"), other};
      EXPECT_THAT(link(arguments), AllOf(StartsWith("InputError: the file '" + other + "'"),
                                         HasSubstr("would be left out: compile it to LTO-IR")));
    }
    for (const std::string& other : {made("second.ltoir"), form("second.lto.o"),
                                     form("second.lto.fatbin"), form("second.both.a")}) {
      EXPECT_EQ(link({"lto", output, made("first.ltoir"), other}), "good: first second\n");
    }
  }
}

TEST(Lost, LtoIrInAContainerNeedsLto) {
  NEEDS_RELEASE(kReleases[3]);
  for (const char* file : {"second.lto.o", "second.lto.fatbin", "second.lto.a"}) {
    EXPECT_THAT(link({form(file)}),
                AllOf(StartsWith("InputError: "), HasSubstr(file), HasSubstr("set Options::lto")));
    EXPECT_THAT(link({"driver", "lto", form(file)}),
                AllOf(StartsWith("InputError: "), HasSubstr("driver's linker does not accept")));
  }
  EXPECT_THAT(link({"lto", made("second.ptx"), form("first.o")}),
              AllOf(StartsWith("OptionError: the option lto"), HasSubstr("no input holds LTO-IR")));
  // Code for the older architecture is there in both forms, for the newer one in LTO-IR only.
  EXPECT_EQ(link({form("second.both.o")}), "good: second\n");
  EXPECT_THAT(link({"sm_90", form("second.both.o")}), HasSubstr("set Options::lto"));
}

TEST(Lost, CodeOfAWholeProgramIsRefused) {
  NEEDS_RELEASE(kReleases[3]);
  for (const std::string& file : {made("second.whole.cubin"), form("second.whole.o"),
                                  form("second.whole.fatbin"), form("second.whole.a")}) {
    EXPECT_THAT(link({made("first.ptx"), file}),
                AllOf(StartsWith("InputError: the file '" + file + "'"), HasSubstr("-rdc=true")));
  }
  EXPECT_THAT(link({form("first+second.o")}), HasSubstr("holds 2 fatbins"));
  EXPECT_THAT(link({form("second.fatbin.a")}),
              HasSubstr("its member 'second.fatbin' is of type fatbin"));
}

TEST(Lost, ANameThatIsDefinedTwice) {
  NEEDS_RELEASE(kReleases[3]);
  EXPECT_THAT(link({made("second.ptx"), made("second.cubin")}),
              AllOf(StartsWith("InputError: "), HasSubstr("defines 'second', as does '")));
  for (const std::string& other : {form("second.o"), made("second.ltoir")}) {
    EXPECT_THAT(link({other == form("second.o") ? "sm_90" : "lto", made("second.ptx"), other}),
                AllOf(StartsWith("LinkError: "), HasSubstr("but two inputs define ")));
  }
}

TEST(Lost, InputOfANewerCudaIsNamed) {
  NEEDS_RELEASE(kReleases[1]);
  NEEDS_RELEASE(kReleases[3]);
  const std::string newer = "it has PTX 9.5, of CUDA 13.5, and nvJitLink is of CUDA 12.9";
  EXPECT_THAT(link({made("second.ptx")}, "12.9"),
              AllOf(StartsWith("LinkError: "),
                    AllOf(HasSubstr("second.ptx' with CUDA 12.9 or older: " + newer))));
  EXPECT_THAT(link({"lto", made("second.ltoir")}, "12.9"),
              HasSubstr("it has LTO-IR, of CUDA 13.3, and nvJitLink is of CUDA 12.9"));
  EXPECT_THAT(link({"lto", form("second.lto.o")}, "12.9"), HasSubstr("has LTO-IR, of CUDA 13.0"));
  EXPECT_THAT(link({modules_of("12.9") + "/second.cubin"}, "12.3"),
              HasSubstr("has a CUBIN, of CUDA 12.9, and nvJitLink is of CUDA 12.3"));
}

TEST(Lost, InputNewerThanTheDriverIsNamed) {
  NEEDS_RELEASE(kReleases[3]);
  Computer computer;
  computer.with_fake_driver("complete", "12040").env("FAKE_DRIVER_QUIET", "1");
  EXPECT_THAT(computer.walk({"link", "driver", made("second.ptx")}),
              HasSubstr("it has PTX 9.5, of CUDA 13.5, and the driver is of CUDA 12.4"));
}

TEST(Links, AreForTheDeviceOfTheContext) {
  NEEDS_RELEASE(kReleases[3]);
  for (const Release& release : {kReleases[1], kReleases[3]}) {
    NEEDS_RELEASE(release);
    Computer computer;
    computer.with_nvjitlink(release.nvjitlink).with_fake_driver("", "13050");
    EXPECT_EQ(computer.walk({"devices", modules_of(release.nvrtc), forms_of(release.nvcc)}),
              "device 0: sm_90\ndevice 1: sm_80\ndevice 0: sm_90\nthreads: sm_90 and sm_80\n");
  }
}

}  // namespace
