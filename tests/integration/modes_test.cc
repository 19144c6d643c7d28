// SPDX-License-Identifier: Apache-2.0

// ANYCUDA_COMPAT and ANYCUDA_DRIVER_COMPAT on real runtimes and drivers: what is refused in which
// mode, by which name that tells a version, and the message.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Modes : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact :
         {"cudart-11.8", "cudart-12.2", "cudart-12.9", "cudart-13.5", "driver-535", "driver-550"}) {
      REQUIRE_ARTIFACT(artifact);
    }
    REQUIRE_PROGRAM(patched("call_cudart-12"));
  }
  // The runtime that serves a program; "none" without one.
  std::string runtime(const std::string& major = "12") {
    result_ = machine_.run({patched("call_cudart-" + major), "peek", "loaded:libcudart"});
    const std::string path = answer(result_, "loaded");
    return path.substr(0, machine_.root().string().size()) == machine_.root()
               ? path.substr(machine_.root().string().size() + 1)
               : path;
  }
  void header(const Path& root, const std::string& number) {
    machine_.put_file(root / "include/cuda.h", "#define CUDA_VERSION " + number + "\n");
  }
  // Without the dotted number in the file's name.
  void put_only_soname(const std::string& version, const Path& folder) {
    machine_.put_copy(folder / "libcudart.so.12", library_of(cudart, version));
  }
  Machine machine_;
  ProcessResult result_;
};

constexpr char kWheel11[] =
    "venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/libcudart.so.11.0";
constexpr char kWheel12[] =
    "venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12";
constexpr char kWheel13[] = "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcudart.so.13";

// The driver of 535 supports 12.2, and each later minor of CUDA 12.
TEST_F(Modes, Strict_TakesVersionsThatNamesTell) {
  machine_.wheel(cudart, "11.8").wheel(cudart, "12.9").driver(535);
  machine_.env("ANYCUDA_COMPAT", "strict").env("ANYCUDA_LOG", "debug");
  EXPECT_EQ(runtime(), kWheel12);
  EXPECT_THAT(result_.err, ContainsRegex("candidate .*libcudart.so.12 \\(CUDA 12.9, says wheel "
                                         "nvidia-cuda-runtime-cu12 12.9.[0-9]+\\): acceptable"));
  EXPECT_THAT(result_.err, Not(HasSubstr("nvml")));
}

TEST_F(Modes, Strict_RuntimeOfUnknownVersion_IsRefused) {
  put_only_soname("12.2", "usr/lib/x86_64-linux-gnu");
  machine_.driver(535);
  EXPECT_EQ(runtime(), "usr/lib/x86_64-linux-gnu/libcudart.so.12");
  machine_.env("ANYCUDA_COMPAT", "strict");
  EXPECT_EQ(runtime(), "none");
  EXPECT_THAT(result_.err, ContainsRegex("libcudart.so.12 \\(CUDA 12[^)]*\\): its exact CUDA 12 "
                                         "version is unknown \\(.*\\); ANYCUDA_COMPAT=strict"));
  EXPECT_THAT(result_.err, AllOf(HasSubstr("what to do: set ANYCUDA_STUB_COMPAT=best_effort"),
                                 HasSubstr("a CUDA runtime of CUDA 12.2 or older")));
  EXPECT_THAT(answers(machine_.run({patched("call_cudart-12"), "count", "loaded:libcudart"})),
              ElementsAre("count: 35 0", "loaded: none"));
}

TEST_F(Modes, Strict_HeaderBesideTheLibraryTellsItsVersion) {
  put_only_soname("12.9", "opt/lib");
  machine_.library_path("opt/lib").driver(535).env("ANYCUDA_COMPAT", "strict");
  EXPECT_EQ(runtime(), "none");
  header("opt", "12090");
  EXPECT_EQ(runtime(), "opt/lib/libcudart.so.12");
}

TEST_F(Modes, Strict_MajorDecides_NoVersionIsNeeded) {
  machine_.distribution(cudart, "11.8").driver(535).env("ANYCUDA_COMPAT", "strict");
  EXPECT_EQ(runtime("11"), "usr/lib/x86_64-linux-gnu/libcudart.so.11.0");
}

TEST_F(Modes, StrictWithoutADriverRefusesNothing) {
  machine_.distribution(cudart, "13.5").env("ANYCUDA_COMPAT", "strict");
  EXPECT_EQ(runtime(), "usr/lib/x86_64-linux-gnu/libcudart.so.13");
}

// It is not taken for a machine without a driver.
TEST_F(Modes, Strict_FailingDriver_RuntimeIsRefused) {
  machine_.wheel(cudart, "12.9");
  machine_.put_copy("usr/lib/x86_64-linux-gnu/libcuda.so.1", fake("driver"));
  machine_.env("ANYCUDA_LOG", "warn");
  for (const char* answer :
       {"3 12020", "35 0", "100 0", "803 0", "804 0", "999 0", "-1 0", "0 0"}) {
    machine_.env("TEST_DRIVER", answer);
    machine_.env("ANYCUDA_COMPAT", "strict");
    EXPECT_EQ(runtime(), "none") << answer;
    EXPECT_THAT(result_.err, HasSubstr("what to do: repair the driver")) << answer;
    machine_.env("ANYCUDA_COMPAT", "best_effort");
    EXPECT_EQ(runtime(), kWheel12) << answer;
    EXPECT_THAT(result_.err, HasSubstr("does not report which CUDA it supports")) << answer;
    machine_.env("ANYCUDA_COMPAT", "off");
    EXPECT_EQ(runtime(), kWheel12) << answer;
    EXPECT_THAT(result_.err, Not(HasSubstr("driver")));
  }
}

// NVIDIA's libcuda.so.1 for linking in front of the driver, as a toolkit's folder in
// LD_LIBRARY_PATH has it: 13.5 would be taken without the driver.
TEST_F(Modes, LinkStubBeforeTheDriverIsPassedOver) {
  machine_.wheel(cudart, "12.9").wheel(cudart, "13.5").driver_out_of_reach(535);
  machine_.put_copy("cuda/lib64/stubs/libcuda.so", fake("driver"));
  machine_.put_link("cuda/lib64/stubs/libcuda.so.1", "libcuda.so");
  machine_.env("TEST_DRIVER", "34 0").library_path("cuda/lib64/stubs");
  EXPECT_EQ(runtime(), kWheel12);
  machine_.env("ANYCUDA_LOG", "info");
  EXPECT_EQ(runtime(), kWheel12);
  EXPECT_THAT(result_.err, HasSubstr("NVIDIA's stub for linking"));
}

TEST_F(Modes, Off_DriverIsNotQueried) {
  machine_.wheel(cudart, "12.9").wheel(cudart, "13.5").driver(535);
  machine_.env("ANYCUDA_COMPAT", "off").env("ANYCUDA_LOG", "debug");
  EXPECT_EQ(runtime(), kWheel13);
  EXPECT_THAT(result_.err, Not(HasSubstr("driver:")));
}

TEST_F(Modes, OffWithReject_CallerKeepsItsMajor) {
  machine_.wheel(cudart, "12.9").wheel(cudart, "13.5").driver(535);
  machine_.env("ANYCUDA_COMPAT", "off").env("ANYCUDA_CROSS_MAJOR", "reject");
  EXPECT_EQ(runtime(), kWheel12);
}

TEST_F(Modes, BestEffortIsTheDefault) {
  machine_.wheel(cudart, "12.9").wheel(cudart, "13.5").driver(535);
  const std::string plain = runtime();
  machine_.env("ANYCUDA_COMPAT", "best_effort");
  EXPECT_EQ(runtime(), plain);
  EXPECT_EQ(plain, kWheel12);
}

TEST_F(Modes, TheStubsVariableOverrulesTheCommonOne) {
  constexpr char kUnnamed[] = "usr/lib/x86_64-linux-gnu/libcudart.so.12";
  put_only_soname("12.9", "usr/lib/x86_64-linux-gnu");
  machine_.driver(535);
  machine_.env("ANYCUDA_COMPAT", "strict").env("ANYCUDA_STUB_COMPAT", "best_effort");
  EXPECT_EQ(runtime(), kUnnamed);
  machine_.env("ANYCUDA_COMPAT", "best_effort").env("ANYCUDA_STUB_COMPAT", "strict");
  EXPECT_EQ(runtime(), "none");
  EXPECT_THAT(result_.err, AllOf(HasSubstr("; ANYCUDA_STUB_COMPAT=strict requires it"),
                                 HasSubstr("what to do: set ANYCUDA_STUB_COMPAT=best_effort")));
  machine_.env("ANYCUDA_COMPAT", "").env("ANYCUDA_STUB_COMPAT", "");
  machine_.env("ANYCUDA_API_COMPAT", "strict");
  EXPECT_EQ(runtime(), kUnnamed) << "the C++ API's variable steers no stub";
}

TEST_F(Modes, DeclaredForwardCompatibility_OlderDriverRunsANewerMajor) {
  machine_.wheel(cudart, "13.5").driver(535);
  EXPECT_EQ(runtime(), "none");
  EXPECT_THAT(result_.err, HasSubstr("ANYCUDA_DRIVER_COMPAT=assume_forward_compat"));
  machine_.env("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat");
  EXPECT_EQ(runtime(), kWheel13);
  machine_.env("ANYCUDA_COMPAT", "strict");
  EXPECT_EQ(runtime(), kWheel13);
}

TEST_F(Modes, DeclaredForwardCompatibility_RelaxesNothingElse) {
  put_only_soname("12.9", "usr/lib/x86_64-linux-gnu");
  machine_.driver(535);
  machine_.env("ANYCUDA_COMPAT", "strict").env("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat");
  EXPECT_EQ(runtime(), "none") << "its version is unknown as before";
}

// ---- names that tell a version

TEST_F(Modes, HeaderThatContradictsTheSymbolsIsIgnored) {
  put_only_soname("12.9", "opt/lib");
  machine_.library_path("opt/lib").driver(535);
  for (const std::string lie : {"11080", "12000", "13000"}) {
    header("opt", lie);
    machine_.env("ANYCUDA_COMPAT", "best_effort");
    EXPECT_EQ(runtime(), "opt/lib/libcudart.so.12") << lie;
    machine_.env("ANYCUDA_COMPAT", "strict");
    EXPECT_EQ(runtime(), "none") << lie;
  }
}

// Two toolkits in two folders of one place: their names know which is newer.
TEST_F(Modes, TwoOfOneMajor_NewerByNameIsTaken) {
  REQUIRE_ARTIFACT("cudart-12.8");
  for (const std::string version : {"12.9", "12.8"}) {
    put_only_soname(version, "usr/local/cuda-" + version + "/targets/x86_64-linux/lib");
  }
  EXPECT_THAT(runtime(), HasSubstr("cuda-12.9/"));
}

// ---- wrong values

class WrongValue : public Modes, public ::testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(WrongValue, IsAnErrorAtOnceThatNamesValuesAndDefault) {
  machine_.wheel(cudart, "12.9");
  for (const std::string mode : {"", "off"}) {  // in every mode, and of every variable
    const std::string& variable = GetParam()[0];
    if (variable != "ANYCUDA_COMPAT") machine_.env("ANYCUDA_COMPAT", mode);
    // The common variable is the default of the specific one.
    const bool inherits = variable == "ANYCUDA_STUB_COMPAT" && !mode.empty();
    const std::string unset = inherits ? mode : GetParam()[2];
    for (const std::string value : {"Reject", "on", " strict", "off,"}) {
      machine_.env(variable, value);
      const ProcessResult result =
          machine_.run({patched("call_cudart-12"), "count", "loaded:libcudart"});
      EXPECT_THAT(answers(result), ElementsAre("count: 35 0", "loaded: none"));
      EXPECT_THAT(result.err, HasSubstr("invalid " + variable + "=" + value + ": expected " +
                                        GetParam()[1] + "; default: " + unset));
      EXPECT_THAT(result.err, HasSubstr("what to do: set " + variable + " to "));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, WrongValue,
    ::testing::Values(
        std::vector<std::string>{"ANYCUDA_COMPAT", "strict, best_effort or off", "best_effort"},
        std::vector<std::string>{"ANYCUDA_STUB_COMPAT", "strict, best_effort or off",
                                 "best_effort"},
        std::vector<std::string>{"ANYCUDA_CROSS_MAJOR", "adapt or reject", "adapt"},
        std::vector<std::string>{"ANYCUDA_DRIVER_COMPAT", "assume_forward_compat", "unset"}),
    [](const auto& info) { return info.param[0]; });

}  // namespace
}  // namespace anycuda::test
