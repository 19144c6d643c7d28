// SPDX-License-Identifier: Apache-2.0

// Loading is not using: until the first call that needs CUDA, no CUDA file is opened and no message
// is written.
#include <sstream>

#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<std::string> kCompilers = {"11.8", "12.4", "13.0"};

// A machine full of CUDA, so that there is something to open.
void fill(Machine& machine) {
  for (const std::string& release : kReleases) machine.wheel(cudart, release);
  machine.toolkit(cudart, "12.9").toolkit(nvrtc, "12.9").wheel(nvjitlink, "12.9").driver(535);
}

// The files that system calls named between the program's last marks, one per line of strace.
struct Trace {
  ProcessResult result;
  std::vector<std::string> files;
  std::vector<std::string> absent;  // of them
};

Trace trace(const Machine& machine, const std::vector<std::string>& steps) {
  const Path log = machine.root() / "trace";
  // The part of libc that the stubs need is loaded before.
  std::vector<std::string> command = {strace(),
                                      "-f",
                                      "-qq",
                                      "-s",
                                      "4096",
                                      "-e",
                                      "trace=%file",
                                      "-o",
                                      log,
                                      native("host"),
                                      "import:libdl.so.2",
                                      "mark:begin"};
  command.insert(command.end(), steps.begin(), steps.end());
  command.push_back("mark:end");
  Trace trace{machine.run(command), {}, {}};
  const std::string imported = "import: yes\n";
  EXPECT_EQ(trace.result.out.substr(0, imported.size()), imported);
  trace.result.out.erase(0, imported.size());
  bool inside = false;
  std::istringstream lines(content(log));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("/anycuda-mark/") != std::string::npos) {
      inside = line.find("/anycuda-mark/begin") != std::string::npos;
      if (inside) trace.files = trace.absent = {};
      continue;
    }
    const std::size_t quote = line.find('"');
    if (!inside || quote == std::string::npos) continue;
    const std::string file = line.substr(quote + 1, line.find('"', quote + 1) - quote - 1);
    if (file.empty()) continue;  // an open file is asked about
    trace.files.push_back(file);
    if (line.find(" ENOENT ") != std::string::npos) trace.absent.push_back(file);
  }
  return trace;
}

// Skips where a program cannot be traced: strace is missing, or the computer forbids it.
std::string why_no_trace() {
  if (strace().empty()) return "strace is neither installed (Debian package strace) nor fetched";
  const ProcessResult result = Machine().run({strace(), "-qq", "-o", "/dev/null", "/bin/true"});
  return result.ok() ? "" : "strace does not work here: " + result.describe();
}

// What keeps a test from filling a machine, or ""
std::string why_not_filled() {
  for (const char* artifact : {"cudart-11.8", "cudart-12.9", "cudart-13.5", "nvrtc-12.9",
                               "nvjitlink-12.9", "driver-535"}) {
    const std::string why = Artifacts::of_this_build().why_missing(artifact);
    if (!why.empty()) return why;
  }
  return "";
}

class Traced : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& why : {why_no_trace(), why_not_filled()}) {
      if (!why.empty()) GTEST_SKIP() << why;
    }
  }
};

TEST_F(Traced, LoadingTheStubsOpensNothingButThem) {
  Machine machine;
  fill(machine);
  std::vector<std::string> steps, files;
  std::string imported;
  for (const Path& file : all_stubs()) {
    steps.push_back("import:" + file.string());
    files.push_back(file);
    imported += "import: yes\n";
  }
  const Trace seen = trace(machine, steps);
  EXPECT_EQ(seen.result.out, "mark: made\n" + imported + "mark: made\n");
  EXPECT_EQ(seen.result.err, "");
  EXPECT_EQ(seen.files, files);
}

TEST_F(Traced, TheFirstCallOpensCuda) {  // that the trace sees what the others must not do
  Machine machine;
  fill(machine);
  const Trace seen =
      trace(machine, {"import:" + stub("cudart").string(), "call:cudaPeekAtLastError"});
  EXPECT_THAT(seen.files, ::testing::Contains(HasSubstr("/libcudart.so.12")));
}

// The first stub's search has asked for the others (docs/copies.md).
TEST_F(Traced, TheFirstCallOfAFurtherStub_AsksOnlyForWhatExists) {
  Machine machine;
  for (const char* release : {"12.9", "13.5"}) machine.toolkit(cudart, release);
  machine.toolkit(nvrtc, "12.9");
  const std::string call_nvrtc = "call:nvrtcGetErrorString";
  const auto import = [](const char* library) { return "import:" + stub(library).string(); };
  const Trace first = trace(machine, {import("nvrtc"), call_nvrtc});
  EXPECT_THAT(first.files, ::testing::Contains(HasSubstr("/libnvrtc.so.12")));
  const Trace further = trace(machine, {import("cudart"), "call:cudaPeekAtLastError", "mark:end",
                                        import("nvrtc"), "mark:begin", call_nvrtc});
  EXPECT_THAT(further.files, ::testing::Contains(HasSubstr("/libnvrtc.so.12")));
  EXPECT_THAT(first.absent, ::testing::SizeIs(::testing::Gt(20)));
  EXPECT_THAT(further.absent, ElementsAre(machine.root() / "etc/ld.so.cache"));
}

class BuiltByNvcc : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    REQUIRE_PROGRAM(kernels(GetParam()));
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
  }
  std::string import() const { return "import:" + kernels(GetParam()).string(); }
};

TEST_P(BuiltByNvcc, IsImportedWithoutOpeningCuda) {
  for (const std::string& why : {why_no_trace(), why_not_filled()}) {
    if (!why.empty()) GTEST_SKIP() << why;
  }
  Machine machine;
  fill(machine);
  const Trace seen = trace(machine, {import(), "loaded:libcud"});
  EXPECT_EQ(seen.result.out, "mark: made\nimport: yes\nloaded: none\nmark: made\n");
  EXPECT_EQ(seen.result.err, "");
  // Where the dynamic loader has looked for the stub itself is its own affair.
  std::vector<std::string> others;
  for (const std::string& file : seen.files) {
    if (Path(file).filename() != stub("cudart").filename()) others.push_back(file);
  }
  EXPECT_THAT(others, Each(Not(AnyOf(HasSubstr(machine.root().string()), HasSubstr("/libcud"),
                                     HasSubstr("/libnv"), HasSubstr("nvidia")))));
}

TEST_P(BuiltByNvcc, StartsWithoutCudaAndReportsItAtTheFirstLaunch) {
  Machine machine;
  const ProcessResult result = machine.run(
      {native("host"), import(), "call:launch", "call:set_variable", "call:device_count"});
  EXPECT_THAT(answers(result), ElementsAre("import: yes", "call: 35", "call: 35", "call: 35"));
  EXPECT_THAT(result.err, HasSubstr("no usable CUDA runtime was found"));
}

TEST_P(BuiltByNvcc, IsUnloadedWithoutCudaHavingBeenThere) {
  Machine machine;
  machine.wheel(cudart, "12.9");
  const ProcessResult result =
      machine.run({native("host"), "import:" + stub("cudart").string(), import(), "close",
                   "loaded:libcudart", "call:cudaPeekAtLastError", "loaded:libcudart.so.12"});
  EXPECT_EQ(answer(result, "close"), "gone");
  EXPECT_EQ(answers(result).at(3), "loaded: none") << "unloading has opened the runtime";
  EXPECT_THAT(answers(result).back(), HasSubstr("/libcudart.so.12")) << result.describe();
}

TEST_P(BuiltByNvcc, IsLoadedAgainAfterItWasUnloaded) {
  Machine machine;
  machine.wheel(cudart, "13.5");
  const ProcessResult result =
      machine.run({native("host"), "import:" + stub("cudart").string(), import(), "close", import(),
                   "call:set_variable", "close", import(), "call:set_variable", "close"});
  EXPECT_THAT(answers(result),
              ElementsAre("import: yes", "import: yes", "close: gone", "import: yes", "call: 35",
                          "close: gone", "import: yes", "call: 35", "close: gone"));
}

// What was registered before the runtime was there is registered when it is: the runtime then
// answers as it answers the program that was linked to it.
TEST_P(BuiltByNvcc, AnswersEqualItsOwnRuntimes) {
  REQUIRE_ARTIFACT("cudart-" + GetParam());
  REQUIRE_ARTIFACT("driver-535");
  const std::vector<std::string> calls = {"call:set_variable", "call:launch", "call:device_count"};
  Machine own;
  own.on_library_path(cudart, GetParam()).driver(535);
  std::vector<std::string> command = {native("host"),
                                      "import:" + native_kernels(GetParam()).string()};
  command.insert(command.end(), calls.begin(), calls.end());
  const std::vector<std::string> expected = answers(own.run(command));
  command[1] = import();
  EXPECT_EQ(answers(own.run(command)), expected);
}

INSTANTIATE_TEST_SUITE_P(Lazy, BuiltByNvcc, ::testing::ValuesIn(kCompilers),
                         [](const auto& info) { return "nvcc" + info.param.substr(0, 2); });

// All of them in one process, as a program with several extensions has them.
TEST(BuiltByAllNvccs, AreImportedTogether) {
  Machine machine;
  std::vector<std::string> command = {native("host")};
  for (const std::string& compiler : kCompilers) {
    REQUIRE_PROGRAM(kernels(compiler));
    command.push_back("import:" + kernels(compiler).string());
  }
  REQUIRE_ARTIFACT("cudart-13.5");
  machine.wheel(cudart, "13.5");
  for (const char* step : {"call:device_count", "close", "call:launch", "close", "close"}) {
    command.push_back(step);
  }
  const ProcessResult result = machine.run(command);
  EXPECT_THAT(answers(result),
              ElementsAre("import: yes", "import: yes", "import: yes", "call: 35", "close: gone",
                          "call: 35", "close: gone", "close: gone"));
  EXPECT_THAT(result.err, IsEmpty());
}

}  // namespace
}  // namespace anycuda::test
