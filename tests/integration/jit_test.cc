// SPDX-License-Identifier: Apache-2.0

// NVRTC and nvJitLink of other majors than the program's: their inputs and outputs, and that
// LTO-IR, which works only within a major, is never linked across majors. An NVRTC finds its
// builtins.
#include <functional>

#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Both libraries on one machine, as a file that one program writes and the other reads.
class Jit : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact :
         {"nvrtc-11.8", "nvrtc-12.9", "nvrtc-13.5", "nvjitlink-12.9", "nvjitlink-13.5"}) {
      REQUIRE_ARTIFACT(artifact);
    }
    for (const char* program :
         {"jit_nvrtc-11", "jit_nvrtc-12", "jit_nvrtc-13", "jit_nvjitlink-12", "jit_nvjitlink-13"}) {
      REQUIRE_PROGRAM(patched(program));
    }
  }
  std::string file() const { return machine_.root() / "part"; }
  std::vector<std::string> compile(const std::string& major, std::vector<std::string> steps) {
    steps.insert(steps.begin(), patched("jit_nvrtc-" + major));
    result_ = machine_.run(steps);
    return answers(result_);
  }
  std::vector<std::string> link(const std::string& major, std::vector<std::string> steps) {
    steps.insert(steps.begin(), patched("jit_nvjitlink-" + major));
    result_ = machine_.run(steps);
    return answers(result_);
  }
  Machine machine_;
  ProcessResult result_;
};

TEST_F(Jit, LtoIrOfANewerPairIsCompiledAndLinked) {
  machine_.wheel(nvrtc, "13.5").wheel(nvjitlink, "13.5");
  for (const char* name : {"ltoir", "nvvm"}) {
    EXPECT_THAT(compile("12", {"compile:-arch=sm_80 -dlto", name + (":" + file())}),
                ElementsAre("compile: 0", name + std::string(": 0 0")));
    EXPECT_THAT(
        link("12", {"options:-arch=sm_80 -lto", "link:ltoir=" + file(), "link-file:any=" + file()}),
        ElementsAre("options: done", "link: 0 0 0 0 cubin", "link-file: 0 0 0 0 cubin"));
  }
}

TEST_F(Jit, LtoIrOfAnOlderCompilerIsNotGiven) {
  machine_.wheel(nvrtc, "12.9");
  EXPECT_THAT(compile("13", {"compile:-arch=sm_80 -dlto", "ltoir:" + file()}),
              ElementsAre("compile: 0", "ltoir: 0 11"));
  EXPECT_THAT(result_.err, ContainsRegex("nvrtcGetLTOIR failed .*libnvrtc.so.12"));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Jit, LtoIrOfCuda11StaysThere) {
  machine_.wheel(nvrtc, "11.8");
  EXPECT_THAT(compile("11", {"compile:-arch=sm_80 -dlto", "nvvm:" + file()}),
              ElementsAre("compile: 0", "nvvm: 0 0"));
  EXPECT_THAT(compile("12", {"compile:-arch=sm_80 -dlto", "ltoir:" + file(), "nvvm:" + file()}),
              ElementsAre("compile: 0", "ltoir: 0 11", "nvvm: 0 11"));
  EXPECT_THAT(compile("13", {"compile:-arch=sm_80 -dlto", "ltoir:" + file()}),
              ElementsAre("compile: 0", "ltoir: 0 11"));
  for (const char* release : {"12.9", "13.5"}) {
    machine_.env("ANYCUDA_NVRTC", library_of(nvrtc, release));
    EXPECT_THAT(compile("11", {"compile:-arch=sm_80 -dlto", "nvvm:" + file()}),
                ElementsAre("compile: 0", "nvvm: 0 11"));
    EXPECT_THAT(result_.err, HasSubstr("LTO-IR of CUDA 11"));
  }
}

// Programs ask for the size to find out whether there is any.
TEST_F(Jit, LtoIrQueriesWorkEverywhere) {
  for (const std::string& release : kReleases) {
    machine_.env("ANYCUDA_NVRTC", library_of(nvrtc, release));
    EXPECT_THAT(compile("11", {"compile:-arch=sm_80", "nvvm:"}),
                ElementsAre("compile: 0", "nvvm: 0 none"));
    for (const char* major : {"12", "13"}) {
      EXPECT_THAT(compile(major, {"compile:-arch=sm_80", "ltoir:", "cubin:" + file()}),
                  ElementsAre("compile: 0", "ltoir: 0 none", "cubin: 0 0"));
      EXPECT_EQ(result_.err, "");
    }
  }
}

TEST_F(Jit, PtxIsLinkedByEveryLinkerForEveryProgram) {
  machine_.wheel(nvrtc, "12.9");
  ASSERT_THAT(compile("12", {"compile:-arch=compute_80 -rdc=true", "ptx:" + file()}),
              ElementsAre("compile: 0", "ptx: 0 0"));
  for (const char* release : {"12.9", "13.5"}) {
    machine_.env("ANYCUDA_NVJITLINK", library_of(nvjitlink, release));
    for (const char* major : {"12", "13"}) {
      EXPECT_THAT(link(major, {"link:ptx=" + file(), "link-file:ptx=" + file()}),
                  ElementsAre("link: 0 0 0 0 cubin", "link-file: 0 0 0 0 cubin"));
    }
  }
}

// A program is built for one minor, and its header has only that minor's names.
TEST_F(Jit, TheNamesOfAMinorAreFoundInEveryRelease) {
  machine_.wheel(nvrtc, "11.8");  // its PTX is old enough for all
  ASSERT_THAT(compile("12", {"compile:-arch=compute_80 -rdc=true", "ptx:" + file()}),
              ElementsAre("compile: 0", "ptx: 0 0"));
  const std::vector<std::string> artifacts = Artifacts::of_this_build().names("nvjitlink-");
  ASSERT_GE(artifacts.size(), 2u);
  for (const std::string& artifact : artifacts) {
    const std::string release = artifact.substr(artifact.find('-') + 1);
    machine_.env("ANYCUDA_NVJITLINK", library_of(nvjitlink, release));
    for (const char* major : {"12", "13"}) {
      EXPECT_THAT(link(major, {"link:ptx=" + file()}), ElementsAre("link: 0 0 0 0 cubin"))
          << major << " on " << release << ": " << result_.err;
    }
  }
}

TEST_F(Jit, AnOlderLinkerRefusesNewerLtoIrItself) {
  machine_.wheel(nvrtc, "13.5").wheel(nvjitlink, "12.9");
  ASSERT_THAT(compile("12", {"compile:-arch=sm_80 -dlto", "ltoir:" + file()}),
              ElementsAre("compile: 0", "ltoir: 0 0"));
  for (const char* major : {"12", "13"}) {
    EXPECT_THAT(
        link(major, {"options:-arch=sm_80 -lto", "link:ltoir=" + file(), "link:any=" + file()}),
        ElementsAre("options: done", "link: 0 6 0 nothing", "link: 0 6 0 nothing"));
    EXPECT_EQ(result_.err, "");
  }
}

TEST_F(Jit, LtoIrWithinAMajorIsNotOurMatter) {
  machine_.wheel(nvrtc, "12.9").wheel(nvjitlink, "12.9");
  ASSERT_THAT(compile("12", {"compile:-arch=sm_80 -dlto", "ltoir:" + file()}),
              ElementsAre("compile: 0", "ltoir: 0 0"));
  EXPECT_THAT(link("12", {"options:-arch=sm_80 -lto", "link:ltoir=" + file()}),
              ElementsAre("options: done", "link: 0 0 0 0 cubin"));
}

// NVRTC opens libnvrtc-builtins.so.13.0 by this name, and NVRTC 13.0 has no run path.
class Builtins : public Jit {
 protected:
  void SetUp() override {
    Jit::SetUp();
    REQUIRE_ARTIFACT("nvrtc-13.0");
    REQUIRE_PROGRAM(patched("call_nvrtc-13"));
  }
  static Path folder_of(const std::string& release) {
    return library_of(nvrtc, release).parent_path();
  }
  void expect_compiled(std::vector<std::string> steps = {}) {
    steps.push_back("compile:-arch=sm_80");
    EXPECT_EQ(compile("13", steps).back(), "compile: 0") << result_.describe();
    EXPECT_EQ(result_.err, "");
  }
};

TEST_F(Builtins, OfAWheel_AreFound) {
  machine_.wheel(nvrtc, "13.0");
  expect_compiled();
}

TEST_F(Builtins, OfALoadedNvrtc_AreFound) {
  const Path folder = folder_of("13.0");
  expect_compiled({"open:" + (folder / "libnvrtc.so.13").string()});
  expect_compiled({"chdir:" + folder.string(), "open:./libnvrtc.so.13", "chdir:/"});
}

TEST_F(Builtins, BehindALinkToTheLibrary_AreFound) {
  for (const std::string release : {"12.9", "13.0"}) {
    const Path library = library_of(nvrtc, release);
    machine_.put_link(Path("opt") / release / library.filename(), library);
    machine_.env("ANYCUDA_NVRTC", machine_.root() / "opt" / release / library.filename());
    expect_compiled();
  }
}

// As package managers lay out an environment whose files are in a pool.
TEST_F(Builtins, BesideALinkToTheLibrary_AreFound) {
  for (const char* name : {"libnvrtc.so.13", "libnvrtc-builtins.so.13.0"}) {
    const Path pooled = machine_.root() / "pool" / std::to_string(std::hash<std::string>()(name));
    machine_.put_copy(pooled, folder_of("13.0") / name).put_link(Path("opt") / name, pooled);
  }
  machine_.env("ANYCUDA_NVRTC", machine_.root() / "opt/libnvrtc.so.13");
  expect_compiled();
}

TEST_F(Builtins, Missing_NvrtcReportsIt) {
  machine_.put_copy("opt/libnvrtc.so.13", library_of(nvrtc, "13.0"));
  machine_.env("ANYCUDA_NVRTC", machine_.root() / "opt/libnvrtc.so.13");
  EXPECT_THAT(compile("13", {"compile:-arch=sm_80"}), ElementsAre("compile: 7"));
  EXPECT_EQ(result_.err, "");
}

TEST_F(Builtins, AfterAQuestion_AreNotLoaded) {
  machine_.wheel(nvrtc, "13.0");
  EXPECT_THAT(
      answers(machine_.run({patched("call_nvrtc-13"), "version", "loaded:libnvrtc-builtins",
                            "create", "loaded:libnvrtc-builtins"})),
      ElementsAre(
          "version: 0 13.0", "loaded: none", "create: 0 not null",
          "loaded: " +
              (machine_.site_packages() / "nvidia/cu13/lib/libnvrtc-builtins.so.13.0").string()));
}

}  // namespace
}  // namespace anycuda::test
