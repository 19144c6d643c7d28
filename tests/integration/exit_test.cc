// SPDX-License-Identifier: Apache-2.0

// When the library is opened, and the order of teardown at exit (docs/exit.md): a library that is
// opened at the first call is torn down before the destructors of older static objects; a library
// that is opened when the stub is loaded outlives them, as a linked library does.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> kLate = {"constructor: not loaded", "call: 0", "destructor: 4"};
const std::vector<std::string> kEarly = {"constructor: loaded", "call: 0", "destructor: 0"};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

class Exit : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_PROGRAM(linked("calls_at_exit"));
    machine_.env("ANYCUDA_CUDART", fake("exiting"));
  }
  std::vector<std::string> run(const std::string& program) {
    result_ = machine_.run({linked(program)});
    EXPECT_EQ(result_.status, 0);
    return lines(result_.out);
  }
  std::vector<std::string> import(const std::string& library) {
    result_ = machine_.run({native("host"), "import:" + fake(library).string(), "call:call"});
    return lines(result_.out);
  }
  Machine machine_;
  ProcessResult result_;
};

TEST_F(Exit, OpenedAtTheFirstCallTheLibraryEndsFirst) {
  EXPECT_THAT(run("calls_at_exit"), ElementsAreArray(kLate));
}

TEST_F(Exit, OpenedAtLoadByTheVariableItOutlivesStaticObjects) {
  machine_.env("ANYCUDA_OPEN", "load");
  EXPECT_THAT(run("calls_at_exit"), ElementsAreArray(kEarly));
}

TEST_F(Exit, LinkOptionOpensAtLoad_OutlivesStaticObjects) {
  EXPECT_THAT(run("calls_at_exit_open"), ElementsAreArray(kEarly));
  EXPECT_EQ(result_.err, "");
}

TEST_F(Exit, OfAnArchiveIsTheSame) {
  REQUIRE_PROGRAM(linked("calls_at_exit_static"));
  EXPECT_THAT(run("calls_at_exit_static"), ElementsAreArray(kLate));
  EXPECT_THAT(run("calls_at_exit_static_open"), ElementsAreArray(kEarly));
}

// The stub is loaded by dlopen, under the dynamic linker's lock, and opens the library there.
TEST_F(Exit, OfALibraryThatIsImportedIsTheSame) {
  const auto late = {"constructor: not loaded", "import: yes", "call: 0", "destructor: 4"};
  const auto early = {"constructor: loaded", "import: yes", "call: 0", "destructor: 0"};
  EXPECT_THAT(import("calls_at_exit_library"), ElementsAreArray(late));
  EXPECT_THAT(import("calls_at_exit_open_library"), ElementsAreArray(early));
  machine_.env("ANYCUDA_OPEN", "load");
  EXPECT_THAT(import("calls_at_exit_library"), ElementsAreArray(early));
}

TEST_F(Exit, AnotherValueIsReportedAndChangesNothing) {
  machine_.env("ANYCUDA_OPEN", "early");
  EXPECT_THAT(run("calls_at_exit"), ElementsAreArray(kLate));
  EXPECT_THAT(result_.err, HasSubstr("invalid ANYCUDA_OPEN=early: expected load; default: "));
  machine_.env("ANYCUDA_OPEN", "");
  EXPECT_THAT(run("calls_at_exit"), ElementsAreArray(kLate));
  EXPECT_EQ(result_.err, "");
}

TEST_F(Exit, APrivilegedProcessIgnoresTheVariable) {
  machine_.env("ANYCUDA_OPEN", "load");
  result_ = machine_.run_secure({linked("calls_at_exit")});
  EXPECT_EQ(lines(result_.out)[0], "constructor: not loaded");
}

// The first call searches again, and writes what it would have written.
TEST_F(Exit, AFailureAtLoadIsSilent) {
  for (const char* file : {"/nowhere/libcudart.so.12", ""}) {
    machine_.env("ANYCUDA_CUDART", file).env("ANYCUDA_OPEN", "");
    EXPECT_THAT(run("calls_at_exit"),
                ElementsAre("constructor: not loaded", "call: 35", "destructor: 35"));
    const std::string expected = result_.err;
    machine_.env("ANYCUDA_OPEN", "load");
    EXPECT_THAT(run("calls_at_exit"),
                ElementsAre("constructor: not loaded", "call: 35", "destructor: 35"));
    EXPECT_EQ(result_.err, expected);
  }
}

TEST_F(Exit, AtLoadTheCallersMajorCounts) {
  REQUIRE_ARTIFACT("cudart-12.9");
  REQUIRE_ARTIFACT("cudart-13.5");
  machine_.env("ANYCUDA_CUDART", "").env("ANYCUDA_CROSS_MAJOR", "reject");
  machine_.wheel(cudart, "12.9").wheel(cudart, "13.5");
  machine_.env("ANYCUDA_OPEN", "load").env("ANYCUDA_LOG", "info");
  EXPECT_EQ(run("calls_at_exit")[0], "constructor: loaded");
  EXPECT_THAT(result_.err, HasSubstr("using "));
  EXPECT_THAT(result_.err, HasSubstr("/libcudart.so.12 (CUDA 12"));
}

// The real runtime, behind a drop-in and behind a stub that is preloaded; nothing was called yet.
TEST_F(Exit, TheRealRuntimeIsLoadedBeforeAnyCall) {
  REQUIRE_ARTIFACT("cudart-12.9");
  REQUIRE_PROGRAM(native("call_cudart-12"));
  machine_.env("ANYCUDA_CUDART", "").wheel(cudart, "12.9");
  machine_.env("LD_LIBRARY_PATH", dropin_folder());
  const std::vector<std::string> ask = {native("call_cudart-12"), "loaded:libcudart"};
  EXPECT_EQ(answer(machine_.run(ask), "loaded"), "none");
  machine_.env("ANYCUDA_OPEN", "load");
  EXPECT_THAT(answer(machine_.run(ask), "loaded"), StartsWith(machine_.root().string()));

  Machine other;
  other.wheel(cudart, "12.9").preload(stub("cudart"));
  const std::vector<std::string> host = {native("host"), "loaded:libcudart"};
  EXPECT_EQ(answer(other.run(host), "loaded"), "none");
  other.env("ANYCUDA_OPEN", "load");
  EXPECT_THAT(answer(other.run(host), "loaded"), StartsWith(other.root().string()));
}

}  // namespace
}  // namespace anycuda::test
