// SPDX-License-Identifier: Apache-2.0

// cuSPARSE's first functions of a sparse and a dense vector, made from those of CUDA 12.
#include <limits>
#include <tuple>

#include "tests/stubs/adapters/cusparse/sparse_fakes.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

constexpr int kCount = 3;
constexpr Word kX = 0x10000, kIndices = 0x20000, kY = 0x30008;  // y may lie anywhere
constexpr Word kLargest = std::numeric_limits<int>::max();

class Vectors : public SparseFakes {
 protected:
  // The descriptors that the generic function got.
  static void expect_operands(Word x, Word y, v12::cudaDataType type) {
    EXPECT_EQ(made(x).function, "cusparseCreateSpVec");
    EXPECT_EQ(made(x).arguments, words(kLargest - answers.base, kCount, kIndices, kX,
                                       v12::CUSPARSE_INDEX_32I, answers.base, type));
    EXPECT_EQ(made(y).function, "cusparseCreateDnVec");
    EXPECT_EQ(made(y).arguments, words(kLargest - answers.base, kY, type));
  }

  // `adapter` once per base, with its arguments in the order of the first function.
  template <typename T>
  void expect_gather(v11::cusparseStatus_t (*adapter)(v11::cusparseHandle_t, int, const T*, T*,
                                                      const int*, v11::cusparseIndexBase_t)) {
    for (const unsigned base : {0U, 1U}) {
      SetUp();
      answers.base = base;
      EXPECT_EQ(adapter(handle(), kCount, at<T>(kY), at<T>(kX), at<int>(kIndices), base), 0U);
      const Words call = only("cusparseGather");
      EXPECT_EQ(call[0], word(handle()));
      expect_operands(call[2], call[1], kType<T>);
    }
  }
  template <typename T>
  void expect_scatter(v11::cusparseStatus_t (*adapter)(v11::cusparseHandle_t, int, const T*,
                                                       const int*, T*, v11::cusparseIndexBase_t)) {
    for (const unsigned base : {0U, 1U}) {
      SetUp();
      answers.base = base;
      EXPECT_EQ(adapter(handle(), kCount, at<T>(kX), at<int>(kIndices), at<T>(kY), base), 0U);
      const Words call = only("cusparseScatter");
      EXPECT_EQ(call[0], word(handle()));
      expect_operands(call[1], call[2], kType<T>);
    }
  }
  template <typename T>
  void expect_rotation(v11::cusparseStatus_t (*adapter)(v11::cusparseHandle_t, int, T*, const int*,
                                                        T*, const T*, const T*,
                                                        v11::cusparseIndexBase_t)) {
    for (const unsigned base : {0U, 1U}) {
      SetUp();
      answers.base = base;
      EXPECT_EQ(adapter(handle(), kCount, at<T>(kX), at<int>(kIndices), at<T>(kY), at<T>(1),
                        at<T>(2), base),
                0U);
      const Words call = only("cusparseRot");
      EXPECT_EQ(Words(call.begin(), call.begin() + 3), words(handle(), 1, 2));
      expect_operands(call[3], call[4], kType<T>);
    }
  }

  static unsigned gather() {
    return adapt_dgthr(handle(), kCount, at<double>(kY), at<double>(kX), at<int>(kIndices), 1);
  }
};

TEST_F(Vectors, Gather_DescribesBothVectors) {
  expect_gather(adapt_sgthr);
  expect_gather(adapt_dgthr);
  expect_gather(adapt_cgthr);
  expect_gather(adapt_zgthr);
}

TEST_F(Vectors, Scatter_DescribesBothVectors) {
  expect_scatter(adapt_ssctr);
  expect_scatter(adapt_dsctr);
  expect_scatter(adapt_csctr);
  expect_scatter(adapt_zsctr);
}

TEST_F(Vectors, Rotation_HandsOnItsCoefficients) {
  expect_rotation(adapt_sroti);
  expect_rotation(adapt_droti);
}

TEST_F(Vectors, EveryFailureIsHandedOn) {
  expect_every_failure_handed_on(gather);
  expect_every_failure_handed_on([] {
    return adapt_ssctr(handle(), kCount, at<float>(kX), at<int>(kIndices), at<float>(kY), 0);
  });
  expect_every_failure_handed_on([] {
    return adapt_droti(handle(), kCount, at<double>(kX), at<int>(kIndices), at<double>(kY),
                       at<double>(1), at<double>(2), 0);
  });
}

TEST_F(Vectors, NoHandle_ReturnsNotInitialized) {
  const auto status =
      adapt_sgthr(nullptr, kCount, at<float>(kY), at<float>(kX), at<int>(kIndices), 0);
  EXPECT_EQ(status, v12::CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_FALSE(was_called("cusparseCreateSpVec"));
}

TEST_F(Vectors, NoMemory_IsInvalid) {
  const auto gather = [](Word x, Word indices, Word y) {
    return adapt_sgthr(handle(), kCount, at<float>(y), at<float>(x), at<int>(indices), 0);
  };
  EXPECT_EQ(gather(0, kIndices, kY), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(gather(kX, 0, kY), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(gather(kX, kIndices, 0), v12::CUSPARSE_STATUS_INVALID_VALUE);
  const auto rotate = [](Word c, Word s) {
    return adapt_sroti(handle(), kCount, at<float>(kX), at<int>(kIndices), at<float>(kY),
                       at<float>(c), at<float>(s), 0);
  };
  EXPECT_EQ(rotate(0, 2), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(rotate(1, 0), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_FALSE(was_called("cusparseGather") || was_called("cusparseRot"));
}

TEST_F(Vectors, NoEntries_DoesNothing) {
  EXPECT_EQ(adapt_zsctr(handle(), 0, nullptr, nullptr, nullptr, 0), 0U);
  EXPECT_FALSE(was_called("cusparseCreateSpVec"));
}

TEST_F(Vectors, NotAligned_IsRefused) {
  const auto scatter = [](Word x, Word indices) {
    return adapt_dsctr(handle(), kCount, at<double>(x), at<int>(indices), at<double>(kY), 0);
  };
  EXPECT_EQ(scatter(kX + 8, kIndices), v12::CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(scatter(kX, kIndices + 4), v12::CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_FALSE(was_called("cusparseScatter"));
  const char* const reason =
      "cusparseDsctr: CUDA 12 and newer need the values and the indices of a sparse vector aligned "
      "to 16 bytes: align them, or install cuSPARSE of CUDA 11";
  EXPECT_THAT(refused(), ElementsAre(reason, reason));
}

}  // namespace
}  // namespace anycuda
