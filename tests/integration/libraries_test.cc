// SPDX-License-Identifier: Apache-2.0

// Where the other libraries come from: NVRTC, nvJitLink, and the driver, which is only in the
// system.
#include "real.h"
#include "support/this_computer.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Libraries : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact : {"nvrtc-11.8", "nvrtc-12.9", "nvrtc-13.5", "nvjitlink-12.9",
                                 "nvjitlink-13.5", "driver-535", "driver-550"}) {
      REQUIRE_ARTIFACT(artifact);
    }
    REQUIRE_PROGRAM(patched("call_cuda"));
  }
  Machine machine_;
};

TEST_F(Libraries, TheNewestNvrtcOfThePythonPackagesIsUsed) {
  machine_.wheel(nvrtc, "11.8").wheel(nvrtc, "13.5").wheel(nvrtc, "12.9");
  EXPECT_THAT(answers(machine_.run({patched("call_nvrtc-12"), "version"})),
              ElementsAre("version: 0 13.5"));
}

TEST_F(Libraries, NvrtcOfAToolkitIsUsed) {
  machine_.toolkit(nvrtc, "11.8");
  EXPECT_THAT(answers(machine_.run({patched("call_nvrtc-13"), "version"})),
              ElementsAre("version: 0 11.8"));
}

TEST_F(Libraries, NvJitLinkOfThePythonPackagesIsUsed) {
  machine_.wheel(nvjitlink, "12.9");
  EXPECT_THAT(answers(machine_.run({patched("call_nvjitlink-12"), "create"})),
              ElementsAre("create: 0 not null"));
}

TEST_F(Libraries, TheDriverOfTheSystemIsUsed) {
  machine_.driver_out_of_reach(550);
  const ProcessResult result = machine_.run({patched("call_cuda"), "version", "loaded:libcuda.so"});
  EXPECT_THAT(answers(result),
              ElementsAre("version: 0 12040",
                          HasSubstr((machine_.system_libraries() / "libcuda.so.").string())));
}

TEST_F(Libraries, TheDriverOfTheLibraryPathWinsOverTheSystems) {
  machine_.driver_out_of_reach(550);
  machine_.library_path(Artifacts::of_this_build().folder("driver-535"));
  EXPECT_THAT(answers(machine_.run({patched("call_cuda"), "version"})),
              ElementsAre("version: 0 12020"));
}

TEST_F(Libraries, TheVariablesDriverWinsOverAll) {
  machine_.driver(550);
  machine_.env("ANYCUDA_CUDA", Artifacts::of_this_build().folder("driver-535") / "libcuda.so.1");
  EXPECT_THAT(answers(machine_.run({patched("call_cuda"), "version"})),
              ElementsAre("version: 0 12020"));
}

TEST_F(Libraries, TheDriverThatIsLoadedIsAdopted) {
  machine_.driver_out_of_reach(550);
  const std::string loaded = Artifacts::of_this_build().folder("driver-535") / "libcuda.so.1";
  EXPECT_THAT(answers(machine_.run({patched("call_cuda"), "open:" + loaded, "version"})),
              ElementsAre("open: yes", "version: 0 12020"));
}

// The number in a driver's file name is that of the kernel's module it belongs to, and says nothing
// about which of two files is the right one.
TEST_F(Libraries, ADriversFileThatIsLeftOverIsNotTaken) {
  machine_.driver_out_of_reach(535);
  const Path other = Artifacts::of_this_build().folder("driver-550") / "libcuda.so.1";
  machine_.put_copy(machine_.system_libraries() / "libcuda.so.550.163.01", other);
  EXPECT_THAT(answers(machine_.run({patched("call_cuda"), "version"})),
              ElementsAre("version: 0 12020"));
  machine_.remove(machine_.system_libraries() / "libcuda.so.1");
  EXPECT_THAT(answers(machine_.run({patched("call_cuda"), "init", "loaded:libcuda.so"})),
              ElementsAre("init: 100", "loaded: none"));
}

TEST_F(Libraries, TheDriverOfWslIsTakenBeforeTheDistributions) {
  machine_.driver_out_of_reach(550);
  machine_.put_copy("usr/lib/wsl/lib/libcuda.so.1",
                    Artifacts::of_this_build().folder("driver-535") / "libcuda.so.1");
  EXPECT_THAT(answers(machine_.run({patched("call_cuda"), "version"})),
              ElementsAre("version: 0 12020"));
}

// Where ld.so.cache does not name it: what hosts, distributions and packages do.
TEST_F(Libraries, TheDriverIsFoundWhereverItIsKept) {
#if defined(__x86_64__)
  const std::string multiarch = "usr/lib/x86_64-linux-gnu";
#else
  const std::string multiarch = "usr/lib/aarch64-linux-gnu";
#endif
  for (const std::string& folder :
       {std::string("usr/lib/wsl/lib"), std::string(".singularity.d/libs"),
        std::string("usr/local/nvidia/lib64"), std::string("usr/local/nvidia/lib"),
        std::string("run/opengl-driver/lib"), multiarch, std::string("usr/lib64"),
        std::string("usr/lib"), multiarch + "/nvidia/current",
        std::string("usr/lib/nvidia/current"), multiarch + "/tegra", multiarch + "/nvidia",
        "run/nvidia/driver/" + multiarch, std::string("run/nvidia/driver/usr/lib64"),
        std::string("usr/local/cuda/compat")}) {
    Machine machine;
    machine.put_copy(Path(folder) / "libcuda.so.1",
                     Artifacts::of_this_build().folder("driver-550") / "libcuda.so.1");
    const ProcessResult result = machine.run({patched("call_cuda"), "version", "loaded:libcuda"});
    EXPECT_EQ(answer(result, "loaded"), (machine.root() / folder / "libcuda.so.1").string())
        << folder << result.describe();
  }
}

// The runtime's stub queries the driver's CUDA, and reports a failure.
TEST_F(Libraries, InvalidNamedFile_IsReportedInOneLine) {
  REQUIRE_ARTIFACT("cudart-13.5");
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  machine_.on_library_path(cudart, "13.5");
  machine_.put_file("opt/libcuda.so.1", "not a library");
  const std::vector<std::string> command = {patched("call_cudart-12"), "runtime", "peek"};
  EXPECT_EQ(machine_.run(command).err, "");
  for (const Path& file : {machine_.root() / "opt/libcuda.so.1", machine_.root() / "opt/missing.so",
                           library_of(nvrtc, "12.9")}) {
    machine_.env("ANYCUDA_CUDA", file);
    const ProcessResult result = machine_.run(command);
    EXPECT_THAT(answer(result, "runtime"), HasSubstr("0 13050")) << "as without a driver";
    EXPECT_THAT(result.err, HasSubstr("ANYCUDA_CUDA=" + file.string()));
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

// A toolkit has a libcuda.so to link with, which is not a driver; and pip installs no driver.
TEST_F(Libraries, DriverIsNotSearchedInToolkitsAndPackages) {
  const Path driver = Artifacts::of_this_build().folder("driver-535") / "libcuda.so.1";
  for (const char* place :
       {"usr/local/cuda/lib64", "usr/local/cuda/lib64/stubs", "opt/cuda/lib64", "conda/lib",
        "venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib"}) {
    machine_.put_copy(Path(place) / "libcuda.so.1", driver);
  }
  machine_.env("CUDA_HOME", machine_.root() / "opt/cuda")
      .env("CONDA_PREFIX", machine_.root() / "conda");
  machine_.env("VIRTUAL_ENV", machine_.root() / "venv");
  EXPECT_THAT(answers(machine_.run({patched("call_cuda"), "init", "loaded:libcuda"})),
              ElementsAre("init: 100", "loaded: none"));
}

TEST_F(Libraries, ARealDriverWithoutADeviceAnswersForItself) {
  machine_.driver(535);
  const ProcessResult result = machine_.run({patched("call_cuda"), "init", "version", "count"});
  EXPECT_EQ(answer(result, "init"), running_driver().empty() ? "100" : "803");
  EXPECT_EQ(answer(result, "version"), "0 12020");
  EXPECT_EQ(answer(result, "count"), "3 77") << "the driver's own answer, which leaves the output";
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace anycuda::test
