// SPDX-License-Identifier: Apache-2.0

// Kernels that the driver cannot load: the runtime's stub reports them at the level warn. Objects
// of real compilers, real drivers.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class DeviceCode : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact : {"cudart-12.9", "driver-535", "driver-550"}) {
      REQUIRE_ARTIFACT(artifact);
    }
    for (const char* release : {"11.8", "12.4", "13.0", "13.0-sm_100"}) {
      REQUIRE_PROGRAM(kernels(release));
    }
  }
  // What a program with these objects writes, with that driver.
  std::string messages(const std::vector<std::string>& releases, int driver,
                       const std::string& level = "warn") {
    Machine machine;
    machine.wheel(cudart, "12.9").env("ANYCUDA_LOG", level);
    if (driver != 0) machine.driver(driver);
    std::vector<std::string> steps = {native("host")};
    for (const std::string& release : releases) {
      steps.push_back("import:" + kernels(release).string());
    }
    steps.emplace_back("call:device_count");
    return machine.run(steps).err;
  }
};

constexpr char kNone[] = "loads no code from one of this file's fat binaries";

TEST_F(DeviceCode, OfANewerMajorThanTheDriversIsNamed) {
  const std::string text = messages({"13.0"}, 535);
  EXPECT_THAT(text, ContainsRegex(
                        "anycuda: cudart: .*/kernels-13.0.so: the driver "
                        ".*/libcuda.so.1, of CUDA 12.2, loads no code from one of this file's fat "
                        "binaries \\(sm_80, PTX 9.0 for compute_80\\), which needs a driver of "
                        "CUDA 13.0 or later; update the driver, or build the device "
                        "code with CUDA 12.2 or older\n"));
}

TEST_F(DeviceCode, NewerMajorForAKnownGpu_ShowsByItsPtx) {
  EXPECT_THAT(messages({"13.0-sm_100"}, 550),
              HasSubstr("(sm_100, PTX 9.0 for compute_100), which needs a driver of CUDA 13.0"));
}

TEST_F(DeviceCode, InConcatenatedEntriesIsNamed) {
  REQUIRE_PROGRAM(kernels("concatenated"));
  EXPECT_THAT(
      messages({"concatenated"}, 550),
      ContainsRegex("loads no code from one of this file's fat binaries "
                    "\\(PTX 9.5 for compute_80, PTX 9.5 for compute_90a, sm_80, sm_90, sm_90a, "
                    "sm_100f, sm_120a\\), which needs a driver of CUDA 13.1 or later"));
}

TEST_F(DeviceCode, OfTheDriversMajorIsLoaded) {
  EXPECT_THAT(messages({"12.4"}, 535), Not(HasSubstr(kNone))) << "the cubin, not the PTX";
  EXPECT_THAT(messages({"11.8"}, 535), Not(HasSubstr(kNone)));
}

TEST_F(DeviceCode, OfEachObjectIsNamedOnce) {
  const std::string text = messages({"12.4", "13.0", "11.8"}, 550);
  const std::size_t first = text.find(kNone);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find(kNone, first + 1), std::string::npos) << text;
}

TEST_F(DeviceCode, WithoutDriverOrBelowLevelWarn_IsNotRead) {
  EXPECT_THAT(messages({"13.0"}, 0), Not(HasSubstr(kNone)));
  EXPECT_THAT(messages({"13.0"}, 535, "error"), Not(HasSubstr(kNone)));
}

}  // namespace
}  // namespace anycuda::test
