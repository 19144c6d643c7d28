// SPDX-License-Identifier: Apache-2.0

// cuSPARSE's products that CUDA 12 dropped, made from those that it has.
#include "tests/stubs/adapters/cusparse/sparse_fakes.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

constexpr int kM = 5, kN = 4, kK = 3, kCount = 6, kLeadingA = 8, kLeadingC = 9;
constexpr Word kAlpha = 1, kBeta = 2, kA = 0x10000, kValues = 0x20000, kOffsets = 0x30000,
               kIndices = 0x40000, kC = 0x50000, kX = 0x60000, kY = 0x70000, kBuffer = 0x80000;
constexpr Word kAsItIs = v12::CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr Word kDefault = 0, kDeterministic = v12::CUSPARSE_SPMV_CSR_ALG2;

class Products : public SparseFakes {
 protected:
  template <typename T>
  using Gemmi = v11::cusparseStatus_t (*)(v11::cusparseHandle_t, int, int, int, int, const T*,
                                          const T*, int, const T*, const int*, const int*, const T*,
                                          T*, int);
  template <typename T>
  static unsigned call(Gemmi<T> adapter, v11::cusparseHandle_t to, int m = kM,
                       Word values = kValues) {
    return adapter(to, m, kN, kK, kCount, at<T>(kAlpha), at<T>(kA), kLeadingA, at<T>(values),
                   at<int>(kOffsets), at<int>(kIndices), at<T>(kBeta), at<T>(kC), kLeadingC);
  }
  // The transposed matrices: B' has n rows and k columns, A' and C' are by rows.
  template <typename T>
  void expect_transposed(Gemmi<T> adapter) {
    SetUp();
    EXPECT_EQ(call(adapter, handle()), 0U);
    const Words got = only("cusparseSpMM");
    EXPECT_EQ(got, words(handle(), kAsItIs, kAsItIs, kAlpha, got[4], got[5], kBeta, got[7],
                         kType<T>, kDefault, 0));
    EXPECT_EQ(made(got[4]).function, "cusparseCreateCsr");
    EXPECT_EQ(made(got[4]).arguments,
              words(kN, kK, kCount, kOffsets, kIndices, kValues, v12::CUSPARSE_INDEX_32I,
                    v12::CUSPARSE_INDEX_32I, v12::CUSPARSE_INDEX_BASE_ZERO, kType<T>));
    EXPECT_EQ(made(got[5]).arguments,
              words(kK, kM, kLeadingA, kA, kType<T>, v12::CUSPARSE_ORDER_ROW));
    EXPECT_EQ(made(got[7]).arguments,
              words(kN, kM, kLeadingC, kC, kType<T>, v12::CUSPARSE_ORDER_ROW));
    EXPECT_FALSE(was_called("cusparseGetStream"));
  }

  static unsigned csrmv(v11::cusparseOperation_t operation = kAsItIs,
                        v12::cudaDataType beta_type = v12::CUDA_R_32F, Word values = kValues) {
    return adapt_csrmv_ex(handle(), 0, operation, kM, kN, kCount, at<void>(kAlpha), v12::CUDA_R_32F,
                          description(), at<void>(values), v12::CUDA_R_16F, at<int>(kOffsets),
                          at<int>(kIndices), at<void>(kX), v12::CUDA_R_16F, at<void>(kBeta),
                          beta_type, at<void>(kY), v12::CUDA_R_32F, v12::CUDA_R_32F,
                          at<void>(kBuffer));
  }
  static unsigned csrmv_size(v11::cusparseHandle_t to, std::size_t* bytes) {
    return adapt_csrmv_ex_buffer_size(
        to, 0, kAsItIs, kM, kN, kCount, at<void>(kAlpha), v12::CUDA_R_32F, description(),
        at<void>(kValues), v12::CUDA_R_16F, at<int>(kOffsets), at<int>(kIndices), at<void>(kX),
        v12::CUDA_R_16F, at<void>(kBeta), v12::CUDA_R_32F, at<void>(kY), v12::CUDA_R_32F,
        v12::CUDA_R_32F, bytes);
  }
  static void expect_csrmv_operands(Word a, Word x, int x_size, Word y, int y_size) {
    EXPECT_EQ(made(a).function, "cusparseCreateCsr");
    EXPECT_EQ(made(a).arguments,
              words(kM, kN, kCount, kOffsets, kIndices, kValues, v12::CUSPARSE_INDEX_32I,
                    v12::CUSPARSE_INDEX_32I, answers.base, v12::CUDA_R_16F));
    EXPECT_EQ(made(x).arguments, words(x_size, kX, v12::CUDA_R_16F));
    EXPECT_EQ(made(y).arguments, words(y_size, kY, v12::CUDA_R_32F));
  }
};

TEST_F(Products, Gemmi_MultipliesTheTransposed) {
  expect_transposed(adapt_sgemmi);
  expect_transposed(adapt_dgemmi);
  expect_transposed(adapt_cgemmi);
  expect_transposed(adapt_zgemmi);
}

TEST_F(Products, Gemmi_Workspace_IsAllocatedAndFreedOnTheStream) {
  answers.bytes = 500;
  EXPECT_EQ(call(adapt_dgemmi, handle()), 0U);
  const Words allocated = only("cuMemAllocAsync");
  EXPECT_EQ(allocated[1], 500U);
  const Word memory = only("cusparseSpMM").back();
  EXPECT_NE(memory, 0U);
  EXPECT_EQ(only("cuMemFreeAsync"), words(memory, allocated[2]));
}

TEST_F(Products, EveryFailureIsHandedOn) {
  for (const std::size_t bytes : {0, 500}) {
    answers.bytes = bytes;
    expect_every_failure_handed_on([] { return call(adapt_sgemmi, handle()); });
    expect_every_failure_handed_on([] { return csrmv(); });
    expect_every_failure_handed_on([] {
      std::size_t size = 0;
      return csrmv_size(handle(), &size);
    });
  }
}

TEST_F(Products, Gemmi_CapturedWithWorkspace_IsRefused) {
  answers.capture = driver::CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_EQ(call(adapt_zgemmi, handle()), 0U);
  answers.bytes = 500;
  EXPECT_EQ(call(adapt_zgemmi, handle()), v12::CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(all("cusparseSpMM").size(), 1U);
  EXPECT_THAT(
      refused(),
      ElementsAre("cusparseZgemmi: CUDA 12 and newer cannot capture this call into a "
                  "graph: make the call before the capture, or install cuSPARSE of CUDA 11"));
}

TEST_F(Products, Gemmi_BadArguments) {
  EXPECT_EQ(call(adapt_sgemmi, nullptr), v12::CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(call(adapt_sgemmi, handle(), kM, 0), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(adapt_sgemmi, handle(), 0, 0), 0U);
  EXPECT_FALSE(was_called("cusparseCreateCsr"));
}

TEST_F(Products, CsrmvEx_DescribesItsOperands) {
  for (const unsigned base : {0U, 1U}) {
    SetUp();
    answers.base = base;
    EXPECT_EQ(csrmv(), 0U);
    const Words got = only("cusparseSpMV");
    EXPECT_EQ(got, words(handle(), kAsItIs, kAlpha, got[3], got[4], kBeta, got[6], v12::CUDA_R_32F,
                         kDeterministic, kBuffer));
    expect_csrmv_operands(got[3], got[4], kN, got[6], kM);
  }
}

TEST_F(Products, CsrmvEx_Transposed_SwapsTheSizes) {
  EXPECT_EQ(csrmv(v12::CUSPARSE_OPERATION_TRANSPOSE), 0U);
  const Words got = only("cusparseSpMV");
  EXPECT_EQ(got[1], Word{v12::CUSPARSE_OPERATION_TRANSPOSE});
  expect_csrmv_operands(got[3], got[4], kM, got[6], kN);
}

TEST_F(Products, CsrmvEx_Size_IsThatOfTheSameProduct) {
  answers.bytes = 300;
  Guarded<std::size_t> bytes;
  EXPECT_EQ(csrmv_size(handle(), bytes.get()), 0U);
  EXPECT_EQ(*bytes, 300U);
  EXPECT_TRUE(bytes.intact());
  const Words got = only("cusparseSpMV_bufferSize");
  EXPECT_EQ(got, words(handle(), kAsItIs, kAlpha, got[3], got[4], kBeta, got[6], v12::CUDA_R_32F,
                       kDeterministic, bytes.get()));
  expect_csrmv_operands(got[3], got[4], kN, got[6], kM);
}

TEST_F(Products, CsrmvEx_OtherTypeOfBeta_IsRefused) {
  EXPECT_EQ(csrmv(kAsItIs, v12::CUDA_R_64F), v12::CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_FALSE(was_called("cusparseSpMV"));
  EXPECT_THAT(
      refused(),
      ElementsAre("cusparseCsrmvEx: in CUDA 12 and newer, alpha and beta must have the type of the "
                  "computation: use one type for all three, or install cuSPARSE of CUDA 11"));
}

TEST_F(Products, CsrmvEx_BadArguments) {
  std::size_t bytes = 0;
  EXPECT_EQ(csrmv_size(nullptr, &bytes), v12::CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(csrmv(kAsItIs, v12::CUDA_R_32F, 0), v12::CUSPARSE_STATUS_INVALID_VALUE);
  answers.type = v12::CUSPARSE_MATRIX_TYPE_SYMMETRIC;
  EXPECT_EQ(csrmv(), v12::CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
  EXPECT_FALSE(was_called("cusparseSpMV"));
}

TEST_F(Products, ConstrainedGeMM_HasAnAlgorithmMore) {
  auto* a = at<opaque::cusparseDnMatDescr>(kA);
  auto* b = at<opaque::cusparseDnMatDescr>(kX);
  auto* c = at<opaque::cusparseSpMatDescr>(kC);
  EXPECT_EQ(adapt_constrained_gemm(handle(), 0, 1, at<void>(kAlpha), a, b, at<void>(kBeta), c,
                                   v12::CUDA_R_64F, at<void>(kBuffer)),
            0U);
  EXPECT_EQ(only("cusparseSDDMM"),
            words(handle(), 0, 1, kAlpha, a, b, kBeta, c, v12::CUDA_R_64F, kDefault, kBuffer));
  answers.bytes = 40;
  std::size_t bytes = 0;
  EXPECT_EQ(adapt_constrained_gemm_buffer_size(handle(), 0, 1, at<void>(kAlpha), a, b,
                                               at<void>(kBeta), c, v12::CUDA_R_64F, &bytes),
            0U);
  EXPECT_EQ(bytes, 40U);
  EXPECT_EQ(only("cusparseSDDMM_bufferSize"),
            words(handle(), 0, 1, kAlpha, a, b, kBeta, c, v12::CUDA_R_64F, kDefault, &bytes));
}

}  // namespace
}  // namespace anycuda
