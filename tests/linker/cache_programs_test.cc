// SPDX-License-Identifier: Apache-2.0

// Program and Linker with a cache, on real NVRTCs, real nvJitLinks and the fake driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "computer.h"
#include "tests/support/case_names.h"

using namespace anycuda::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class CachePrograms : public testing::TestWithParam<const char*> {};

TEST_P(CachePrograms, EverythingThatDecidesTheResultIsInTheKey) {
  const std::string version = GetParam();
  NEEDS_ARTIFACTS("nvrtc-" + version);
  Computer computer;
  computer.with_nvrtc(version).put_folder("work");
  const std::vector<std::string> job = {"cache", "compile", computer.resolve("cache")};
  const std::string first = computer.child(job);
  const std::string second = computer.child(job);
  const std::string same = ", same 1, log 1, _Z5scaleIfEvPT_, NVRTC " + version.substr(0, 2);
  for (const char* output : {"PTX: ", "CUBIN: ", "LTO-IR: "}) {
    EXPECT_EQ(after(first, output), "stored" + same);
    EXPECT_EQ(after(second, output), "hit" + same);
  }
  for (const char* change : {"defines", "another order", "arch", "text", "header", "name",
                             "name expression", "line info", "line info in another folder"}) {
    EXPECT_EQ(after(first, change + std::string(": ")), "stored") << change;
    EXPECT_EQ(after(second, change + std::string(": ")), "hit") << change;
  }
  EXPECT_EQ(after(first, "code in another folder: "), "hit");
  EXPECT_THAT(after(first, "file: "), StartsWith("CompileError"));
  // NVRTC 12 does not have the option for this output.
  EXPECT_THAT(after(second, "trace: "), version[1] == '2' ? HasSubstr("CompileError")
                                                          : HasSubstr("not cached: an option of"));
  for (const std::string& out : {first, second}) {
    EXPECT_EQ(after(out, "wrong: "), "CompileError");
    EXPECT_EQ(after(out, "wrong again: "), "CompileError");
    EXPECT_EQ(after(out, "empty: "), "NoInputError");
  }
}

// The bare name of a source stands for the working folder.
TEST_P(CachePrograms, FilesAreKnownOnlyToTheCaller) {
  const std::string version = GetParam();
  NEEDS_ARTIFACTS("nvrtc-" + version);
  Computer computer;
  computer.with_nvrtc(version);
  // The working folder of the program.
  const std::string home = computer.environment().at("HOME");
  computer.put_file(home + "/file.h", "__device__ int of_the_file;\n");
  const std::string out = computer.child({"cache", "compile", computer.resolve("cache")});
  EXPECT_THAT(after(out, "file: "), HasSubstr("not cached: the source may include files"));
  EXPECT_EQ(after(out, "known file: "), "stored");
  EXPECT_EQ(after(out, "known file again: "), "hit");
  EXPECT_EQ(after(out, "changed file: "), "stored");
}

TEST_P(CachePrograms, AnotherVersionIsAMiss) {
  const std::string version = GetParam();
  NEEDS_ARTIFACTS("nvrtc-" + version, "nvrtc-12.4");
  Computer computer;
  computer.with_nvrtc("12.4");
  const std::vector<std::string> job = {"cache", "compile", computer.resolve("cache")};
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("stored"));
  Computer other;
  other.with_nvrtc(version);
  EXPECT_THAT(after(other.child(job), "PTX: "), StartsWith("stored"));
  EXPECT_THAT(after(other.child(job), "PTX: "), StartsWith("hit"));
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("hit"));
}

INSTANTIATE_TEST_SUITE_P(Releases, CachePrograms, testing::Values("12.3", "12.9", "13.5"),
                         kPrintedName);

// Two machines share a folder; the libraries lie at other paths.
TEST(CacheLinks, AnotherPathOfTheLibraryIsAHit) {
  NEEDS_ARTIFACTS("nvrtc-12.9");
  Computer first;
  first.with_nvrtc("12.9");
  Computer second;
  second.toolkit(nvrtc, "12.9");
  const std::vector<std::string> job = {"cache", "compile", first.resolve("cache")};
  EXPECT_THAT(after(first.child(job), "PTX: "), StartsWith("stored"));
  EXPECT_THAT(after(second.child(job), "PTX: "), StartsWith("hit"));
}

TEST(CacheLinks, InputsAreFoundByTheirContent) {
  NEEDS_ARTIFACTS("nvjitlink-12.9", "nvrtc-12.9", "nvjitlink-13.5");
  Computer computer;
  computer.with_nvjitlink("12.9");
  const std::vector<std::string> job = {"cache", "link", computer.resolve("cache"),
                                        modules_of("12.9")};
  const std::string out = computer.child(job);
  EXPECT_EQ(after(out, "bytes: "), "stored, same 1, logs 1") << out;
  EXPECT_EQ(after(out, "bytes again: "), "hit, same 1, logs 1");
  EXPECT_EQ(after(out, "file: "), "stored, same 1, logs 1");
  EXPECT_EQ(after(out, "file at another path: "), "hit, same 1, logs 1");
  EXPECT_EQ(after(out, "changed file: "), "stored, same 1, logs 1");
  EXPECT_EQ(after(out, "option: "), "stored, same 1, logs 1");
  EXPECT_THAT(after(out, "time: "), HasSubstr("not cached: the log has the times"));
  EXPECT_THAT(after(out, "options file: "), StartsWith("LinkError"));
  EXPECT_THAT(after(computer.child(job), "bytes: "), StartsWith("hit"));
  Computer newer;
  newer.with_nvjitlink("13.5");
  EXPECT_THAT(after(newer.child(job), "bytes: "), StartsWith("stored"));
  EXPECT_THAT(after(newer.child(job), "bytes: "), StartsWith("hit"));
}

TEST(CacheLinks, PtxIsFoundByTheBackend) {
  NEEDS_ARTIFACTS("nvjitlink-12.9");
  Computer computer;
  computer.with_nvjitlink("12.9");
  const std::vector<std::string> job = {"cache", "ptx", computer.resolve("cache"), "sm_80"};
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("stored"));
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("hit"));
  Computer other;
  other.with_fake_driver();
  EXPECT_THAT(after(other.child(job), "PTX: "), StartsWith("stored"));
}

TEST(CacheDriver, VersionAndDeviceAreInTheKey) {
  Computer computer;
  computer.with_fake_driver();
  std::vector<std::string> job = {"cache", "ptx", computer.resolve("cache"), "sm_80"};
  const std::string first = computer.child(job);
  EXPECT_EQ(after(first, "PTX: "), "stored, 64 bytes, log 1") << first;
  const std::string second = computer.child(job);
  EXPECT_EQ(after(second, "PTX: "), "hit, 64 bytes, log 1");
  EXPECT_THAT(second, testing::Not(HasSubstr("fake: complete")));
  job.back() = "sm_90";
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("stored"));
  job.back() = "";
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("stored"));
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("hit"));
  // Another device needs other code; the first one's is there.
  const std::string devices = computer.child({"cache", "devices", job[2]});
  EXPECT_EQ(after(devices, "counts: "), "1 hits, 1 misses, 1 stored, 0 failures") << devices;
  computer.with_fake_driver("", "13000");
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("stored"));
}

TEST(CacheDriver, FailedLinkIsNotStored) {
  Computer computer;
  computer.with_fake_driver("complete");
  const std::vector<std::string> job = {"cache", "ptx", computer.resolve("cache"), "sm_80"};
  EXPECT_THAT(after(computer.child(job), "PTX: "), StartsWith("CompileError, "));
  EXPECT_EQ(after(computer.child(job), "counts: "), "0 hits, 1 misses, 0 stored, 0 failures");
}

TEST(CacheDriver, UnusableFolderIsNoError) {
  Computer computer;
  computer.with_fake_driver().put_file("cache", "a file");
  const std::vector<std::string> job = {"cache", "ptx", computer.resolve("cache"), "sm_80"};
  const std::string out = computer.child(job);
  EXPECT_EQ(after(out, "PTX: "), "missed, 64 bytes, log 1");
  EXPECT_THAT(after(out, "problem: "), HasSubstr("cannot be opened or created: Not a directory"));
}

TEST(CacheDriver, VariableSwitchesItOff) {
  Computer computer;
  computer.with_fake_driver().env("ANYCUDA_CODE_CACHE", "off");
  const std::vector<std::string> job = {"cache", "ptx", computer.resolve("cache"), "sm_80"};
  for (int i = 0; i < 2; ++i) {
    const std::string out = computer.child(job);
    EXPECT_EQ(after(out, "PTX: "), "off, 64 bytes, log 1");
    EXPECT_THAT(out, HasSubstr("fake: complete"));
  }
  EXPECT_FALSE(std::filesystem::exists(computer.resolve("cache")));
}

TEST(CacheVariable, NamesTheFolder) {
  Computer computer;
  computer.env("HOME", "/home/me").env("XDG_CACHE_HOME", "/xdg");
  const auto folder = [&](const std::string& given = "") {
    return computer.child({"cache", "folder", given});
  };
  EXPECT_EQ(folder(),
            "enabled: 1\nfolder: /xdg/anycuda/code\nproblem: \nsmall: OptionError\n"
            "zero byte: OptionError\nmoved: 0, 1, 1\n");
  computer.env("ANYCUDA_CODE_CACHE", "/variable");
  EXPECT_EQ(after(folder(), "folder: "), "/variable");
  EXPECT_EQ(after(folder("/given"), "folder: "), "/given");
  EXPECT_THAT(after(folder("given"), "folder: "), testing::MatchesRegex("/.*/given"));
  computer.env("ANYCUDA_CODE_CACHE", "no");
  EXPECT_EQ(after(folder("/given"), "enabled: "), "0");
  EXPECT_THAT(after(folder(), "problem: "), HasSubstr("set it to off or to an absolute path"));
}

TEST(CacheVariable, PrivilegedProcessIgnoresIt) {
  Computer computer;
  computer.env("HOME", "/home/me").env("ANYCUDA_CODE_CACHE", "/variable");
  const ProcessResult result = computer.run_secure({LINKER_CHILD, "cache", "folder", ""});
  EXPECT_EQ(after(result.out, "enabled: "), "0") << result.describe();
}

}  // namespace
