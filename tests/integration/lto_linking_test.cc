// SPDX-License-Identifier: Apache-2.0

// LTO-IR of CUDA 12 that a program built for 12 gives to a linker of 13, which would take it for
// LTO-IR of 13: it is refused in every form. All other inputs are linked.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Path device_code(const std::string& name) { return kernels("12.4").parent_path() / name; }

class LtoLinking : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact : {"nvjitlink-12.9", "nvjitlink-13.5", "nvcc-12.4", "nvcc-13.0"}) {
      REQUIRE_ARTIFACT(artifact);
    }
    for (const char* program : {"jit_nvrtc-12", "jit_nvjitlink-12", "jit_nvjitlink-13"}) {
      REQUIRE_PROGRAM(patched(program));
    }
    REQUIRE_PROGRAM(device_code("lto-12.4.fatbin"));
  }
  std::string file() const { return machine_.root() / "part"; }
  // LTO-IR by a program built for 12, with an NVRTC of the release.
  void compile(const std::string& release) {
    machine_.env("ANYCUDA_NVRTC", library_of(nvrtc, release));
    ASSERT_THAT(answers(machine_.run(
                    {patched("jit_nvrtc-12"), "compile:-arch=sm_80 -dlto", "ltoir:" + file()})),
                ElementsAre("compile: 0", "ltoir: 0 0"));
  }
  std::vector<std::string> link(std::vector<std::string> steps, const std::string& major = "12",
                                const std::string& release = "13.5") {
    machine_.env("ANYCUDA_NVJITLINK", library_of(nvjitlink, release));
    steps.insert(steps.begin(), patched("jit_nvjitlink-" + major));
    result_ = machine_.run(steps);
    return answers(result_);
  }
  Machine machine_;
  ProcessResult result_;
};

const char kLto[] = "options:-arch=sm_80 -lto";

TEST_F(LtoLinking, OfEveryRelease) {
  for (const std::string& artifact : Artifacts::of_this_build().names("nvrtc-")) {
    const std::string release = artifact.substr(artifact.find('-') + 1);
    if (release.rfind("11", 0) == 0) continue;  // whose LTO-IR no program of 12 can have
    compile(release);
    const std::string expected =
        release.rfind("12", 0) == 0 ? "link: 0 6 0 nothing" : "link: 0 0 0 0 cubin";
    EXPECT_THAT(link({kLto, "link:ltoir=" + file()}), ElementsAre("options: done", expected))
        << release;
  }
}

TEST_F(LtoLinking, HasReasonAndHint) {
  compile("12.9");
  link({kLto, "link:ltoir=" + file(), "link:ltoir=" + file()});
  EXPECT_THAT(
      result_.err,
      HasSubstr("nvJitLinkAddData failed (status 6): its input has LTO-IR of CUDA 12, which NVIDIA "
                "supports only within CUDA 12: install nvJitLink 12, or pass PTX or CUBIN."));
  EXPECT_THAT(result_.err, HasSubstr("libnvJitLink.so.13"));
  EXPECT_EQ(result_.err.find("LTO-IR of"), result_.err.rfind("LTO-IR of")) << "reported once";
}

// As nvcc gives it: packed or not, beside machine code, inside an object.
TEST_F(LtoLinking, InEveryForm) {
  for (const auto& [kind, name] : {std::pair{"fatbin", "lto-%.fatbin"},
                                   {"any", "lto-%.fatbin"},
                                   {"fatbin", "lto-plain-%.fatbin"},
                                   {"fatbin", "mixed-%.fatbin"},
                                   {"object", "lto-%.o"},
                                   {"any", "lto-%.o"}}) {
    for (const char* option : {"-lto", "-dlto"}) {
      const auto steps = [&, kind = kind, name = std::string(name)](const std::string& release) {
        std::string path = device_code(name);
        path.replace(path.find('%'), 1, release);
        const std::string input = std::string(kind) + "=" + path;
        return std::vector<std::string>{std::string("options:-arch=sm_80 ") + option,
                                        "link:" + input, "link-file:" + input};
      };
      EXPECT_THAT(link(steps("12.4")),
                  ElementsAre("options: done", "link: 0 6 0 nothing", "link-file: 0 6 0 nothing"))
          << kind << " " << name;
      EXPECT_THAT(link(steps("13.0")),
                  ElementsAre("options: done", "link: 0 0 0 0 cubin", "link-file: 0 0 0 0 cubin"))
          << kind << " " << name << result_.err;
      EXPECT_THAT(result_.err, IsEmpty());
    }
  }
}

// Links with LTO and without may take turns, with handles that are used again.
TEST_F(LtoLinking, MachineCodeBesideLtoIrIsLinkedWithoutIt) {
  const std::string mixed = "link:fatbin=" + device_code("mixed-12.4.fatbin").string();
  EXPECT_THAT(link({"options:-arch=sm_80", mixed, kLto, mixed, "options:-arch=sm_80", mixed}),
              ElementsAre("options: done", "link: 0 0 0 0 cubin", "options: done",
                          "link: 0 6 0 nothing", "options: done", "link: 0 0 0 0 cubin"));
}

// The linker itself needs LTO-IR among the inputs of such a link, and returns 5 at the end.
TEST_F(LtoLinking, MachineCodeAndPtxAreTheLinkersWithLtoToo) {
  machine_.env("ANYCUDA_NVRTC", library_of(nvrtc, "12.9"));
  ASSERT_THAT(answers(machine_.run({patched("jit_nvrtc-12"), "compile:-arch=sm_80 -rdc=true",
                                    "ptx:" + file(), "cubin:" + file() + ".cubin"})),
              ElementsAre("compile: 0", "ptx: 0 0", "cubin: 0 0"));
  EXPECT_THAT(link({kLto, "link:ptx=" + file(), "link-file:cubin=" + file() + ".cubin"}),
              ElementsAre("options: done", "link: 0 0 5 0 nothing", "link-file: 0 0 5 0 nothing"));
  EXPECT_THAT(result_.err, IsEmpty());
}

TEST_F(LtoLinking, MissingFileIsReportedByTheLinker) {
  link({kLto, "link-file:fatbin=" + file() + ".missing"});
  EXPECT_THAT(answer(result_, "link-file"), ContainsRegex("0 [1-9][0-9]* 0 nothing"));
  EXPECT_EQ(result_.err, "");
}

// Within a major the library answers, also for a program of 13 with LTO-IR of 12.
TEST_F(LtoLinking, WithinAMajor_InputsAreNotChecked) {
  const std::string older = "link:fatbin=" + device_code("lto-12.4.fatbin").string();
  EXPECT_THAT(link({kLto, older}, "12", "12.9"),
              ElementsAre("options: done", "link: 0 0 0 0 cubin"));
  EXPECT_THAT(link({kLto, older}, "13", "13.5"),
              ElementsAre("options: done", "link: 0 0 0 0 cubin"));
}

}  // namespace
}  // namespace anycuda::test
