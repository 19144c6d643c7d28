// SPDX-License-Identifier: Apache-2.0

// cudaSetDevice and cudaRuntimeGetVersion on 11, as callers of 12 and 13 expect them.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda::test {
namespace {

int made;         // contexts
int active;       // is the device's context made?
bool is_current;  // is there a current context?
Status set_status, free_status;

class SetDevice : public testing::Test {
 protected:
  SetDevice() {
    reset();
    made = 0, active = 0, is_current = true, set_status = 0, free_status = 0;
    fake(
        "cudaSetDevice", +[](int) { return set_status; });
    fake(
        "cudaFree", +[](void*) {
          ++made;
          return free_status;
        });
    fake_driver(
        "cuCtxGetCurrent", +[](void** context) {
          *context = is_current ? &made : nullptr;
          return 0U;
        });
    fake_driver(
        "cuDevicePrimaryCtxGetState", +[](int device, unsigned* flags, int* state) {
          *flags = 0;
          *state = device == 3 ? active : 0;
          return 0U;
        });
  }
};

TEST_F(SetDevice, MakesTheContext) {
  EXPECT_EQ(adapt_set_device_on_11(3), 0u);
  EXPECT_EQ(made, 1);
}

TEST_F(SetDevice, LeavesAContextThatIsMade) {
  active = 1;
  EXPECT_EQ(adapt_set_device_on_11(3), 0u);
  EXPECT_EQ(made, 0) << "cudaFree would end a capture";
  EXPECT_EQ(adapt_set_device_on_11(2), 0u);
  EXPECT_EQ(made, 1);
}

TEST_F(SetDevice, MakesTheContextCurrent) {
  active = 1, is_current = false;
  EXPECT_EQ(adapt_set_device_on_11(3), 0u);
  EXPECT_EQ(made, 1);
}

TEST_F(SetDevice, FailsAsTheRuntimeDoes) {
  set_status = 101;
  EXPECT_EQ(adapt_set_device_on_11(9), 101u);
  EXPECT_EQ(made, 0);
  set_status = 0, free_status = 46;
  EXPECT_EQ(adapt_set_device_on_11(3), 46u) << "the context cannot be made";
  EXPECT_EQ(remembered(), 0u) << "the runtime remembers its own errors";
}

Status version_status;

class RuntimeVersion : public testing::Test {
 protected:
  RuntimeVersion() {
    reset();
    version_status = 0;
    fake(
        "cudaRuntimeGetVersion", +[](int* version) {
          if (version_status != 0) {
            set_library_error(version_status);
          } else if (version != nullptr) {
            *version = 11070;
          }
          return version_status;
        });
  }
  int version = 77;
};

TEST_F(RuntimeVersion, IsTheRuntimesOwn) {
  EXPECT_EQ(adapt_runtime_version_on_11(&version), 0u);
  EXPECT_EQ(version, 11070);
}

TEST_F(RuntimeVersion, IsKnownWithoutADriver) {
  version_status = 35;
  EXPECT_EQ(adapt_runtime_version_on_11(&version), 0u);
  EXPECT_EQ(version, 11080);
  EXPECT_EQ(library_error(), 0u) << "no error is left behind";
  EXPECT_EQ(remembered(), 0u);
}

TEST_F(RuntimeVersion, NullOutput_IsInvalid) {
  version_status = 35;
  EXPECT_EQ(adapt_runtime_version_on_11(nullptr), 1u);
}

}  // namespace
}  // namespace anycuda::test
