// SPDX-License-Identifier: Apache-2.0

// Host functions in a stream, with a sync mode for their thread: 13.2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

int data;
const auto stream = reinterpret_cast<v13::cudaStream_t>(&data);
void host_function(void*) {}

class LaunchHost : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    launched = nullptr;
    answer = 0;
    fake(
        "cudaFree", +[](void*) { return 0U; });
    fake("cudaLaunchHostFunc", launch<0>);
    fake("cudaLaunchHostFunc_ptsz", launch<1>);
  }
  template <int which>
  static unsigned launch(v11::cudaStream_t in, v11::cudaHostFn_t function, void* argument) {
    constexpr const char* kNames[] = {"runtime", "runtime_ptsz", "driver", "driver_ptsz"};
    EXPECT_EQ(in, stream);
    EXPECT_EQ(function, host_function);
    EXPECT_EQ(argument, &data);
    launched = kNames[which];
    return answer;
  }
  template <int which>
  static unsigned launch_with_mode(driver::CUstream in, driver::CUhostFn function, void* argument,
                                   unsigned given) {
    mode = given;
    return launch<which>(in, function, argument);
  }
  static const char* launched;
  static unsigned mode;
  static unsigned answer;
};
const char* LaunchHost::launched;
unsigned LaunchHost::mode;
unsigned LaunchHost::answer;

TEST_F(LaunchHost, NewDriver_GetsTheSyncMode) {
  fake_driver("cuLaunchHostFunc_v2", launch_with_mode<2>);
  fake_driver("cuLaunchHostFunc_v2_ptsz", launch_with_mode<3>);
  EXPECT_EQ(adapt_launch_host_func_v2(stream, host_function, &data, 1), 0U);
  EXPECT_STREQ(launched, "driver");
  EXPECT_EQ(mode, 1U);
  answer = 1;
  EXPECT_EQ(adapt_launch_host_func_v2_ptsz(stream, host_function, &data, 77), 1U);
  EXPECT_STREQ(launched, "driver_ptsz");
  EXPECT_EQ(mode, 77U);
  EXPECT_EQ(remembered(), 1U);
}

TEST_F(LaunchHost, OlderDriver_BlockingSyncIsAccepted) {
  EXPECT_EQ(adapt_launch_host_func_v2(stream, host_function, &data, 0), 0U);
  EXPECT_STREQ(launched, "runtime");
  EXPECT_EQ(adapt_launch_host_func_v2_ptsz(stream, host_function, &data, 0), 0U);
  EXPECT_STREQ(launched, "runtime_ptsz");
  answer = 400;
  EXPECT_EQ(adapt_launch_host_func_v2(stream, host_function, &data, 0), 400U);
}

TEST_F(LaunchHost, SpinningIsRefusedByAnOlderDriver) {
  EXPECT_EQ(adapt_launch_host_func_v2(stream, host_function, &data, 1), 801U);
  EXPECT_EQ(remembered(), 801U);
  EXPECT_THAT(
      refused(),
      ElementsAre(
          "cudaLaunchHostFunc_v2: cudaHostTaskSpinWait needs a driver of CUDA 13.2 or later"));
  EXPECT_EQ(adapt_launch_host_func_v2(stream, host_function, &data, 2), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(launched, nullptr);
}

}  // namespace
}  // namespace anycuda
