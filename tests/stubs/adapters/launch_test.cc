// SPDX-License-Identifier: Apache-2.0

// Kernel launches of objects that nvcc 12 and later built, on the runtime of 11.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

class Launch : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    launched = {};
  }
  struct Launched {
    const void* function;
    unsigned grid;
    unsigned block;
    std::size_t shared;
    void** arguments;
    v11::cudaStream_t stream;
    bool per_thread;
  };
  static Launched launched;
  template <bool per_thread>
  static unsigned launch(const void* function, v11::dim3 grid, v11::dim3 block, void** arguments,
                         std::size_t shared, v11::cudaStream_t stream) {
    launched = {function, grid.x, block.x, shared, arguments, stream, per_thread};
    return 0;
  }
};
Launch::Launched Launch::launched;

int host_function;

TEST_F(Launch, KernelHandleIsItsHostFunction) {
  fake("cudaLaunchKernel", launch<false>);
  Guarded<void*> handle;
  ASSERT_EQ(adapt_get_kernel(handle.get(), &host_function), 0U);
  EXPECT_TRUE(handle.intact());
  void* arguments[] = {nullptr};
  EXPECT_EQ(adapt_launch_kernel(*handle, {7, 1, 1}, {32, 1, 1}, arguments, 48, nullptr), 0U);
  EXPECT_EQ(launched.function, &host_function);
  EXPECT_EQ(launched.grid, 7U);
  EXPECT_EQ(launched.block, 32U);
  EXPECT_EQ(launched.shared, 48U);
  EXPECT_EQ(launched.arguments, arguments);
  EXPECT_FALSE(launched.per_thread);
}

TEST_F(Launch, ThePerThreadFormLaunchesIntoThePerThreadStream) {
  fake("cudaLaunchKernel_ptsz", launch<true>);
  EXPECT_EQ(adapt_launch_kernel_ptsz(&host_function, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
            0U);
  EXPECT_TRUE(launched.per_thread);
}

TEST_F(Launch, NullHandleOutput_IsInvalid) {
  EXPECT_EQ(adapt_get_kernel(nullptr, &host_function), 1U);
  EXPECT_EQ(remembered(), 1U);
}

TEST_F(Launch, NullFunctionIsInvalidWithoutOutput) {
  Guarded<void*> handle;
  EXPECT_EQ(adapt_get_kernel(handle.get(), nullptr), 98U);
  EXPECT_TRUE(handle.intact());
  EXPECT_TRUE(handle.untouched());
}

TEST_F(Launch, WithoutTheRuntimesFunctionTheCallIsAbsent) {
  EXPECT_EQ(adapt_launch_kernel(&host_function, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr), 302U);
  EXPECT_EQ(refused().size(), 1U);
}

TEST_F(Launch, AKernelThatIsTheDriversIsHandedOut) {
  static int kernel;
  fake(
      "cudaGetKernel", +[](v12::cudaKernel_t* out, const void* function) {
        if (out == nullptr || function == nullptr) return out == nullptr ? 1U : 98U;
        *out = reinterpret_cast<v12::cudaKernel_t>(&kernel);
        return 0U;
      });
  Guarded<v13::cudaKernel_t> handle;
  EXPECT_EQ(adapt_get_kernel_of_driver(handle.get(), nullptr), 98U);
  EXPECT_TRUE(handle.untouched());
  EXPECT_EQ(adapt_get_kernel_of_driver(nullptr, &host_function), 1U);
  EXPECT_EQ(adapt_get_kernel_of_driver(handle.get(), &host_function), 0U);
  EXPECT_EQ(*handle, reinterpret_cast<v13::cudaKernel_t>(&kernel));
  EXPECT_TRUE(handle.intact());
}

TEST_F(Launch, AHostFunctionIsNotHandedOutAsAKernel) {
  fake(
      "cudaGetKernel", +[](v12::cudaKernel_t* out, const void* function) {
        *out = static_cast<v12::cudaKernel_t>(const_cast<void*>(function));
        return 0U;
      });
  Guarded<v13::cudaKernel_t> handle;
  EXPECT_EQ(adapt_get_kernel_of_driver(handle.get(), &host_function), 801U);
  EXPECT_EQ(remembered(), 801U);
  EXPECT_THAT(refused(), ElementsAre("cudaGetKernel: the runtime (before 12.8) returns the host "
                                     "function, which the driver does not accept as a kernel"));
  EXPECT_TRUE(handle.untouched());
}

}  // namespace
}  // namespace anycuda
