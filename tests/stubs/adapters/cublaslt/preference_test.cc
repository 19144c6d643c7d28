// SPDX-License-Identifier: Apache-2.0

// Attributes of a matmul preference between CUDA 11 and 13: which of them reach the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cublaslt_adapters.h"
#include "tests/stubs/adapters/fake_library.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

constexpr unsigned kFirstOther = v13::CUBLASLT_MATMUL_PREF_GROUPED_AVERAGE_REDUCTION_DIM;
constexpr unsigned kLastOther = v13::CUBLASLT_MATMUL_PREF_GROUPED_DESC_D_AVERAGE_COLS;
constexpr unsigned kLastCommon = v13::CUBLASLT_MATMUL_PREF_IMPL_MASK;
constexpr unsigned kLibrarysStatus = 7;

int storage;
const auto preference = reinterpret_cast<v11::cublasLtMatmulPreference_t>(&storage);

class Preference : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    calls = 0;
    fake("cublasLtMatmulPreferenceSetAttribute", set);
    fake("cublasLtMatmulPreferenceGetAttribute", get);
  }
  static unsigned set(v11::cublasLtMatmulPreference_t in, unsigned attribute, const void* from,
                      std::size_t size) {
    ++calls;
    EXPECT_EQ(in, preference);
    EXPECT_EQ(attribute, kLastCommon);
    EXPECT_EQ(from, &value);
    EXPECT_EQ(size, sizeof value);
    return kLibrarysStatus;
  }
  static unsigned get(v11::cublasLtMatmulPreference_t in, unsigned attribute, void* to,
                      std::size_t size, std::size_t* written) {
    *written = size;
    return set(in, attribute, to, size);
  }
  static int calls;
  static unsigned value;
  std::size_t written = 0;
};
int Preference::calls;
unsigned Preference::value;

TEST_F(Preference, CommonAttributesAreTheLibrarys) {
  EXPECT_EQ(adapt_preference_set_of_11(preference, kLastCommon, &value, sizeof value),
            kLibrarysStatus);
  EXPECT_EQ(adapt_preference_set_of_13(preference, kLastCommon, &value, sizeof value),
            kLibrarysStatus);
  EXPECT_EQ(adapt_preference_get_of_11(preference, kLastCommon, &value, sizeof value, &written),
            kLibrarysStatus);
  EXPECT_EQ(written, sizeof value);
  written = 0;
  EXPECT_EQ(adapt_preference_get_of_13(preference, kLastCommon, &value, sizeof value, &written),
            kLibrarysStatus);
  EXPECT_EQ(written, sizeof value);
  EXPECT_EQ(calls, 4);
  EXPECT_THAT(refused(), ElementsAre());
}

TEST_F(Preference, Caller11_OnlyItsNumberOfMultiprocessorsIsRefused) {
  const unsigned attribute = v11::CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET;
  EXPECT_EQ(adapt_preference_set_of_11(preference, attribute, &value, sizeof value),
            v13::CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(adapt_preference_get_of_11(preference, attribute, &value, sizeof value, &written),
            v13::CUBLAS_STATUS_NOT_SUPPORTED);
  const std::string reason =
      ": CUDA 13 has no CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET (another attribute has its "
      "number): do not use it, or install cuBLASLt of CUDA 11";
  EXPECT_THAT(refused(), ElementsAre("cublasLtMatmulPreferenceSetAttribute" + reason,
                                     "cublasLtMatmulPreferenceGetAttribute" + reason));
  EXPECT_EQ(calls, 0);
}

TEST_F(Preference, Caller13_AttributesOfGroupedMatricesAreRefused) {
  for (const unsigned attribute : {kFirstOther, kLastOther}) {
    reset();
    EXPECT_EQ(adapt_preference_set_of_13(preference, attribute, &value, sizeof value),
              v11::CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(adapt_preference_get_of_13(preference, attribute, &value, sizeof value, &written),
              v11::CUBLAS_STATUS_NOT_SUPPORTED);
    const std::string reason =
        ": CUDA 11 has no attributes for grouped matrices: do not use them, or install cuBLASLt of "
        "CUDA 13";
    EXPECT_THAT(refused(), ElementsAre("cublasLtMatmulPreferenceSetAttribute" + reason,
                                       "cublasLtMatmulPreferenceGetAttribute" + reason));
  }
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace anycuda
