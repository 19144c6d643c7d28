// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: what it answers without a GPU (calls.h).
#include <cusparse.h>

#include "calls.h"

namespace {

using calls::line;

void version() {
  int value = -1;
  line("version", cusparseGetVersion(nullptr, &value), value);
  calls::properties("property", cusparseGetProperty);
}

void texts() {
  for (int status = -1; status <= 15; ++status) {
    line("status " + std::to_string(status), cusparseGetErrorName(cusparseStatus_t(status)),
         cusparseGetErrorString(cusparseStatus_t(status)));
  }
}

void create() {
  cusparseHandle_t handle = nullptr;
  line("create", cusparseCreate(&handle), handle);
  line("destroy", cusparseDestroy(nullptr));
}

void legacy_matrix() {
  cusparseMatDescr_t matrix = nullptr;
  line("create matrix", cusparseCreateMatDescr(&matrix), matrix);
  line("set type", cusparseSetMatType(matrix, CUSPARSE_MATRIX_TYPE_TRIANGULAR));
  line("set no type", cusparseSetMatType(matrix, cusparseMatrixType_t(77)));
  line("type", cusparseGetMatType(matrix));
  line("set fill", cusparseSetMatFillMode(matrix, CUSPARSE_FILL_MODE_UPPER));
  line("fill", cusparseGetMatFillMode(matrix));
  line("set diagonal", cusparseSetMatDiagType(matrix, CUSPARSE_DIAG_TYPE_UNIT));
  line("diagonal", cusparseGetMatDiagType(matrix));
  line("set base", cusparseSetMatIndexBase(matrix, CUSPARSE_INDEX_BASE_ONE));
  line("base", cusparseGetMatIndexBase(matrix));
  line("destroy matrix", cusparseDestroyMatDescr(matrix));
}

float values[16];
int rows[16];
int columns[16];

void dense() {
  cusparseDnVecDescr_t vector = nullptr;
  cusparseDnMatDescr_t matrix = nullptr;
  std::int64_t n = -1, m = -1, lead = -1, stride = -1;
  int batch = -1;
  void* data = nullptr;
  cudaDataType type = CUDA_C_64F;
  cusparseOrder_t order = CUSPARSE_ORDER_COL;
  line("create vector", cusparseCreateDnVec(&vector, 16, values, CUDA_R_32F), vector);
  line("get vector", cusparseDnVecGet(vector, &n, &data, &type), n, type);
  line("vector's data", data == values);
  line("set vector's values", cusparseDnVecSetValues(vector, values + 1));
  line("vector's values", cusparseDnVecGetValues(vector, &data), data);
  line("destroy vector", cusparseDestroyDnVec(vector));
  line("create dense",
       cusparseCreateDnMat(&matrix, 4, 3, 4, values, CUDA_R_32F, CUSPARSE_ORDER_ROW), matrix);
  line("create dense again",
       cusparseCreateDnMat(&matrix, 4, 3, 4, values, CUDA_R_32F, CUSPARSE_ORDER_COL));
  line("get dense", cusparseDnMatGet(matrix, &m, &n, &lead, &data, &type, &order), m, n, lead, type,
       order);
  line("set dense values", cusparseDnMatSetValues(matrix, values + 1));
  line("dense values", cusparseDnMatGetValues(matrix, &data), data);
  line("set dense batch", cusparseDnMatSetStridedBatch(matrix, 2, 16));
  line("dense batch", cusparseDnMatGetStridedBatch(matrix, &batch, &stride), batch, stride);
  line("destroy dense", cusparseDestroyDnMat(matrix));
}

void sparse_vector() {
  cusparseSpVecDescr_t vector = nullptr;
  std::int64_t n = -1, nonzero = -1;
  void* indices = nullptr;
  void* data = nullptr;
  cusparseIndexType_t index = CUSPARSE_INDEX_64I;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  cudaDataType type = CUDA_C_64F;
  line("create sparse vector",
       cusparseCreateSpVec(&vector, 16, 4, rows, values, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F),
       vector);
  line("get sparse vector",
       cusparseSpVecGet(vector, &n, &nonzero, &indices, &data, &index, &base, &type), n, nonzero,
       index, base, type);
  line("sparse vector's base", cusparseSpVecGetIndexBase(vector, &base), base);
  line("set sparse vector's values", cusparseSpVecSetValues(vector, values + 1));
  line("sparse vector's values", cusparseSpVecGetValues(vector, &data), data);
  line("destroy sparse vector", cusparseDestroySpVec(vector));
}

// What all sparse matrices answer.
void ask(const std::string& name, cusparseSpMatDescr_t matrix) {
  std::int64_t m = -1, n = -1, nonzero = -1;
  int batch = -1;
  void* data = nullptr;
  cusparseFormat_t format = CUSPARSE_FORMAT_COO;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_UNIT;
  line(name + " format", cusparseSpMatGetFormat(matrix, &format), format);
  line(name + " base", cusparseSpMatGetIndexBase(matrix, &base), base);
  line(name + " size", cusparseSpMatGetSize(matrix, &m, &n, &nonzero), m, n, nonzero);
  line(name + " set values", cusparseSpMatSetValues(matrix, values + 2));
  line(name + " values", cusparseSpMatGetValues(matrix, &data), data);
  line(name + " set fill",
       cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
  line(name + " set diagonal",
       cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
  fill = CUSPARSE_FILL_MODE_LOWER;
  line(name + " fill",
       cusparseSpMatGetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)), fill);
  line(name + " csr batch", cusparseCsrSetStridedBatch(matrix, 2, 16, 16));
  line(name + " batch", cusparseSpMatGetStridedBatch(matrix, &batch), batch);
  line(name + " destroy", cusparseDestroySpMat(matrix));
}

void sparse_matrices() {
  const auto index = CUSPARSE_INDEX_32I;
  const auto base = CUSPARSE_INDEX_BASE_ZERO;
  std::int64_t m = -1, n = -1, nonzero = -1;
  void *first = nullptr, *second = nullptr, *third = nullptr;
  cusparseIndexType_t row_index = CUSPARSE_INDEX_64I, column_index = CUSPARSE_INDEX_64I;
  cusparseIndexBase_t got = CUSPARSE_INDEX_BASE_ONE;
  cudaDataType type = CUDA_C_64F;
  cusparseSpMatDescr_t matrix = nullptr;
  line("create csr",
       cusparseCreateCsr(&matrix, 4, 3, 5, rows, columns, values, index, index, base, CUDA_R_32F),
       matrix);
  line("get csr",
       cusparseCsrGet(matrix, &m, &n, &nonzero, &first, &second, &third, &row_index, &column_index,
                      &got, &type),
       m, n, nonzero, row_index, column_index, got, type);
  line("set csr pointers", cusparseCsrSetPointers(matrix, columns, rows, values));
  ask("csr", matrix);
  line("create csc",
       cusparseCreateCsc(&matrix, 4, 3, 5, columns, rows, values, index, index, base, CUDA_R_32F));
  line("set csc pointers", cusparseCscSetPointers(matrix, rows, columns, values));
  ask("csc", matrix);
  line("create coo",
       cusparseCreateCoo(&matrix, 4, 3, 5, rows, columns, values, index, base, CUDA_R_32F));
  line("get coo",
       cusparseCooGet(matrix, &m, &n, &nonzero, &first, &second, &third, &row_index, &got, &type),
       m, n, nonzero, row_index, got, type);
  line("set coo pointers", cusparseCooSetPointers(matrix, rows, columns, values));
  ask("coo", matrix);
  line("create ell",
       cusparseCreateBlockedEll(&matrix, 4, 4, 2, 2, columns, values, index, base, CUDA_R_32F));
  ask("ell", matrix);
}

void descriptors() {
  cusparseSpGEMMDescr_t product = nullptr;
  cusparseSpSVDescr_t vector = nullptr;
  cusparseSpSMDescr_t matrix = nullptr;
  line("create spgemm", cusparseSpGEMM_createDescr(&product), product);
  line("destroy spgemm", cusparseSpGEMM_destroyDescr(product));
  line("create spsv", cusparseSpSV_createDescr(&vector), vector);
  line("destroy spsv", cusparseSpSV_destroyDescr(vector));
  line("create spsm", cusparseSpSM_createDescr(&matrix), matrix);
  line("destroy spsm", cusparseSpSM_destroyDescr(matrix));
  line("log level", cusparseLoggerSetLevel(0));
  line("log level out of range", cusparseLoggerSetLevel(99));
  line("log mask", cusparseLoggerSetMask(0));
  line("log callback", cusparseLoggerSetCallback(nullptr));
  line("log file", cusparseLoggerSetFile(nullptr));
  line("log off", cusparseLoggerForceDisable());
}

void without_handle() {
  const float one = 1;
  std::size_t bytes = 77;
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_DEVICE;
  const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  line("set stream", cusparseSetStream(nullptr, nullptr));
  line("get stream", cusparseGetStream(nullptr, &stream), stream);
  line("set mode", cusparseSetPointerMode(nullptr, CUSPARSE_POINTER_MODE_HOST));
  line("get mode", cusparseGetPointerMode(nullptr, &mode), mode);
  line("axpby", cusparseAxpby(nullptr, &one, nullptr, &one, nullptr));
  line("gather", cusparseGather(nullptr, nullptr, nullptr));
  line("spmv size", cusparseSpMV_bufferSize(nullptr, plain, &one, nullptr, nullptr, &one, nullptr,
                                            CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
  line("spmv", cusparseSpMV(nullptr, plain, &one, nullptr, nullptr, &one, nullptr, CUDA_R_32F,
                            CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
  line("spmm size",
       cusparseSpMM_bufferSize(nullptr, plain, plain, &one, nullptr, nullptr, &one, nullptr,
                               CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
  line("csr sort size", cusparseXcsrsort_bufferSizeExt(nullptr, 4, 3, 5, rows, columns, &bytes));
}

// Gone in 12, where the stub makes them from others. Without a handle they answer as 11's did; the
// programs for 12 and 13 say what that is.
void dropped_in_12() {
  const float one = 1;
  std::size_t bytes = 77;
#if PROGRAM_MAJOR < 12
  cusparseMatDescr_t matrix = nullptr;
  cusparseCreateMatDescr(&matrix);
  const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const auto base = CUSPARSE_INDEX_BASE_ZERO;
  const auto type = CUDA_R_32F;
  line("gthr", cusparseSgthr(nullptr, 4, values, values, rows, base));
  line("sctr", cusparseSsctr(nullptr, 4, values, rows, values, base));
  line("roti", cusparseSroti(nullptr, 4, values, rows, values, &one, &one, base));
  line("csr2dense", cusparseScsr2dense(nullptr, 4, 3, matrix, values, rows, columns, values, 4));
  line("csc2dense", cusparseScsc2dense(nullptr, 4, 3, matrix, values, rows, columns, values, 4));
  line("dense2csr",
       cusparseSdense2csr(nullptr, 4, 3, matrix, values, 4, rows, values, rows, columns));
  line("dense2csc",
       cusparseSdense2csc(nullptr, 4, 3, matrix, values, 4, columns, values, rows, columns));
  line("gemmi", cusparseSgemmi(nullptr, 4, 3, 2, 5, &one, values, 4, values, columns, rows, &one,
                               values, 4));
  line("csrmvex size",
       cusparseCsrmvEx_bufferSize(nullptr, CUSPARSE_ALG_MERGE_PATH, plain, 4, 3, 5, &one, type,
                                  matrix, values, type, rows, columns, values, type, &one, type,
                                  values, type, type, &bytes));
  line("csrmvex",
       cusparseCsrmvEx(nullptr, CUSPARSE_ALG_MERGE_PATH, plain, 4, 3, 5, &one, type, matrix, values,
                       type, rows, columns, values, type, &one, type, values, type, type, values));
  line("constrained gemm size",
       cusparseConstrainedGeMM_bufferSize(nullptr, plain, plain, &one, nullptr, nullptr, &one,
                                          nullptr, type, &bytes));
  line("constrained gemm", cusparseConstrainedGeMM(nullptr, plain, plain, &one, nullptr, nullptr,
                                                   &one, nullptr, type, values));
  cusparseDestroyMatDescr(matrix);
#else
  for (const char* name : {"gthr", "sctr", "roti", "csr2dense", "csc2dense", "dense2csr",
                           "dense2csc", "gemmi", "csrmvex size", "csrmvex"}) {
    line(name, CUSPARSE_STATUS_NOT_INITIALIZED);
  }
  const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  line("constrained gemm size",
       cusparseSDDMM_bufferSize(nullptr, plain, plain, &one, nullptr, nullptr, &one, nullptr,
                                CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
  line("constrained gemm", cusparseSDDMM(nullptr, plain, plain, &one, nullptr, nullptr, &one,
                                         nullptr, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, values));
#endif
}

// Deprecated in 11, gone in 12.
void until_11() {
#if PROGRAM_MAJOR < 12
  csrsv2Info_t triangle = nullptr;
  csrgemm2Info_t product = nullptr;
  line("create csrsv2", cusparseCreateCsrsv2Info(&triangle));
  line("create csrgemm2", cusparseCreateCsrgemm2Info(&product));
  line("sparse batch", cusparseSpMatSetStridedBatch(nullptr, 2));
#endif
}

void from_12_on() {
#if PROGRAM_MAJOR >= 12
  cusparseConstDnVecDescr_t vector = nullptr;
  cusparseSpMatDescr_t matrix = nullptr;
  line("create const vector", cusparseCreateConstDnVec(&vector, 16, values, CUDA_R_32F));
  line("create bsr", cusparseCreateBsr(&matrix, 2, 2, 2, 2, 2, rows, columns, values,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F, CUSPARSE_ORDER_ROW));
#endif
}

void from_13_on() {
#if PROGRAM_MAJOR >= 13
  cusparseSpGEAMDescr_t sum = nullptr;
  line("create spgeam", cusparseSpGEAM_createDescr(&sum));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"texts", texts},
                      {"create", create},
                      {"legacy-matrix", legacy_matrix},
                      {"dense", dense},
                      {"sparse-vector", sparse_vector},
                      {"sparse-matrices", sparse_matrices},
                      {"descriptors", descriptors},
                      {"without-handle", without_handle},
                      {"dropped-in-12", dropped_in_12},
                      {"until-11", until_11},
                      {"from-12-on", from_12_on},
                      {"from-13-on", from_13_on}});
}
