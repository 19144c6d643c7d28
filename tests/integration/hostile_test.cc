// SPDX-License-Identifier: Apache-2.0

// Settings of an attacker, and settings that programs do not expect. Each is a promise of
// SECURITY.md; policy_test.cc has those about privileged programs, opened_test.cc about other
// users' folders and exchanged files, search_test.cc about the current folder, faults_test.cc and
// opened_test.cc about mislabelled libraries.
#include <sys/stat.h>

#include "real.h"
#include "tests/support/case_names.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Hostile : public ::testing::Test {
 protected:
  void SetUp() override { REQUIRE_PROGRAM(patched("hostile-12")); }
  ProcessResult call(std::vector<std::string> steps) {
    steps.insert(steps.begin(), patched("hostile-12"));
    return machine_.run(steps);
  }
  // A runtime that answers 4242 and needs libc only.
  Path put_runtime(const std::string& folder) {
    machine_.put_copy(folder + "/libcudart.so.12", fake("core_only"));
    return machine_.root() / folder / "libcudart.so.12";
  }
  static bool permitted(const ProcessResult& result, const std::string& step) {
    const std::string done = answer(result, step);
    if (done == "done") return true;
    std::printf("skip: %s: %s\n", step.c_str(), done.c_str());
    return false;
  }

  Machine machine_;
};

// ---- chroot

TEST_F(Hostile, ChangedRoot_SearchIsBelowTheNewRoot) {
  put_runtime("jail/usr/lib/x86_64-linux-gnu");
  put_runtime("usr/lib/x86_64-linux-gnu");
  const std::string jail = machine_.root() / "jail";
  machine_.env("ANYCUDA_SYSTEM_ROOT", "");
  const ProcessResult result = call({"chroot:" + jail, "peek", "loaded:libcudart"});
  if (!permitted(result, "chroot")) GTEST_SKIP() << "chroot is not permitted here";
  EXPECT_EQ(answer(result, "peek"), "4242") << result.describe();
  EXPECT_EQ(answer(result, "loaded"), "/usr/lib/x86_64-linux-gnu/libcudart.so.12");
}

// No /proc, no /etc, no folder of the paths that the process started with.
TEST_F(Hostile, AProcessInAnEmptyRootGetsAnError) {
  put_runtime("usr/lib/x86_64-linux-gnu");
  machine_.library_path("usr/lib/x86_64-linux-gnu").put_folder("jail");
  const std::string jail = machine_.root() / "jail";
  const ProcessResult result = call({"chroot:" + jail, "count", "free"});
  if (!permitted(result, "chroot")) GTEST_SKIP() << "chroot is not permitted here";
  EXPECT_THAT(answers(result), ElementsAre("chroot: done", "count: 35 0", "free: 35"));
  EXPECT_THAT(result.err, HasSubstr("no usable CUDA runtime was found"));
}

// ---- seccomp

TEST_F(Hostile, OpeningFilesForbidden_CallReturnsAnError) {
  put_runtime("usr/lib/x86_64-linux-gnu");
  for (const char* how : {"EPERM", "ENOSYS"}) {
    const ProcessResult result = call({std::string("deny:openat=") + how, "count", "free"});
    if (!permitted(result, "deny")) GTEST_SKIP() << "seccomp is not permitted here";
    EXPECT_THAT(answers(result), ElementsAre("deny: done", "count: 35 0", "free: 35")) << how;
    EXPECT_THAT(result.err, HasSubstr("no usable CUDA runtime was found")) << how;
  }
}

TEST_F(Hostile, CallsBeforeThatRightIsGivenUpWork) {
  put_runtime("usr/lib/x86_64-linux-gnu");
  const ProcessResult result = call({"peek", "deny:openat=EPERM", "free", "peek"});
  if (!permitted(result, "deny")) GTEST_SKIP() << "seccomp is not permitted here";
  EXPECT_THAT(answers(result), ElementsAre("peek: 4242", "deny: done", "free: 4242", "peek: 4242"));
}

TEST_F(Hostile, ReadingFoldersForbidden_NamedFileIsUsed) {
  const std::string file = put_runtime("opt");
  for (const char* how : {"EPERM", "ENOSYS"}) {
    machine_.env("ANYCUDA_CUDART", file);
    const ProcessResult result = call({std::string("deny:getdents=") + how, "peek"});
    if (!permitted(result, "deny")) GTEST_SKIP() << "seccomp is not permitted here";
    EXPECT_EQ(answer(result, "peek"), "4242") << how << ": " << result.describe();
  }
}

TEST_F(Hostile, ReadingFoldersForbidden_CallReturnsAnError) {
  put_runtime("opt");
  machine_.library_path("opt");
  for (const char* how : {"EPERM", "ENOSYS"}) {
    const ProcessResult result = call({std::string("deny:getdents=") + how, "count"});
    if (!permitted(result, "deny")) GTEST_SKIP() << "seccomp is not permitted here";
    EXPECT_EQ(answer(result, "count"), "35 0") << how << ": " << result.describe();
  }
}

// ---- variables

constexpr const char* kFolders[] = {"LD_LIBRARY_PATH", "PYTHONPATH",   "PYTHONHOME",
                                    "VIRTUAL_ENV",     "CONDA_PREFIX", "CUDA_HOME",
                                    "CUDA_PATH",       "HOME",         "PATH"};
constexpr const char* kSettings[] = {
    "ANYCUDA_CUDART", "ANYCUDA_LOG",         "ANYCUDA_SYSTEM_ROOT",  "ANYCUDA_STUB_COMPAT",
    "ANYCUDA_COMPAT", "ANYCUDA_CROSS_MAJOR", "ANYCUDA_DRIVER_COMPAT"};
constexpr const char* kKinds[] = {"empty", "colons",   "folders", "one-name", "deep",
                                  "bytes", "newlines", "formats", "dots",     "tokens"};

// Only line ends control what a terminal or a reader of logs makes of a message.
bool is_plain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
}

class HostileVariables : public Hostile, public ::testing::WithParamInterface<const char*> {};
// Those that say where CUDA is; a wrong setting of anycuda's own is an error.
class HostileFolders : public HostileVariables {};

// Without a full path the root is the machine's own, where any CUDA may lie.
bool leads_to_the_machine(const std::string& variable, const std::string& kind) {
  return variable == "ANYCUDA_SYSTEM_ROOT" &&
         (kind == "empty" || kind == "colons" || kind == "formats" || kind == "tokens");
}

TEST_P(HostileVariables, AnyValueGivesAnAnswerAndAPlainMessage) {
  for (const char* kind : kKinds) {
    if (leads_to_the_machine(GetParam(), kind)) continue;
    const std::string set = std::string("set:") + GetParam() + "=" + kind;
    const ProcessResult result = call({set, "count", "count"});
    EXPECT_THAT(answers(result), ElementsAre("set: done", "count: 35 0", "count: 35 0"))
        << set << ": " << result.describe().substr(0, 4000);
    EXPECT_TRUE(is_plain(result.err)) << set << ": " << result.err.substr(0, 4000);
    EXPECT_THAT(result.err, Not(HasSubstr("\nanycuda: forged"))) << set;
    EXPECT_LE(result.err.size(), 65536u) << set;
  }
}

// A value that means nothing hides nothing that another source has.
TEST_P(HostileFolders, InvalidValue_SystemRuntimeIsStillFound) {
  put_runtime("usr/lib/x86_64-linux-gnu");
  for (const char* kind : kKinds) {
    const std::string set = std::string("set:") + GetParam() + "=" + kind;
    const ProcessResult result = call({set, "peek"});
    EXPECT_EQ(answer(result, "peek"), "4242") << set << ": " << result.describe().substr(0, 4000);
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, HostileVariables, ::testing::ValuesIn(kFolders), kPrintedName);
INSTANTIATE_TEST_SUITE_P(Settings, HostileVariables, ::testing::ValuesIn(kSettings), kPrintedName);
INSTANTIATE_TEST_SUITE_P(Folders, HostileFolders, ::testing::ValuesIn(kFolders), kPrintedName);

// ---- the log

// A planted pipe of that name must not block the program.
TEST_F(Hostile, LogPipeWithoutAReader_StderrIsUsed) {
  machine_.put_folder("tmp");
  const std::string pipe = machine_.root() / "tmp/log";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  machine_.env("ANYCUDA_LOG", pipe);
  const ProcessResult result = call({"count"});
  EXPECT_EQ(answer(result, "count"), "35 0") << result.describe();
  EXPECT_THAT(result.err, HasSubstr("no usable CUDA runtime was found"));
}

}  // namespace
}  // namespace anycuda::test
