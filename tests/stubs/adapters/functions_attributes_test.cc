// SPDX-License-Identifier: Apache-2.0

// Attributes of kernels in the struct of another major.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

int memory;
int kernel;
opaque::CUfunc_st* const kFunction = reinterpret_cast<opaque::CUfunc_st*>(0x4000);
unsigned unknown_from;  // the first attribute that the driver does not know

// As the runtimes do: nothing is written for a function that they do not know, and what they hold
// in reserve is left as it was.
template <typename Attributes>
unsigned of_function(Attributes* to, const void* function) {
  if (to == nullptr) return 1;
  if (function != &kernel) return 98;
  to->sharedSizeBytes = 1ULL << 33;
  to->constSizeBytes = 2;
  to->localSizeBytes = 3;
  to->maxThreadsPerBlock = 1024;
  to->numRegs = 255;
  to->ptxVersion = 90;
  to->binaryVersion = 91;
  to->cacheModeCA = 1;
  to->maxDynamicSharedSizeBytes = 232448;
  to->preferredShmemCarveout = -1;
  if constexpr (!std::is_same_v<Attributes, v11::cudaFuncAttributes>) {
    to->clusterDimMustBeSet = 1;
    to->requiredClusterWidth = 2;
    to->requiredClusterHeight = 3;
    to->requiredClusterDepth = 4;
    to->clusterSchedulingPolicyPreference = 5;
    to->nonPortableClusterSizeAllowed = 6;
  }
  return 0;
}

template <typename Mine>
void expect_function(const Mine& got) {
  EXPECT_EQ(got.sharedSizeBytes, 1ULL << 33);
  EXPECT_EQ(got.constSizeBytes, 2U);
  EXPECT_EQ(got.localSizeBytes, 3U);
  EXPECT_EQ(got.maxThreadsPerBlock, 1024);
  EXPECT_EQ(got.numRegs, 255);
  EXPECT_EQ(got.ptxVersion, 90);
  EXPECT_EQ(got.binaryVersion, 91);
  EXPECT_EQ(got.cacheModeCA, 1);
  EXPECT_EQ(got.maxDynamicSharedSizeBytes, 232448);
  EXPECT_EQ(got.preferredShmemCarveout, -1);
}
template <typename Mine>
void expect_cluster(const Mine& got, int must, int width, int height, int depth, int policy,
                    int non_portable) {
  EXPECT_EQ(got.clusterDimMustBeSet, must);
  EXPECT_EQ(got.requiredClusterWidth, width);
  EXPECT_EQ(got.requiredClusterHeight, height);
  EXPECT_EQ(got.requiredClusterDepth, depth);
  EXPECT_EQ(got.clusterSchedulingPolicyPreference, policy);
  EXPECT_EQ(got.nonPortableClusterSizeAllowed, non_portable);
}
template <typename Mine>
void expect_untouched_on_failure(unsigned (*call)(Mine*, const void*)) {
  Guarded<Mine> got;
  EXPECT_EQ(call(got.get(), &memory), 98U);
  EXPECT_TRUE(got.untouched());
  EXPECT_TRUE(got.intact());
  EXPECT_EQ(call(nullptr, &kernel), 1U);
}

class FunctionAttributes : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    unknown_from = 1000;
    fake(
        "cudaGetFuncBySymbol", +[](opaque::CUfunc_st** function, const void* symbol) {
          if (symbol != &kernel) return 98U;
          *function = kFunction;
          return 0U;
        });
    // A driver's attributes are 100 + their number.
    fake_driver(
        "cuFuncGetAttribute", +[](int* value, unsigned attribute, opaque::CUfunc_st* function) {
          EXPECT_EQ(function, kFunction);
          *value = static_cast<int>(100 + attribute);
          return attribute < unknown_from ? 0U : 1U;
        });
  }
};

TEST_F(FunctionAttributes, Struct56Bytes_IsFilledOnNewerRuntimesWithinItsSize) {
  fake("cudaFuncGetAttributes", of_function<v12::cudaFuncAttributes>);
  Guarded<v11::cudaFuncAttributes> on_12;
  EXPECT_EQ(adapt_copy_11_12_cudaFuncGetAttributes(on_12.get(), &kernel), 0U);
  expect_function(*on_12);
  EXPECT_TRUE(on_12.intact());
  expect_untouched_on_failure(&adapt_copy_11_12_cudaFuncGetAttributes);

  fake("cudaFuncGetAttributes", of_function<v13::cudaFuncAttributes>);
  Guarded<v11::cudaFuncAttributes> on_13;
  EXPECT_EQ(adapt_copy_11_13_cudaFuncGetAttributes(on_13.get(), &kernel), 0U);
  expect_function(*on_13);
  EXPECT_TRUE(on_13.intact());
  expect_untouched_on_failure(&adapt_copy_11_13_cudaFuncGetAttributes);
}

TEST_F(FunctionAttributes, ACallerOf12GetsClustersFromTheDriverOn11) {
  fake("cudaFuncGetAttributes", of_function<v11::cudaFuncAttributes>);
  Guarded<v12::cudaFuncAttributes> got;
  EXPECT_EQ(adapt_func_attributes_of_12_on_11(got.get(), &kernel), 0U);
  expect_function(*got);
  expect_cluster(*got, 110, 111, 112, 113, 115, 114);
  for (const int word : got->reserved) EXPECT_EQ(word, 0);
  EXPECT_TRUE(got.intact());
  expect_untouched_on_failure(&adapt_func_attributes_of_12_on_11);
}

TEST_F(FunctionAttributes, Caller13On11_GetsAllFieldsFromTheDriver) {
  fake("cudaFuncGetAttributes", of_function<v11::cudaFuncAttributes>);
  Guarded<v13::cudaFuncAttributes> got;
  EXPECT_EQ(adapt_func_attributes_of_13_on_11(got.get(), &kernel), 0U);
  expect_function(*got);
  expect_cluster(*got, 110, 111, 112, 113, 115, 114);
  EXPECT_EQ(got->deviceNodeUpdateStatus, 116);
  EXPECT_EQ(got->sharedMemoryMode, 117U);
  EXPECT_TRUE(got.intact());
  expect_untouched_on_failure(&adapt_func_attributes_of_13_on_11);
}

TEST_F(FunctionAttributes, Caller13On12_GetsTheReservedFieldsFromTheDriver) {
  fake("cudaFuncGetAttributes", of_function<v12::cudaFuncAttributes>);
  Guarded<v13::cudaFuncAttributes> got;
  EXPECT_EQ(adapt_func_attributes_of_13_on_12(got.get(), &kernel), 0U);
  expect_function(*got);
  expect_cluster(*got, 1, 2, 3, 4, 5, 6);
  EXPECT_EQ(got->deviceNodeUpdateStatus, 116);
  EXPECT_EQ(got->sharedMemoryMode, 117U);
  for (const int word : got->reserved) EXPECT_EQ(word, 0);
  EXPECT_TRUE(got.intact());
  expect_untouched_on_failure(&adapt_func_attributes_of_13_on_12);
}

TEST_F(FunctionAttributes, UnknownToTheDriver_IsZeroWithoutAnError) {
  fake("cudaFuncGetAttributes", of_function<v11::cudaFuncAttributes>);
  unknown_from = 14;
  Guarded<v13::cudaFuncAttributes> got;
  EXPECT_EQ(adapt_func_attributes_of_13_on_11(got.get(), &kernel), 0U);
  expect_cluster(*got, 110, 111, 112, 113, 0, 0);
  EXPECT_EQ(got->deviceNodeUpdateStatus, 0);
  EXPECT_EQ(got->sharedMemoryMode, 0U);
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(FunctionAttributes, HandleWithoutFunction_NewFieldsAreZero) {
  fake("cudaFuncGetAttributes", of_function<v12::cudaFuncAttributes>);
  fake(
      "cudaGetFuncBySymbol", +[](opaque::CUfunc_st**, const void*) {
        set_library_error(98);
        return 98U;
      });
  Guarded<v13::cudaFuncAttributes> got;
  EXPECT_EQ(adapt_func_attributes_of_13_on_12(got.get(), &kernel), 0U);
  expect_cluster(*got, 1, 2, 3, 4, 5, 6);
  EXPECT_EQ(got->deviceNodeUpdateStatus, 0);
  EXPECT_EQ(library_error(), 0U);
}

}  // namespace
}  // namespace anycuda
