// SPDX-License-Identifier: Apache-2.0

// Cooperative launches over several devices, on the runtime of 13, which dropped them.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

int kernel_of_host;
int handles[8];
const auto kernel = reinterpret_cast<v13::cudaKernel_t>(&handles[0]);

template <typename Handle>
Handle handle(int i) {
  return reinterpret_cast<Handle>(&handles[i]);
}

class MultiDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    devices = 3;
    stack.clear();
    launched.clear();
    flags = 0;
    answers = {};
    fake(
        "cudaFree", +[](void*) { return 0U; });
    fake(
        "cudaGetDeviceCount", +[](int* count) {
          if (answers.count == 0) *count = devices;
          return answers.count;
        });
    fake(
        "cudaGetKernel", +[](v13::cudaKernel_t* out, const void* function) {
          EXPECT_EQ(function, &kernel_of_host);
          *out = kernel;
          return answers.kernel;
        });
    // Stream i is of context i, and has function i.
    fake_driver(
        "cuStreamGetCtx", +[](driver::CUstream stream, driver::CUcontext* out) {
          *out = reinterpret_cast<driver::CUcontext>(stream);
          return answers.context;
        });
    fake_driver(
        "cuCtxPushCurrent_v2", +[](driver::CUcontext context) {
          if (answers.push == 0) stack.push_back(context);
          return answers.push;
        });
    fake_driver(
        "cuCtxPopCurrent_v2", +[](driver::CUcontext* out) {
          *out = stack.back();
          stack.pop_back();
          return 0U;
        });
    fake_driver(
        "cuKernelGetFunction", +[](driver::CUfunction* out, driver::CUkernel which) {
          EXPECT_EQ(which, kernel);
          *out = reinterpret_cast<driver::CUfunction>(stack.back());
          return answers.function;
        });
    fake_driver(
        "cuLaunchCooperativeKernelMultiDevice",
        +[](driver::CUDA_LAUNCH_PARAMS_st* list, unsigned count, unsigned given) {
          launched.assign(list, list + count);
          flags = given;
          return answers.launch;
        });
  }
  static v12::cudaLaunchParams of(int i) {
    const auto number = static_cast<unsigned>(i);
    return {&kernel_of_host,   {number + 10, 20, 30},    {number + 40, 50, 60},
            handle<void**>(i), std::size_t{number} + 70, handle<v12::cudaStream_t>(i)};
  }
  struct Answers {
    unsigned count = 0;
    unsigned kernel = 0;
    unsigned context = 0;
    unsigned push = 0;
    unsigned function = 0;
    unsigned launch = 0;
  };
  static Answers answers;
  static int devices;
  static std::vector<driver::CUcontext> stack;
  static std::vector<driver::CUDA_LAUNCH_PARAMS_st> launched;
  static unsigned flags;
  v12::cudaLaunchParams list[3] = {of(1), of(2), of(3)};
};
MultiDevice::Answers MultiDevice::answers;
int MultiDevice::devices;
std::vector<driver::CUcontext> MultiDevice::stack;
std::vector<driver::CUDA_LAUNCH_PARAMS_st> MultiDevice::launched;
unsigned MultiDevice::flags;

TEST_F(MultiDevice, EachLaunchIsOfTheFunctionOfItsStreamsContext) {
  EXPECT_EQ(adapt_launch_cooperative_multi_device(list, 3, 2), 0U);
  ASSERT_EQ(launched.size(), 3U);
  EXPECT_EQ(flags, 2U);
  for (int i = 0; i < 3; ++i) {
    const auto& one = launched[static_cast<std::size_t>(i)];
    const auto number = static_cast<unsigned>(i + 1);
    EXPECT_EQ(one.function, handle<driver::CUfunction>(i + 1));
    EXPECT_EQ(one.hStream, handle<driver::CUstream>(i + 1));
    EXPECT_EQ(one.kernelParams, handle<void**>(i + 1));
    EXPECT_EQ(one.gridDimX, number + 10);
    EXPECT_EQ(one.gridDimY, 20U);
    EXPECT_EQ(one.gridDimZ, 30U);
    EXPECT_EQ(one.blockDimX, number + 40);
    EXPECT_EQ(one.blockDimY, 50U);
    EXPECT_EQ(one.blockDimZ, 60U);
    EXPECT_EQ(one.sharedMemBytes, number + 70);
  }
  EXPECT_TRUE(stack.empty());
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(MultiDevice, ForbiddenBy12_IsAnInvalidValue) {
  const auto invalid = [&](unsigned status) {
    EXPECT_EQ(status, 1U);
    EXPECT_EQ(remembered(), 1U);
    EXPECT_TRUE(launched.empty());
    EXPECT_TRUE(stack.empty());
  };
  invalid(adapt_launch_cooperative_multi_device(nullptr, 1, 0));
  invalid(adapt_launch_cooperative_multi_device(list, 0, 0));
  invalid(adapt_launch_cooperative_multi_device(list, UINT32_MAX, 0));
  devices = 2;
  invalid(adapt_launch_cooperative_multi_device(list, 3, 0));
  devices = 3;
  list[2].func = &handles[7];
  invalid(adapt_launch_cooperative_multi_device(list, 3, 0));
}

TEST_F(MultiDevice, EveryErrorIsReturnedAndNoContextStays) {
  const auto fails = [&](unsigned Answers::*what) {
    answers = {};
    answers.*what = 719;
    EXPECT_EQ(adapt_launch_cooperative_multi_device(list, 3, 0), 719U);
    EXPECT_TRUE(stack.empty());
  };
  fails(&Answers::count);
  fails(&Answers::kernel);
  EXPECT_EQ(remembered(), 0U);  // those two were the runtime's: it remembers its own
  fails(&Answers::context);
  EXPECT_EQ(remembered(), 719U);
  fails(&Answers::push);
  fails(&Answers::function);
  EXPECT_TRUE(launched.empty());
  fails(&Answers::launch);
}

TEST_F(MultiDevice, ErrnoIsTheCallers) {
  errno = 4711;
  EXPECT_EQ(adapt_launch_cooperative_multi_device(list, 3, 0), 0U);
  EXPECT_EQ(errno, 4711);
}

TEST_F(MultiDevice, WithoutTheDriversFunctionTheCallIsAbsent) {
  fake_address("cuLaunchCooperativeKernelMultiDevice", nullptr);
  EXPECT_EQ(adapt_launch_cooperative_multi_device(list, 1, 0), 302U);
}

}  // namespace
}  // namespace anycuda
