// SPDX-License-Identifier: Apache-2.0

// Names and parameters of kernels on runtimes that cannot return them, and dropped functions.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

int kernel;
opaque::CUfunc_st* const kFunction = reinterpret_cast<opaque::CUfunc_st*>(0x4000);

// A kernel with `parameters` parameters, of 4 bytes each at 8 bytes' distance.
std::size_t parameters;
unsigned parameter(std::size_t index, std::size_t* offset, std::size_t* size) {
  if (index >= parameters) return 1;
  *offset = index * 8;
  if (size != nullptr) *size = 4;
  return 0;
}

unsigned device_count_status;
class Kernels : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    parameters = 3;
    device_count_status = 0;
    fake(
        "cudaGetDeviceCount", +[](int*) { return device_count_status; });
    fake(
        "cudaGetFuncBySymbol", +[](opaque::CUfunc_st** function, const void* symbol) {
          if (symbol != &kernel) {
            set_library_error(98);
            return 98U;
          }
          *function = kFunction;
          return 0U;
        });
    fake_driver(
        "cuFuncGetName", +[](const char** name, opaque::CUfunc_st* function) {
          *name = function == kFunction ? "_Z6kernelv" : nullptr;
          return 0U;
        });
    fake_driver(
        "cuFuncGetParamInfo", +[](opaque::CUfunc_st* function, std::size_t index,
                                  std::size_t* offset, std::size_t* size) {
          EXPECT_EQ(function, kFunction);
          return parameter(index, offset, size);
        });
    fake(
        "cudaFuncGetParamInfo",
        +[](const void* function, std::size_t index, std::size_t* offset, std::size_t* size) {
          const unsigned status = function != &kernel ? 98 : parameter(index, offset, size);
          if (status != 0) set_library_error(status);
          return status;
        });
  }
};

TEST_F(Kernels, ANameComesFromTheDriver) {
  Guarded<const char*> name;
  EXPECT_EQ(adapt_func_get_name(name.get(), &kernel), 0U);
  EXPECT_STREQ(*name, "_Z6kernelv");
  EXPECT_TRUE(name.intact());
}

TEST_F(Kernels, UnknownFunction_HasNoName) {
  Guarded<const char*> name;
  EXPECT_EQ(adapt_func_get_name(name.get(), &parameters), 98U);
  EXPECT_TRUE(name.untouched());
  EXPECT_EQ(adapt_func_get_name(nullptr, &parameters), 1U);
  EXPECT_EQ(remembered(), 1U);
  device_count_status = 100;
  EXPECT_EQ(adapt_func_get_name(nullptr, &kernel), 100U);
}

TEST_F(Kernels, AParameterComesFromTheDriver) {
  Guarded<std::size_t> offset;
  Guarded<std::size_t> size;
  EXPECT_EQ(adapt_func_get_param_info(&kernel, 2, offset.get(), size.get()), 0U);
  EXPECT_EQ(*offset, 16U);
  EXPECT_EQ(*size, 4U);
  EXPECT_TRUE(offset.intact());
  EXPECT_TRUE(size.intact());
  EXPECT_EQ(adapt_func_get_param_info(&kernel, 1, offset.get(), nullptr), 0U);
  EXPECT_EQ(*offset, 8U);
}

TEST_F(Kernels, AParameterThatIsNotThereIsAnInvalidValue) {
  Guarded<std::size_t> offset;
  Guarded<std::size_t> size;
  EXPECT_EQ(adapt_func_get_param_info(&kernel, 3, offset.get(), size.get()), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(adapt_func_get_param_info(&parameters, 0, offset.get(), size.get()), 98U);
  EXPECT_TRUE(offset.untouched());
  EXPECT_TRUE(size.untouched());
}

TEST_F(Kernels, ParametersAreCountedToWhereTheyEnd) {
  for (const std::size_t count : {0, 1, 3, 4096}) {
    parameters = count;
    Guarded<std::size_t> got;
    EXPECT_EQ(adapt_func_get_param_count(&kernel, got.get()), 0U);
    EXPECT_EQ(*got, count);
    EXPECT_TRUE(got.intact());
  }
  EXPECT_EQ(remembered(), 0U);  // the caller does not see the look past the last one
  EXPECT_EQ(library_error(), 0U);
}

TEST_F(Kernels, ParametersOfAHandleAreCountedByTheRuntime) {
  fake(
      "cudaGetFuncBySymbol", +[](opaque::CUfunc_st**, const void*) {
        set_library_error(98);
        return 98U;
      });
  Guarded<std::size_t> got;
  EXPECT_EQ(adapt_func_get_param_count(&kernel, got.get()), 0U);
  EXPECT_EQ(*got, 3U);
  EXPECT_EQ(remembered(), 0U);
  EXPECT_EQ(library_error(), 0U);
}

TEST_F(Kernels, UnknownFunction_ParametersAreAnErrorWithoutOutput) {
  Guarded<std::size_t> got;
  EXPECT_EQ(adapt_func_get_param_count(&parameters, got.get()), 98U);
  EXPECT_EQ(remembered(), 98U);
  EXPECT_EQ(adapt_func_get_param_count(&kernel, nullptr), 1U);
  EXPECT_EQ(remembered(), 1U);
  reset();  // a runtime before 12.4
  fake(
      "cudaGetFuncBySymbol", +[](opaque::CUfunc_st**, const void*) { return 98U; });
  EXPECT_EQ(adapt_func_get_param_count(&kernel, got.get()), 98U);
  EXPECT_TRUE(refused().empty());
  EXPECT_TRUE(got.untouched());
}

TEST_F(Kernels, AnErrorInTheMiddleOfCountingIsTheAnswer) {
  fake_driver(
      "cuFuncGetParamInfo", +[](opaque::CUfunc_st*, std::size_t index, std::size_t*, std::size_t*) {
        return index < 2 ? 0U : 700U;
      });
  Guarded<std::size_t> got;
  EXPECT_EQ(adapt_func_get_param_count(&kernel, got.get()), 700U);
  EXPECT_EQ(remembered(), 700U);
  EXPECT_TRUE(got.untouched());
}

TEST(Dropped, DoublesAreLeftAsTheyAre) {
  reset();
  fake(
      "cudaGetDeviceCount", +[](int* count) {
        *count = 1;
        return 0U;
      });
  double value = 0.1;
  EXPECT_EQ(adapt_set_double(&value), 0U);
  EXPECT_EQ(value, 0.1);
  EXPECT_EQ(adapt_set_double(nullptr), 0U);
  fake(
      "cudaGetDeviceCount", +[](int*) { return 100U; });
  EXPECT_EQ(adapt_set_double(&value), 100U);
}

int free_calls;
TEST(Dropped, TheProfilerIsTheDrivers) {
  reset();
  free_calls = 0;
  fake(
      "cudaFree", +[](void*) {
        ++free_calls;
        return 0U;
      });
  fake_driver(
      "cuProfilerInitialize", +[](const char* configuration, const char* output, unsigned mode) {
        if (free_calls == 0) return 3U;  // not before the runtime has a context
        EXPECT_STREQ(configuration, "in");
        EXPECT_STREQ(output, "out");
        EXPECT_EQ(mode, 1U);
        return 801U;
      });
  EXPECT_EQ(adapt_profiler_initialize("in", "out", 1), 801U);
  EXPECT_EQ(remembered(), 801U);
  EXPECT_EQ(free_calls, 1);
}

TEST(Dropped, WithoutTheDriversFunctionTheProfilerIsAbsent) {
  reset();
  EXPECT_EQ(adapt_profiler_initialize("in", "out", 0), 302U);
  EXPECT_EQ(refused().size(), 1U);
}

}  // namespace
}  // namespace anycuda
