// SPDX-License-Identifier: Apache-2.0

// cudaInitDevice for callers of 12 and 13 on the runtime of 11.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

class InitDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    state = {};
    fake(
        "cudaGetDeviceCount", +[](int* count) {
          *count = 2;
          return state.runtime_status;
        });
    fake_driver(
        "cuDevicePrimaryCtxGetState", +[](int, unsigned* flags, int* active) {
          *flags = 0;
          *active = state.active;
          return 0U;
        });
    fake_driver(
        "cuDevicePrimaryCtxRetain", +[](opaque::CUctx_st** context, int device) {
          *context = nullptr;
          state.retained_device = device;
          ++state.retains;
          return state.driver_status;
        });
    fake_driver(
        "cuDevicePrimaryCtxSetFlags_v2", +[](int device, unsigned flags) {
          state.flagged_device = device;
          state.flags = flags;
          return 0U;
        });
  }
  struct State {
    unsigned runtime_status = 0;
    unsigned driver_status = 0;
    int active = 0;
    int retains = 0;
    int retained_device = -1;
    int flagged_device = -1;
    unsigned flags = 0;
  };
  static State state;
};
InitDevice::State InitDevice::state;

TEST_F(InitDevice, TheContextIsMadeAndKept) {
  EXPECT_EQ(adapt_init_device(1, 0xffff, 0), 0U);  // flags not said to be valid are not looked at
  EXPECT_EQ(state.retains, 1);
  EXPECT_EQ(state.retained_device, 1);
  EXPECT_EQ(state.flagged_device, -1);
}

TEST_F(InitDevice, AContextThatIsThereIsNotTakenAgain) {
  state.active = 1;
  EXPECT_EQ(adapt_init_device(1, 0, 0), 0U);
  EXPECT_EQ(state.retains, 0);
}

TEST_F(InitDevice, ValidFlagsAreSetWithoutMapHost) {
  EXPECT_EQ(adapt_init_device(1, 4 | 8 | 16, 1), 0U);
  EXPECT_EQ(state.flagged_device, 1);
  EXPECT_EQ(state.flags, 4U | 16U);
}

TEST_F(InitDevice, UndefinedFlagsAreInvalid) {
  for (const unsigned flags : {0x100U, 0x80000000U, 3U, 5U, 6U, 7U}) {
    reset();
    SetUp();
    EXPECT_EQ(adapt_init_device(0, flags, 1), 1U) << flags;
    EXPECT_EQ(remembered(), 1U);
    EXPECT_EQ(state.flagged_device, -1);
  }
}

TEST_F(InitDevice, ADeviceThatIsNotThereIsInvalid) {
  for (const int device : {-1, 2, 4096}) {
    EXPECT_EQ(adapt_init_device(device, 0, 0), 101U) << device;
    EXPECT_EQ(remembered(), 101U);
  }
  EXPECT_EQ(state.retains, 0);
}

TEST_F(InitDevice, DriverAndDeviceErrorsAreReturned) {
  state.driver_status = 46;
  EXPECT_EQ(adapt_init_device(0, 0, 1), 46U);
  EXPECT_EQ(remembered(), 46U);
  EXPECT_EQ(state.flagged_device, -1);
  reset();
  SetUp();
  state.runtime_status = 35;
  EXPECT_EQ(adapt_init_device(0, 0, 0), 35U);
  EXPECT_EQ(state.retains, 0);
}

}  // namespace
}  // namespace anycuda
