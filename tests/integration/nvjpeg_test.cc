// SPDX-License-Identifier: Apache-2.0

// nvJPEG through its stub: calls that work without a GPU give the linked library's results, all
// others the same status, for programs of every major on every major.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string major_of(const std::string& release) { return release.substr(0, release.find('.')); }

class Nvjpeg : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) {
      REQUIRE_ARTIFACT("nvjpeg-" + release);
      REQUIRE_PROGRAM(patched("call_nvjpeg-" + major_of(release)));
    }
  }
  // What the program of the library's own major says, linked to it directly.
  std::vector<std::string> directly(const std::string& release,
                                    const std::vector<std::string>& steps) {
    Machine machine;
    machine.library_path(library_of(nvjpeg, release).parent_path());
    return answers(run(&machine, native("call_nvjpeg-" + major_of(release)), steps));
  }
  static ProcessResult run(Machine* machine, const Path& program,
                           const std::vector<std::string>& steps) {
    std::vector<std::string> words = {program};
    words.insert(words.end(), steps.begin(), steps.end());
    return machine->run(words);
  }
  Machine machine_;
};

TEST_F(Nvjpeg, EqualsTheLibraryOnEveryMajor) {
  const std::vector<std::string> steps = {"version", "runtime", "unknown-property",
                                          "without-handle", "create"};
  for (const std::string& there : kReleases) {
    const std::vector<std::string> wanted = directly(there, steps);
    ASSERT_EQ(wanted.size(), steps.size()) << there;
    EXPECT_THAT(wanted[0], HasSubstr("0 " + major_of(there))) << there;
    for (const std::string& built : kReleases) {
      Machine machine;
      machine.wheel(nvjpeg, there);
      const ProcessResult result = run(&machine, patched("call_nvjpeg-" + major_of(built)), steps);
      EXPECT_EQ(answers(result), wanted) << built << " on " << there << result.describe();
    }
  }
}

TEST_F(Nvjpeg, DroppedIn13_IsNotSupportedThere) {
  for (const char* built : {"11", "12"}) {
    Machine machine;
    machine.wheel(nvjpeg, "13.5");
    const ProcessResult result =
        machine.run({patched(std::string("call_nvjpeg-") + built), "copy-tables"});
    EXPECT_THAT(answers(result), ElementsAre("copy-tables: 9"));
    EXPECT_THAT(result.err, HasSubstr("nvjpegEncoderParamsCopyHuffmanTables"));
    EXPECT_THAT(result.err, HasSubstr("removed in 13"));
  }
}

TEST_F(Nvjpeg, WithoutLibrary_ProgramStartsAndGetsTheNoGpuStatus) {
  const ProcessResult result =
      machine_.run({patched("call_nvjpeg-12"), "create", "loaded:libnvjpeg"});
  EXPECT_THAT(answers(result), ElementsAre("create: 6", "loaded: none"));
  EXPECT_THAT(result.err, HasSubstr("pip install nvidia-nvjpeg"));
}

TEST_F(Nvjpeg, VersionQueryWithoutLibrary_WritesNoMessage) {
  const ProcessResult result = machine_.run({patched("call_nvjpeg-12"), "version"});
  EXPECT_THAT(answers(result), ElementsAre(HasSubstr("6 0 6 0 6 0")));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(Nvjpeg, TheNewestThatTheDriverRunsIsTaken) {
  machine_.wheel(nvjpeg, "13.5").wheel(nvjpeg, "12.9").driver(535);
  const ProcessResult result =
      machine_.run({patched("call_nvjpeg-13"), "loaded:libnvjpeg", "version", "loaded:libnvjpeg"});
  EXPECT_THAT(answers(result),
              ElementsAre("loaded: none", HasSubstr("0 12 "), HasSubstr("libnvjpeg.so.12")));
}

TEST_F(Nvjpeg, TheOneThatIsLoadedIsAdopted) {
  machine_.wheel(nvjpeg, "13.5");
  const std::string loaded = library_of(nvjpeg, "12.9");
  const ProcessResult result =
      machine_.run({patched("call_nvjpeg-13"), "open:" + loaded, "version"});
  EXPECT_THAT(answers(result), ElementsAre("open: yes", HasSubstr("0 12 ")));
}

}  // namespace
}  // namespace anycuda::test
