// SPDX-License-Identifier: Apache-2.0

// The process-wide guard rails of the compat library, from many threads at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"

namespace anycuda::test {
namespace {

using testing::AnyOf;

// Fake libraries as wheels of CUDA 12.9, which they report, and a fake driver of that.
class GuardRails : public testing::Test {
 protected:
  GuardRails() {
    wheel("nvidia_cuda_runtime_cu12", "12.9.79", "cuda_runtime/lib/libcudart.so.12",
          "fake_recorder");
    wheel("nvidia_cuda_nvrtc_cu12", "12.9.86", "cuda_nvrtc/lib/libnvrtc.so.12", "fake_nvrtc");
    wheel("nvidia_nvjitlink_cu12", "12.9.86", "nvjitlink/lib/libnvJitLink.so.12", "fake_nvjitlink");
    machine.put_file("venv/pyvenv.cfg", "home = /usr/bin\n");
    machine.env("VIRTUAL_ENV", (machine.root() / "venv").string());
    machine.library_path(fake("fake_cuda"));
  }

  void wheel(const std::string& distribution, const std::string& version, const std::string& file,
             const std::string& library) {
    const std::filesystem::path site = machine.site_packages();
    const std::string inside = "nvidia/" + file;
    const std::filesystem::path from = fake(library) / std::filesystem::path(file).filename();
    machine.put_copy(site / inside, from);
    const std::filesystem::path info = site / (distribution + "-" + version + ".dist-info");
    machine.put_file(info / "METADATA", "Metadata-Version: 2.1\nName: " + distribution +
                                            "\nVersion: " + version + "\n");
    machine.put_file(info / "RECORD", inside + ",,\n");
  }

  // A toolkit with the runtime's headers.
  void headers(const std::string& cuda_version) {
    machine.put_file("toolkit/include/cuda_runtime.h", "/* */\n");
    machine.put_file("toolkit/include/cuda.h", "#define CUDA_VERSION " + cuda_version + "\n");
    machine.env("CUDA_HOME", (machine.root() / "toolkit").string());
  }

  std::string run(const std::string& what) {
    const ProcessResult result = machine.run({program("guard_rails"), what}, kWatchdog);
    EXPECT_TRUE(result.ok()) << result.describe();
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  ThreadsMachine machine;
};

TEST_F(GuardRails, GiveAllThreadsTheSame) {
  for (int i = 0; i < times(100); ++i) {
    ASSERT_EQ(run("everything"),
              "cudart libcudart.so.12: 64\nnvJitLink libnvJitLink.so.12: 64\n"
              "nvrtc libnvrtc.so.12: 64\npipeline declared: 64\n")
        << "run " << i;
  }
}

// Whichever came first is accepted for all threads, and the other refused to all of them.
TEST_F(GuardRails, AcceptOneOfTwoThatDoNotGoTogether) {
  headers("13000");
  machine.env("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat");
  for (int i = 0; i < times(100); ++i) {
    ASSERT_THAT(run("conflict"), AnyOf("headers include: 32\nnvrtc mismatch: 32\n",
                                       "headers mismatch: 32\nnvrtc libnvrtc.so.12: 32\n"))
        << "run " << i;
  }
}

TEST_F(GuardRails, MayBeUsedByAConstructorAndItsThread) {
  headers("12090");
  for (int i = 0; i < times(50); ++i) {
    ASSERT_EQ(run("constructor"),
              "cudart libcudart.so.12: 64\nheaders include: 2\nnvrtc libnvrtc.so.12: 1\n"
              "pipeline declared: 1\n")
        << "run " << i;
  }
}

}  // namespace
}  // namespace anycuda::test
