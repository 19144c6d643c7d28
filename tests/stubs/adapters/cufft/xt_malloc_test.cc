// SPDX-License-Identifier: Apache-2.0

// Formats of cufftXtMalloc between CUDA 11 and later: which of them reach the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cufft_adapters.h"
#include "tests/stubs/adapters/fake_library.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

constexpr int kPlan = 3;
constexpr unsigned kLibrarysStatus = 7;
v11::cudaLibXtDesc_t* descriptor;
std::vector<unsigned> formats;

unsigned xt_malloc(int plan, v12::cudaLibXtDesc_t** out, unsigned format) {
  EXPECT_EQ(plan, kPlan);
  EXPECT_EQ(static_cast<void*>(out), &descriptor);
  formats.push_back(format);
  return kLibrarysStatus;
}

class XtMalloc : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    formats.clear();
    fake("cufftXtMalloc", xt_malloc);
  }
};

TEST_F(XtMalloc, CommonFormatsAreTheLibrarys) {
  for (unsigned format = 0; format < 5; ++format) {
    EXPECT_EQ(adapt_xt_malloc(kPlan, &descriptor, format), kLibrarysStatus);
  }
  EXPECT_THAT(formats, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(refused(), ElementsAre());
}

TEST_F(XtMalloc, FormatsThatCuda11NumbersDifferentlyAreRefused) {
  EXPECT_EQ(adapt_xt_malloc(kPlan, &descriptor, v12::CUFFT_XT_FORMAT_DISTRIBUTED_INPUT),
            v12::CUFFT_NOT_SUPPORTED);
  EXPECT_EQ(adapt_xt_malloc(kPlan, &descriptor, v12::CUFFT_FORMAT_UNDEFINED),
            v12::CUFFT_NOT_SUPPORTED);
  const char* const reason =
      "cufftXtMalloc: CUDA 11.7 and 11.8 number the formats from 5 on differently: use a format "
      "below 5, or install cuFFT of the CUDA that the program was built for";
  EXPECT_THAT(refused(), ElementsAre(reason, reason));
  EXPECT_THAT(formats, ElementsAre());
}

}  // namespace
}  // namespace anycuda
