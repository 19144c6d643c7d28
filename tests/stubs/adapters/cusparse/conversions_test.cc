// SPDX-License-Identifier: Apache-2.0

// cuSPARSE's first conversions between sparse and dense matrices, made from those of CUDA 12.
#include "tests/stubs/adapters/cusparse/sparse_fakes.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

constexpr int kRows = 4, kColumns = 3, kLeading = 6;
constexpr Word kValues = 0x10000, kIndices = 0x20000, kDense = 0x30000, kCounts = 0x40000;
constexpr Word kAlgorithm = 0;

class Conversions : public SparseFakes {
 protected:
  // Offsets are read: by rows there are five, by columns four.
  int by_rows[kRows + 1] = {}, by_columns[kColumns + 1] = {};
  void set_count(int count) {
    by_rows[kRows] = by_columns[kColumns] = count + static_cast<int>(answers.base);
    answers.count = count;
  }

  static void expect_dense(Word matrix, v12::cudaDataType type) {
    EXPECT_EQ(made(matrix).function, "cusparseCreateDnMat");
    EXPECT_EQ(made(matrix).arguments,
              words(kRows, kColumns, kLeading, kDense, type, v12::CUSPARSE_ORDER_COL));
  }
  static void expect_sparse(Word matrix, const char* function, int count, const int* offsets,
                            Word indices, Word values, v12::cudaDataType type) {
    EXPECT_EQ(made(matrix).function, function);
    EXPECT_EQ(made(matrix).arguments,
              words(kRows, kColumns, count, offsets, indices, values, v12::CUSPARSE_INDEX_32I,
                    v12::CUSPARSE_INDEX_32I, answers.base, type));
  }

  template <typename T>
  using ToDense = v11::cusparseStatus_t (*)(v11::cusparseHandle_t, int, int,
                                            const v11::cusparseMatDescr_t, const T*, const int*,
                                            const int*, T*, int);
  template <typename T>
  void expect_to_dense(ToDense<T> by_rows_adapter, ToDense<T> by_columns_adapter) {
    for (const unsigned base : {0U, 1U}) {
      for (const bool rows : {true, false}) {
        SetUp();
        answers.base = base;
        set_count(7);
        const int* offsets = rows ? by_rows : by_columns;
        const int* indices = at<int>(kIndices);
        const auto adapter = rows ? by_rows_adapter : by_columns_adapter;
        EXPECT_EQ(
            adapter(handle(), kRows, kColumns, description(), at<T>(kValues),
                    rows ? offsets : indices, rows ? indices : offsets, at<T>(kDense), kLeading),
            0U);
        const Words call = only("cusparseSparseToDense");
        EXPECT_EQ(call, words(handle(), call[1], call[2], kAlgorithm, 0));
        expect_sparse(call[1], rows ? "cusparseCreateCsr" : "cusparseCreateCsc", 7, offsets,
                      kIndices, kValues, kType<T>);
        expect_dense(call[2], kType<T>);
        EXPECT_FALSE(was_called("cuMemAllocAsync"));
      }
    }
  }

  template <typename T>
  using ToCsr = v11::cusparseStatus_t (*)(v11::cusparseHandle_t, int, int,
                                          const v11::cusparseMatDescr_t, const T*, int, const int*,
                                          T*, int*, int*);
  template <typename T>
  void expect_to_sparse(ToCsr<T> by_rows_adapter, ToCsr<T> by_columns_adapter) {
    for (const unsigned base : {0U, 1U}) {
      for (const bool rows : {true, false}) {
        SetUp();
        answers.base = base;
        set_count(7);
        int* offsets = rows ? by_rows : by_columns;
        int* indices = at<int>(kIndices);
        const auto adapter = rows ? by_rows_adapter : by_columns_adapter;
        EXPECT_EQ(adapter(handle(), kRows, kColumns, description(), at<T>(kDense), kLeading,
                          at<int>(kCounts), at<T>(kValues), rows ? offsets : indices,
                          rows ? indices : offsets),
                  0U);
        const Words call = only("cusparseDenseToSparse_convert");
        EXPECT_EQ(call, words(handle(), call[1], call[2], kAlgorithm, 0));
        EXPECT_EQ(only("cusparseDenseToSparse_analysis"), call);
        expect_dense(call[1], kType<T>);
        expect_sparse(call[2], rows ? "cusparseCreateCsr" : "cusparseCreateCsc", 0, offsets, 0, 0,
                      kType<T>);
        EXPECT_EQ(only(rows ? "cusparseCsrSetPointers" : "cusparseCscSetPointers"),
                  words(call[2], offsets, kIndices, kValues));
      }
    }
  }

  // One call of each, for their common faults.
  unsigned to_dense(v11::cusparseHandle_t to, v11::cusparseMatDescr_t of, Word values = kValues) {
    return adapt_dcsr2dense(to, kRows, kColumns, of, at<double>(values), by_rows, at<int>(kIndices),
                            at<double>(kDense), kLeading);
  }
  unsigned to_dense() { return to_dense(handle(), description()); }
  unsigned to_sparse(v11::cusparseHandle_t to, v11::cusparseMatDescr_t of, Word values = kValues) {
    return adapt_ddense2csc(to, kRows, kColumns, of, at<double>(kDense), kLeading, at<int>(kCounts),
                            at<double>(values), at<int>(kIndices), by_columns);
  }
  unsigned to_sparse() { return to_sparse(handle(), description()); }
};

TEST_F(Conversions, ToDense_ReadsTheNumberOfEntries) {
  expect_to_dense(adapt_scsr2dense, adapt_scsc2dense);
  expect_to_dense(adapt_dcsr2dense, adapt_dcsc2dense);
  expect_to_dense(adapt_ccsr2dense, adapt_ccsc2dense);
  expect_to_dense(adapt_zcsr2dense, adapt_zcsc2dense);
}

TEST_F(Conversions, ToSparse_SetsTheEntriesBehindTheAnalysis) {
  expect_to_sparse(adapt_sdense2csr, adapt_sdense2csc);
  expect_to_sparse(adapt_ddense2csr, adapt_ddense2csc);
  expect_to_sparse(adapt_cdense2csr, adapt_cdense2csc);
  expect_to_sparse(adapt_zdense2csr, adapt_zdense2csc);
}

TEST_F(Conversions, Workspace_IsAllocatedAndFreedOnTheStream) {
  answers.bytes = 1000;
  set_count(2);
  EXPECT_EQ(to_dense(), 0U);
  const Words allocated = only("cuMemAllocAsync");
  EXPECT_EQ(allocated[1], 1000U);
  const Word memory = only("cusparseSparseToDense").back();
  EXPECT_EQ(only("cuMemFreeAsync"), words(memory, allocated[2]));
  EXPECT_EQ(to_sparse(), 0U);
  EXPECT_NE(only("cusparseDenseToSparse_convert").back(), 0U);
  EXPECT_EQ(only("cusparseDenseToSparse_analysis").back(),
            only("cusparseDenseToSparse_convert").back());
  EXPECT_EQ(all("cuMemFreeAsync").size(), 2U);
}

TEST_F(Conversions, EveryFailureIsHandedOn) {
  set_count(2);
  for (const std::size_t bytes : {0, 1000}) {
    answers.bytes = bytes;
    expect_every_failure_handed_on([this] { return to_dense(); });
    expect_every_failure_handed_on([this] { return to_sparse(); });
  }
}

TEST_F(Conversions, Captured_IsRefused) {
  answers.capture = driver::CU_STREAM_CAPTURE_STATUS_ACTIVE;
  set_count(2);
  EXPECT_EQ(to_dense(), v12::CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(to_sparse(), v12::CUSPARSE_STATUS_NOT_SUPPORTED);
  const std::string reason =
      ": CUDA 12 and newer cannot capture this call into a graph: make the call before the "
      "capture, or install cuSPARSE of CUDA 11";
  EXPECT_THAT(refused(), ElementsAre("cusparseDcsr2dense" + reason, "cusparseDdense2csc" + reason));
  EXPECT_FALSE(was_called("cuStreamSynchronize"));
  EXPECT_FALSE(was_called("cusparseCreateCsr"));
}

TEST_F(Conversions, ThreadWithoutContext_GetsTheLibrarys) {
  answers.has_context = false;
  set_count(2);
  EXPECT_EQ(to_dense(), 0U);
  EXPECT_EQ(all("cusparseCreate").size(), 1U);
  EXPECT_EQ(all("cusparseDestroy").size(), 1U);
  EXPECT_EQ(made(only("cusparseSparseToDense")[1]).arguments[2], 2U);
}

TEST_F(Conversions, NoHandle_ReturnsNotInitialized) {
  EXPECT_EQ(to_dense(nullptr, description()), v12::CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(to_sparse(nullptr, description()), v12::CUSPARSE_STATUS_NOT_INITIALIZED);
}

TEST_F(Conversions, NoDescription_IsInvalid) {
  EXPECT_EQ(to_dense(handle(), nullptr), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(to_sparse(handle(), nullptr), v12::CUSPARSE_STATUS_INVALID_VALUE);
}

TEST_F(Conversions, OtherThanGeneral_IsNotSupported) {
  answers.type = v12::CUSPARSE_MATRIX_TYPE_TRIANGULAR;
  EXPECT_EQ(to_dense(), v12::CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
  EXPECT_EQ(to_sparse(), v12::CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
}

TEST_F(Conversions, NoMemoryForEntries_IsInvalid) {
  set_count(2);
  EXPECT_EQ(to_dense(handle(), description(), 0), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(to_sparse(handle(), description(), 0), v12::CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_FALSE(was_called("cusparseDenseToSparse_convert"));
}

TEST_F(Conversions, NoEntries_NeedsNoMemoryForThem) {
  EXPECT_EQ(to_dense(handle(), description(), 0), 0U);
  EXPECT_EQ(made(only("cusparseSparseToDense")[1]).arguments[2], 0U);
  EXPECT_EQ(to_sparse(handle(), description(), 0), 0U);
  EXPECT_FALSE(was_called("cusparseCscSetPointers"));
  EXPECT_TRUE(was_called("cusparseDenseToSparse_convert"));
}

TEST_F(Conversions, NoRowsOrColumns_WritesNothing) {
  EXPECT_EQ(adapt_scsr2dense(handle(), 0, 3, description(), nullptr, nullptr, nullptr, nullptr, 1),
            0U);
  EXPECT_EQ(adapt_scsc2dense(handle(), 3, 0, description(), nullptr, nullptr, nullptr, nullptr, 3),
            0U);
  EXPECT_FALSE(was_called("cusparseGetStream"));
}

TEST_F(Conversions, BadSizes_AreInvalidAndNoMemoryIsRead) {
  for (const int rows : {-1, kRows}) {
    EXPECT_EQ(adapt_scsr2dense(handle(), rows, rows < 0 ? 3 : -3, description(), at<float>(kValues),
                               by_rows, at<int>(kIndices), at<float>(kDense), kLeading),
              v12::CUSPARSE_STATUS_INVALID_VALUE);
  }
  EXPECT_FALSE(was_called("cuMemcpyDtoHAsync_v2"));
}

}  // namespace
}  // namespace anycuda
