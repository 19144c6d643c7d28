// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: the handle, the logger, and sparse and dense vectors by the generic functions.
#include <cstdio>
#include <string>

#include "sparse_families.h"

namespace maths {
namespace {

constexpr int kSize = 61, kEntries = 9;

std::vector<int> places() {
  std::vector<int> all(kEntries);
  for (int i = 0; i < kEntries; ++i) all[i] = 7 * i + 2;
  return all;
}

// A sparse vector and a dense one, on both sides.
template <typename T>
struct Vectors {
  Vectors(Check& check, cudaDataType type)
      : sparse(check, "cusparseCreateSpVec", cusparseCreateSpVec, "cusparseDestroySpVec",
               cusparseDestroySpVec, kSize, kEntries, at.data(), x.data(), kInt, kBase0, type),
        dense(check, "cusparseCreateDnVec", cusparseCreateDnVec, "cusparseDestroyDnVec",
              cusparseDestroyDnVec, kSize, y.data(), type) {}
  const std::vector<T> from_x = random_values<T>(kEntries, 1), from_y = random_values<T>(kSize, 2);
  const DeviceArray<int> at{places()};
  const DeviceArray<T> x{from_x}, y{from_y};
  const Made<cusparseSpVecDescr_t> sparse;
  const Made<cusparseDnVecDescr_t> dense;
};

void handle(Check& check, const Sparse& sparse) {
  GIVEN(check, cudaStream_t, stream, cusparseGetStream, sparse.handle);
  EXPECT(check, *stream == sparse.stream);
  NEED(check, cusparseSetPointerMode(sparse.handle, CUSPARSE_POINTER_MODE_DEVICE));
  GIVEN(check, cusparsePointerMode_t, mode, cusparseGetPointerMode, sparse.handle);
  EXPECT(check, *mode == CUSPARSE_POINTER_MODE_DEVICE);
  NEED(check, cusparseSetPointerMode(sparse.handle, CUSPARSE_POINTER_MODE_HOST));
  GIVEN(check, int, major, cusparseGetProperty, MAJOR_VERSION);
  GIVEN(check, int, version, cusparseGetVersion, sparse.handle);
  EXPECT(check, *version / 1000 == *major);
  EXPECT(check, std::string(cusparseGetErrorString(CUSPARSE_STATUS_ZERO_PIVOT)) == "zero pivot");
}

// y = alpha x + beta y
void axpby(Check& check, const Sparse& sparse) {
  const Vectors<DoubleComplex> v(check, CUDA_C_64F);
  if (!check) return;
  const DoubleComplex alpha{2, 1}, beta{0.5, -1};
  NEED(check, cusparseAxpby(sparse.handle, &alpha, v.sparse, &beta, v.dense));
  std::vector<DoubleComplex> want = v.from_y;
  for (DoubleComplex& value : want) value *= beta;
  for (int i = 0; i < kEntries; ++i) want[places()[i]] += alpha * v.from_x[i];
  check.near("y", flat(v.y.get(check)), flat(want), 1e-13);
}

// x = y's values at x's places
void gather(Check& check, const Sparse& sparse) {
  const Vectors<float> v(check, CUDA_R_32F);
  if (!check) return;
  NEED(check, cusparseGather(sparse.handle, v.dense, v.sparse));
  std::vector<float> want;
  for (const int place : places()) want.push_back(v.from_y[place]);
  check.near("x", flat(v.x.get(check)), flat(want), 0);
}

// x's values to y's places
void scatter(Check& check, const Sparse& sparse) {
  const Vectors<Complex> v(check, CUDA_C_32F);
  if (!check) return;
  NEED(check, cusparseScatter(sparse.handle, v.sparse, v.dense));
  std::vector<Complex> want = v.from_y;
  for (int i = 0; i < kEntries; ++i) want[places()[i]] = v.from_x[i];
  check.near("y", flat(v.y.get(check)), flat(want), 0);
}

// (x, y) = (c x + s y, c y - s x)
void rotation(Check& check, const Sparse& sparse) {
  const Vectors<double> v(check, CUDA_R_64F);
  if (!check) return;
  const double c = 0.8, s = 0.6;
  NEED(check, cusparseRot(sparse.handle, &c, &s, v.sparse, v.dense));
  std::vector<double> x = v.from_x, y = v.from_y;
  for (int i = 0; i < kEntries; ++i) {
    double& of_y = y[places()[i]];
    x[i] = c * v.from_x[i] + s * of_y;
    of_y = c * of_y - s * v.from_x[i];
  }
  check.near("x", v.x.get(check), x, 1e-13);
  check.near("y", v.y.get(check), y, 1e-13);
}

// The sum of conj(x) y
void inner_product(Check& check, const Sparse& sparse) {
  const Vectors<DoubleComplex> v(check, CUDA_C_64F);
  if (!check) return;
  const auto conjugate = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  Guarded<DoubleComplex> result;
  WORKSPACE(check, std::size_t, work, cusparseSpVV_bufferSize, sparse.handle, conjugate, v.sparse,
            v.dense, result.get(), CUDA_C_64F);
  NEED(check, cusparseSpVV(sparse.handle, conjugate, v.sparse, v.dense, result.get(), CUDA_C_64F,
                           work.data()));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  INTACT(check, result);
  DoubleComplex want{};
  for (int i = 0; i < kEntries; ++i) want += std::conj(v.from_x[i]) * v.from_y[places()[i]];
  check.near("x y", {result->real(), result->imag()}, {want.real(), want.imag()}, 1e-13);
}

// The properties in a sparse vector's descriptor.
void of_sparse(Check& check, const Sparse&) {
  const Vectors<double> v(check, CUDA_R_64F);
  if (!check) return;
  Guarded<std::int64_t> size, entries;
  Guarded<void*> indices, values;
  Guarded<cusparseIndexType_t> index_type;
  Guarded<cusparseIndexBase_t> base;
  Guarded<cudaDataType> type;
  NEED(check, cusparseSpVecGet(v.sparse, size.get(), entries.get(), indices.get(), values.get(),
                               index_type.get(), base.get(), type.get()));
  INTACT(check, size);
  INTACT(check, entries);
  INTACT(check, indices);
  INTACT(check, values);
  INTACT(check, index_type);
  INTACT(check, base);
  INTACT(check, type);
  EXPECT(check, *size == kSize && *entries == kEntries && *indices == v.at.data() &&
                    *values == v.x.data() && *index_type == kInt && *base == kBase0 &&
                    *type == CUDA_R_64F);
  GIVEN(check, cusparseIndexBase_t, only_base, cusparseSpVecGetIndexBase, v.sparse);
  EXPECT(check, *only_base == kBase0);
  const DeviceArray<double> others(kEntries);
  NEED(check, cusparseSpVecSetValues(v.sparse, others.data()));
  GIVEN(check, void*, set, cusparseSpVecGetValues, v.sparse);
  EXPECT(check, *set == others.data());
}

void of_dense(Check& check, const Sparse&) {
  const Vectors<double> v(check, CUDA_R_64F);
  if (!check) return;
  Guarded<std::int64_t> size;
  Guarded<void*> values;
  Guarded<cudaDataType> type;
  NEED(check, cusparseDnVecGet(v.dense, size.get(), values.get(), type.get()));
  INTACT(check, size);
  INTACT(check, values);
  INTACT(check, type);
  EXPECT(check, *size == kSize && *values == v.y.data() && *type == CUDA_R_64F);
  const DeviceArray<double> others(kSize);
  NEED(check, cusparseDnVecSetValues(v.dense, others.data()));
  GIVEN(check, void*, set, cusparseDnVecGetValues, v.dense);
  EXPECT(check, *set == others.data());
}

// The same of vectors that are only read, which 11 does not have: y += x from them.
void constant([[maybe_unused]] Check& check, [[maybe_unused]] const Sparse& sparse) {
#if CUSPARSE_VERSION >= 12000
  const Vectors<double> v(check, CUDA_R_64F);
  MADE(check, cusparseConstSpVecDescr_t, x, cusparseCreateConstSpVec, cusparseDestroySpVec, kSize,
       kEntries, v.at.data(), v.x.data(), kInt, kBase0, CUDA_R_64F);
  MADE(check, cusparseConstDnVecDescr_t, y, cusparseCreateConstDnVec, cusparseDestroyDnVec, kSize,
       v.y.data(), CUDA_R_64F);
  Guarded<std::int64_t> size, entries, dense_size;
  Guarded<const void*> indices, values, dense_values;
  Guarded<cusparseIndexType_t> index_type;
  Guarded<cusparseIndexBase_t> base;
  Guarded<cudaDataType> type, dense_type;
  NEED(check, cusparseConstSpVecGet(x, size.get(), entries.get(), indices.get(), values.get(),
                                    index_type.get(), base.get(), type.get()));
  INTACT(check, indices);
  INTACT(check, values);
  INTACT(check, type);
  EXPECT(check, *size == kSize && *entries == kEntries && *indices == v.at.data() &&
                    *values == v.x.data() && *index_type == kInt && *base == kBase0 &&
                    *type == CUDA_R_64F);
  NEED(check, cusparseConstDnVecGet(y, dense_size.get(), dense_values.get(), dense_type.get()));
  INTACT(check, dense_size);
  INTACT(check, dense_values);
  INTACT(check, dense_type);
  EXPECT(check, *dense_size == kSize && *dense_values == v.y.data() && *dense_type == CUDA_R_64F);
  GIVEN(check, const void*, of_x, cusparseConstSpVecGetValues, x);
  GIVEN(check, const void*, of_y, cusparseConstDnVecGetValues, y);
  EXPECT(check, *of_x == v.x.data() && *of_y == v.y.data());
  const double one = 1;
  NEED(check, cusparseAxpby(sparse.handle, &one, x, &one, v.dense));
  std::vector<double> want = v.from_y;
  for (int i = 0; i < kEntries; ++i) want[places()[i]] += v.from_x[i];
  check.near("y", v.y.get(check), want, 1e-13);
#endif
}

// y = alpha A x + beta y, where A is dense and x sparse
void dense_matrix(Check& check, const Sparse& sparse) {
  constexpr int kRows = 13;
  const auto a = random_values<Complex>(kRows * kSize, 3), x = random_values<Complex>(kEntries, 4);
  const auto y = random_values<Complex>(kRows, 5);
  const DeviceArray<Complex> on_a(a), on_x(x), on_y(y);
  const DeviceArray<int> at(places());
  const Complex alpha{2, 1}, beta{0.5, 0};
  const cuComplex device_alpha{2, 1}, device_beta{0.5, 0};
  WORKSPACE(check, int, work, cusparseCgemvi_bufferSize, sparse.handle, kN, kRows, kSize, kEntries);
  NEED(check,
       cusparseCgemvi(sparse.handle, kN, kRows, kSize, &device_alpha, of(on_a), kRows, kEntries,
                      of(on_x), at.data(), &device_beta, of(on_y), kBase0, work.data()));
  std::vector<Complex> want = y;
  for (int i = 0; i < kRows; ++i) {
    Complex sum{};
    for (int j = 0; j < kEntries; ++j) sum += a[i + places()[j] * kRows] * x[j];
    want[i] = alpha * sum + beta * y[i];
  }
  check.near("y", flat(on_y.get(check)), flat(want), 1e-5);
}

int messages = 0;

// The file and the callback get the library's messages about a call until logging is disabled.
void logger(Check& check, const Sparse& sparse) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return check.fail("no temporary file");
  NEED(check, cusparseLoggerSetFile(file));
  NEED(check, cusparseLoggerSetCallback([](int, const char*, const char*) { ++messages; }));
  NEED(check, cusparseLoggerSetLevel(5));
  NEED(check, cusparseLoggerSetMask(0x1f));
  const auto call = [&] {
    const Vectors<double> v(check, CUDA_R_64F);
    if (check) CALL(check, cusparseScatter(sparse.handle, v.sparse, v.dense));
  };
  call();
  std::fflush(file);
  EXPECT(check, messages > 0);
  EXPECT(check, std::ftell(file) > 0);
  NEED(check, cusparseLoggerOpenFile("/dev/null"));
  NEED(check, cusparseLoggerForceDisable());
  const int before = messages;
  call();
  EXPECT(check, messages == before);
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_vectors", {{"handle", handle},
                                               {"axpby", axpby},
                                               {"gather", gather},
                                               {"scatter", scatter},
                                               {"rotation", rotation},
                                               {"inner_product", inner_product},
                                               {"of_sparse", of_sparse},
                                               {"of_dense", of_dense},
                                               {"constant", constant},
                                               {"dense_matrix", dense_matrix},
                                               {"logger", logger}});
}

}  // namespace maths
