// SPDX-License-Identifier: Apache-2.0

// The stubs' answers to calls that cannot be served: without a library, and with one that lacks the
// function or must not get it.
#include <algorithm>
#include <map>

#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// --- Without a library: what the real one answers on a machine without a GPU.

class WithoutCuda : public ::testing::TestWithParam<std::string> {
 protected:
  ProcessResult call(const std::string& program, std::vector<std::string> steps) {
    steps.insert(steps.begin(), patched(program + "-" + GetParam()));
    return machine_.run(steps);
  }
  Machine machine_;
};

TEST_P(WithoutCuda, RuntimeReturns35AndZeroesItsOutputs) {
  REQUIRE_PROGRAM(patched("call_cudart-" + GetParam()));
  const ProcessResult result =
      call("call_cudart", {"count", "device", "malloc", "runtime", "peek", "last", "last",
                           "no-output", "in-thread:last", "loaded:libcudart"});
  // No line says that errno was changed.
  EXPECT_THAT(answers(result), ElementsAre("count: 35 0", "device: 35 0", "malloc: 35 null",
                                           "runtime: 35 0", "peek: 35", "last: 35", "last: 35",
                                           "no-output: 35", "last: 35", "loaded: none"));
}

TEST_P(WithoutCuda, TheDriversVersionIsZeroWithoutAnError) {
  REQUIRE_PROGRAM(patched("call_cudart-" + GetParam()));
  EXPECT_THAT(answers(call("call_cudart", {"driver"})), ElementsAre("driver: 0 0"));
}

TEST_P(WithoutCuda, AStructureIsReturnedAsZeros) {
  REQUIRE_PROGRAM(patched("call_cudart-" + GetParam()));
  EXPECT_THAT(answers(call("call_cudart", {"channel"})), ElementsAre("channel: 0 0 0 0 0 "));
}

TEST_P(WithoutCuda, ErrorsHaveTheirNamesAndTextsWithoutAnyReport) {
  REQUIRE_PROGRAM(patched("call_cudart-" + GetParam()));
  const ProcessResult result =
      call("call_cudart", {"error-name:35", "error-string:35", "error-string:100", "error-name:302",
                           "error-string:0", "error-string:123456"});
  EXPECT_THAT(
      answers(result),
      ElementsAre("error-name: cudaErrorInsufficientDriver",
                  "error-string: CUDA driver version is insufficient for CUDA runtime version",
                  "error-string: no CUDA-capable device is detected",
                  "error-name: cudaErrorSharedObjectSymbolNotFound", "error-string: no error",
                  "error-string: unrecognized error code"));
}

TEST_P(WithoutCuda, NvrtcReturnsInternalErrorAndZeroesItsOutputs) {
  REQUIRE_PROGRAM(patched("call_nvrtc-" + GetParam()));
  const ProcessResult result = call(
      "call_nvrtc", {"version", "create", "error-string:11", "error-string:6", "loaded:libnvrtc"});
  EXPECT_THAT(
      answers(result),
      ElementsAre("version: 11 0.0", "create: 11 null", "error-string: NVRTC_ERROR_INTERNAL_ERROR",
                  "error-string: NVRTC_ERROR_COMPILATION", "loaded: none"));
  EXPECT_EQ(count_of("no usable NVRTC", result.err), 1u) << result.err;
}

TEST_P(WithoutCuda, OneMessageHasNamesFoldersAndHint) {
  REQUIRE_PROGRAM(patched("call_cudart-" + GetParam()));
  const ProcessResult result = call("call_cudart", {"count", "malloc", "in-thread:device", "peek"});
  EXPECT_EQ(count_of("anycuda:", result.err), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("cudaMalloc failed: no usable CUDA runtime was found"));
  EXPECT_THAT(result.err, HasSubstr("built for CUDA " + GetParam()));
  EXPECT_THAT(result.err, HasSubstr("libcudart.so.13, libcudart.so.12, libcudart.so.11.0"));
  EXPECT_THAT(result.err, HasSubstr("pip install nvidia-cuda-runtime"));
  EXPECT_THAT(result.err, HasSubstr("ANYCUDA_CUDART"));
  EXPECT_LE(count_of("\n", result.err), 5u) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Errors, WithoutCuda, ::testing::Values("11", "12", "13"),
                         [](const auto& info) { return "BuiltFor" + info.param; });

TEST(WithoutCuda, NvJitLinkReturnsInternalErrorAndZeroesItsOutputs) {
  for (const char* program : {"call_nvjitlink-12", "call_nvjitlink-13"}) {
    REQUIRE_PROGRAM(patched(program));
    const ProcessResult result = Machine().run({patched(program), "create", "create"});
    EXPECT_THAT(answers(result), ElementsAre("create: 6 null", "create: 6 null"));
    EXPECT_EQ(count_of("anycuda:", result.err), 1u) << result.err;
  }
}

TEST(WithoutCuda, DriverReturnsNoDeviceAndThenNotInitialised) {
  REQUIRE_PROGRAM(patched("call_cuda"));
  const ProcessResult result = Machine().run({patched("call_cuda"), "init", "version", "count",
                                              "malloc", "error-name:100", "error-name:3"});
  EXPECT_THAT(answers(result), ElementsAre("init: 100", "version: 3 0", "count: 3 0", "malloc: 3 0",
                                           "error-name: 0 CUDA_ERROR_NO_DEVICE",
                                           "error-name: 0 CUDA_ERROR_NOT_INITIALIZED"));
  EXPECT_EQ(count_of("anycuda:", result.err), 1u) << result.err;
}

TEST(Log, IsSilentWhenOff) {
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  Machine machine;
  machine.env("ANYCUDA_LOG", "off");
  const ProcessResult result = machine.run({patched("call_cudart-12"), "count", "count"});
  EXPECT_THAT(answers(result), ElementsAre("count: 35 0", "count: 35 0"));
  EXPECT_EQ(result.err, "");
}

TEST(Log, IsWrittenIntoAFile) {
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  Machine machine;
  const Path file = machine.root() / "tmp/log";
  machine.env("ANYCUDA_LOG", file);
  EXPECT_EQ(machine.run({patched("call_cudart-12"), "count"}).err, "");
  EXPECT_THAT(content(file), HasSubstr("no usable CUDA runtime was found"));
  const std::size_t size = content(file).size();
  machine.run({patched("call_cudart-12"), "count"});
  EXPECT_GT(content(file).size(), size)
      << "a second program's lines come behind those of the first";
}

TEST(Log, Unwritable_ChangesNothing) {
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  Machine machine;
  machine.env("ANYCUDA_LOG", machine.root() / "no/such/folder/log");
  EXPECT_THAT(answers(machine.run({patched("call_cudart-12"), "count"})),
              ElementsAre("count: 35 0"));
}

TEST(Log, PipeWithoutAReader_ProgramGoesOn) {
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  const auto run = [](std::vector<std::string> steps) {
    steps.insert(steps.begin(), {patched("call_cudart-12"), "break-stderr"});
    return answers(Machine().run(steps));
  };
  EXPECT_THAT(run({"count", "malloc", "pipe-signal"}),
              ElementsAre("break-stderr: done", "count: 35 0", "malloc: 35 null",  //
                          "pipe-signal: open"));
  EXPECT_THAT(run({"block-pipe-signal", "count", "pipe-signal"}),
              ElementsAre("break-stderr: done", "block-pipe-signal: done", "count: 35 0",
                          "pipe-signal: blocked"));
  EXPECT_THAT(run({"block-pipe-signal:raise", "count", "pipe-signal"}),
              ElementsAre("break-stderr: done", "block-pipe-signal: done", "count: 35 0",
                          "pipe-signal: blocked, pending"));
}

TEST(Log, WithoutFailures_IsEmpty) {
  REQUIRE_ARTIFACT("cudart-12.9");
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  Machine machine;
  machine.wheel(cudart, "12.9");
  EXPECT_EQ(machine.run({patched("call_cudart-12"), "runtime", "count"}).err, "");
}

// The stub's own names and texts are those of the real libraries, of whichever major knows the
// code.
TEST(ErrorTexts, AreThoseOfTheRealRuntimes) {
  std::map<std::string, std::vector<std::string>> real;  // code -> "name, text" of each major
  for (const std::string& release : kReleases) {
    REQUIRE_ARTIFACT("cudart-" + release);
    Machine machine;
    machine.on_library_path(cudart, release);
    const std::string program = "call_cudart-" + release.substr(0, 2);
    const auto lines = answers(machine.run({native(program), "all-errors:1100"}));
    EXPECT_GT(lines.size(), 80u) << release;
    for (const std::string& line : lines) {
      const std::size_t colon = line.find(": ");
      real[line.substr(0, colon)].push_back(line.substr(colon + 2));
    }
  }
  std::map<std::string, std::string> ours;
  for (const std::string& line :
       answers(Machine().run({patched("call_cudart-12"), "all-errors:1100"}))) {
    const std::size_t colon = line.find(": ");
    ours[line.substr(0, colon)] = line.substr(colon + 2);
  }
  for (const auto& [code, texts] : real) {
    EXPECT_THAT(texts, ::testing::Contains(ours[code])) << "of error " << code;
  }
  EXPECT_EQ(ours.size(), real.size());
}

// A library does not know the errors of later releases. The program's CUDA may have them, and the
// driver may give them to it.
class NewerErrors : public ::testing::Test {
 protected:
  std::vector<std::string> call(const Path& program, std::vector<std::string> steps) {
    steps.insert(steps.begin(), program);
    return answers(machine_.run(steps));
  }
  Machine machine_;
};

TEST_F(NewerErrors, HaveTheNamesAndTextsOfTheCallersCuda) {
  REQUIRE_ARTIFACT("cudart-11.8");
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  machine_.wheel(cudart, "11.8");
  const std::vector<std::string> steps = {"error-name:225", "error-string:226", "error-name:227",
                                          "error-name:1"};
  const std::string unknown = "unrecognized error code";
  EXPECT_THAT(call(patched("call_cudart-12"), steps),
              ElementsAre("error-name: cudaErrorUnsupportedDevSideSync",
                          "error-string: Invalid access of peer GPU memory over nvlink or a "
                          "hardware error",
                          "error-name: " + unknown, "error-name: cudaErrorInvalidValue"))
      << "227 is of 13";
  EXPECT_THAT(call(patched("call_cudart-13"), {"error-name:225", "error-name:227"}),
              ElementsAre("error-name: cudaErrorUnsupportedDevSideSync",
                          "error-name: cudaErrorInsufficientLoaderVersion"));
  EXPECT_THAT(call(patched("call_cudart-11"), {"error-name:225", "error-name:1"}),
              ElementsAre("error-name: " + unknown, "error-name: cudaErrorInvalidValue"));
}

TEST_F(NewerErrors, AreAllThoseOfTheCallersOwnRuntime) {
  for (const char* release : {"11.8", "12.0", "12.4", "12.9", "13.0"}) {
    REQUIRE_ARTIFACT("cudart-" + std::string(release));
    for (const char* own : {"12.9", "13.5"}) {
      REQUIRE_ARTIFACT("cudart-" + std::string(own));
      const std::string program = "call_cudart-" + std::string(own).substr(0, 2);
      REQUIRE_PROGRAM(patched(program));
      Machine natively, here;
      natively.on_library_path(cudart, own);
      here.wheel(cudart, release);
      const auto names = [](const ProcessResult& result) {
        std::vector<std::string> all;
        for (const std::string& line : answers(result))
          all.push_back(line.substr(0, line.find(',')));
        return all;
      };
      const auto wanted = names(natively.run({native(program), "all-errors:1100"}));
      EXPECT_GT(wanted.size(), 80u);
      EXPECT_THAT(names(here.run({patched(program), "all-errors:1100"})), IsSupersetOf(wanted))
          << program << " on " << release;
    }
  }
}

TEST_F(NewerErrors, OfNvrtcToo) {
  REQUIRE_ARTIFACT("nvrtc-11.8");
  REQUIRE_PROGRAM(patched("call_nvrtc-12"));
  machine_.wheel(nvrtc, "11.8");
  EXPECT_THAT(
      call(patched("call_nvrtc-12"), {"error-string:16", "error-string:18"}),
      ElementsAre("error-string: NVRTC_ERROR_CANCELLED", "error-string: NVRTC_ERROR unknown"));
  EXPECT_THAT(
      call(patched("call_nvrtc-13"), {"error-string:18", "error-string:6"}),
      ElementsAre("error-string: NVRTC_ERROR_BUSY", "error-string: NVRTC_ERROR_COMPILATION"));
}

// The headers have more names than any driver here has texts.
TEST_F(NewerErrors, OfTheDriverToo) {
  REQUIRE_ARTIFACT("driver-535");
  REQUIRE_PROGRAM(patched("call_cuda"));
  machine_.driver(535);
  EXPECT_THAT(call(patched("call_cuda"), {"error-name:226", "error-name:100", "error-name:99999"}),
              ElementsAre("error-name: 0 CUDA_ERROR_CONTAINED",
                          "error-name: 0 CUDA_ERROR_NO_DEVICE", StartsWith("error-name: 1 ")));
}

// --- With a library.

// 12 made these two mean something else, without a change of a header (behaviour.md).
TEST(ChangedMeaning, TheRuntimesVersionNeedsNoDriverForCallersOf12And13) {
  for (const std::string release : {"11.8", "12.0", "12.9", "13.5"}) {
    REQUIRE_ARTIFACT("cudart-" + release);
    const std::string number =
        std::to_string(std::stoi(release.substr(0, 2)) * 1000 + (release[3] - '0') * 10);
    for (const char* caller : {"11", "12", "13"}) {
      const Path program = patched("call_cudart-" + std::string(caller));
      REQUIRE_PROGRAM(program);
      Machine machine;
      machine.wheel(cudart, release);
      const bool as_in_11 = release == "11.8" && std::string(caller) == "11";
      EXPECT_THAT(
          answers(machine.run({program, "runtime", "runtime-no-output", "last", "set-device"})),
          ElementsAre(as_in_11 ? "runtime: 35 77" : "runtime: 0 " + number,
                      as_in_11 ? "runtime-no-output: 35" : "runtime-no-output: 1", "last: 35",
                      "set-device: 35"))
          << "built for " << caller << ", on " << release;
    }
  }
}

// The program reads the message of a dlopen() that failed in it after calls of the stub.
TEST(PendingMessage, SurvivesCallsThatSearch) {
  REQUIRE_ARTIFACT("cudart-12.0");
  REQUIRE_PROGRAM(patched("call_cudart-13"));
  Machine machine;
  machine.wheel(cudart, "12.0");
  EXPECT_THAT(
      answers(machine.run({patched("call_cudart-13"), "capture", "capture",
                           "fail-to-open:/no/such/library.so", "capture", "pending-message"})),
      ElementsAre("capture: 35", "capture: 35", "fail-to-open: failed", "capture: 35",
                  HasSubstr("/no/such/library.so")));
}

// Most tests use a runtime whose every function gives 4242, so that the stub's own answers stand
// out.
class WithARuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
    for (const char* program : {"call_cudart-11", "call_cudart-12"}) {
      REQUIRE_PROGRAM(patched(program));
    }
  }
  std::vector<std::string> call(const std::string& program, std::vector<std::string> steps) {
    steps.insert(steps.begin(), patched(program));
    result_ = machine_.run(steps);
    return answers(result_);
  }
  Machine machine_;
  ProcessResult result_;
};

TEST_F(WithARuntime, MissingFunctionReturns302) {
  machine_.wheel(cudart, "12.9");
  EXPECT_THAT(call("call_cudart-13", {"not-yet"}), ElementsAre("not-yet: 302"));
  EXPECT_EQ(count_of("anycuda:", result_.err), 1u) << result_.err;
  EXPECT_THAT(result_.err, ContainsRegex("cudaExecutionCtxGetId failed .*libcudart.so.12"));
}

TEST_F(WithARuntime, UnsafeFunctionReturns801) {
  machine_.wheel(cudart, "13.5");
  EXPECT_THAT(call("call_cudart-12", {"table"}), ElementsAre("table: 801"));
  EXPECT_EQ(count_of("anycuda:", result_.err), 1u) << result_.err;
  EXPECT_THAT(result_.err, ContainsRegex("cudaGetExportTable failed .*libcudart.so.13"));
}

TEST_F(WithARuntime, TheStubsErrorsAreShownAndClearedAsLastError) {
  machine_.env("ANYCUDA_CUDART", fake("core_only"));
  EXPECT_THAT(call("call_cudart-12", {"attributes", "peek", "peek", "last", "last", "peek"}),
              ElementsAre("attributes: 302", "peek: 302", "peek: 302", "last: 302", "last: 4242",
                          "peek: 4242"));
}

TEST_F(WithARuntime, LastErrorIsTheStubsAfterAnEarlierQuery) {
  machine_.env("ANYCUDA_CUDART", fake("core_only"));
  EXPECT_THAT(call("call_cudart-12", {"last", "peek", "attributes", "peek", "last", "last"}),
              ElementsAre("last: 4242", "peek: 4242", "attributes: 302", "peek: 302", "last: 302",
                          "last: 4242"));
}

TEST_F(WithARuntime, TheLastErrorIsAThreadsOwn) {
  machine_.env("ANYCUDA_CUDART", fake("core_only"));
  EXPECT_THAT(
      call("call_cudart-12",
           {"in-thread:attributes", "last", "attributes", "in-thread:last", "last"}),
      ElementsAre("attributes: 302", "last: 4242", "attributes: 302", "last: 4242", "last: 302"));
}

TEST_F(WithARuntime, LatestErrorIsTheStubsOrTheLibrarys) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  EXPECT_THAT(
      call("call_cudart-12", {"attributes", "malloc", "peek", "last", "last"}),
      ElementsAre("attributes: 302", "malloc: 2 not null", "peek: 2", "last: 2", "last: 0"));
  EXPECT_THAT(
      call("call_cudart-12", {"malloc", "attributes", "peek", "last", "last"}),
      ElementsAre("malloc: 2 not null", "attributes: 302", "peek: 302", "last: 302", "last: 0"));
  EXPECT_THAT(call("call_cudart-12", {"malloc", "attributes", "device", "last", "malloc", "last"}),
              ElementsAre("malloc: 2 not null", "attributes: 302", "device: 3 77", "last: 3",
                          "malloc: 2 not null", "last: 2"));
  EXPECT_THAT(call("call_cudart-12", {"malloc", "attributes", "malloc", "last", "last"}),
              ElementsAre("malloc: 2 not null", "attributes: 302", "malloc: 2 not null", "last: 2",
                          "last: 0"))
      << "the same error once more is newer, too";
}

TEST_F(WithARuntime, TheLastErrorIsThatOfTheRealRuntimeToo) {
  machine_.wheel(cudart, "13.5");
  EXPECT_THAT(call("call_cudart-12", {"table", "peek", "last"}),
              ElementsAre("table: 801", "peek: 801", "last: 801"));
}

TEST_F(WithARuntime, MissingOptionalFunction_OnlyItsCallFails) {
  machine_.env("ANYCUDA_CUDART", fake("core_only"));
  EXPECT_THAT(call("call_cudart-12", {"attributes", "count", "malloc", "attributes", "device"}),
              ElementsAre("attributes: 302", "count: 4242 77", "malloc: 4242 not null",
                          "attributes: 302", "device: 4242 77"));
  EXPECT_EQ(count_of("anycuda:", result_.err), 1u) << result_.err;
}

TEST_F(WithARuntime, LevelWarn_ReportsEveryFailure) {
  machine_.env("ANYCUDA_CUDART", fake("core_only")).env("ANYCUDA_LOG", "warn");
  call("call_cudart-12", {"attributes", "attributes"});
  EXPECT_EQ(count_of("cudaPointerGetAttributes failed", result_.err), 2u) << result_.err;
}

}  // namespace
}  // namespace anycuda::test
