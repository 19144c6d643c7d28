// SPDX-License-Identifier: Apache-2.0

// cuBLAS's factorisations and solutions of several small systems at once.
#include "cublas_batch.h"

namespace maths {
namespace {

constexpr int kSize = 8, kSides = 3, kRows = 12;

void triangles(const Blas& blas) {
  const auto body = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const auto a = batch_of([](int i) { return drawn_triangle<T>(kSize, 1 + i, false); });
    const auto x = drawn_batch<T>(kSize, kSides, 11);
    const Batch<T> on_a(a), on_b(batch_of([&](int i) { return a[i] * x[i]; }));
    const T one = number<T>(1);
    if (form(check, blas.handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
             CUBLAS_DIAG_NON_UNIT, kSize, kSides, &one, on_a.addresses.data(), kSize,
             on_b.addresses.data(), kSize, kBatch))
      compare_batch(check, "X", on_b, x);
  };
  each(body, FORM(Double, cublasDtrsmBatched), FORM(ComplexFloat, cublasCtrsmBatched),
       WIDE(ComplexDouble, cublasZtrsmBatched_64));
}

// The factors L and U in one matrix, and the rows that were exchanged, counted from one.
Matrix rebuilt(const Matrix& factors, const int* pivots) {
  const Matrix lower = made(kSize, kSize, [&](int i, int j) {
    return i == j ? Value(1) : i > j ? factors.at(i, j) : Value(0);
  });
  Matrix a = lower *
             made(kSize, kSize, [&](int i, int j) { return i <= j ? factors.at(i, j) : Value(0); });
  for (int i = kSize - 1; i >= 0; --i) {
    for (int j = 0; j < kSize; ++j) std::swap(a.at(i, j), a.at(pivots[i] - 1, j));
  }
  return a;
}

// Factors of general matrices; solutions and inverses from the factors.
void general(const Blas& blas) {
  const auto inverse_ones =
      batch_of([](int) { return made(kSize, kSize, [](int i, int j) { return Value(i == j); }); });
  const auto body = [&](auto factorise, auto solve, auto invert) {
    using T = NUMBER(factorise);
    const auto a = drawn_batch<T>(kSize, kSize, 21), x = drawn_batch<T>(kSize, kSides, 31);
    const Batch<T> on_a(a), inverse(a);
    const Batch<T> on_b(batch_of([&](int i) { return a[i] * x[i]; }));
    const DeviceArray<int> pivots(kBatch * kSize), info(kBatch);
    each(
        [&](Check& check, auto form) {
          if (!form(check, blas.handle, kSize, on_a.addresses.data(), kSize, pivots.data(),
                    info.data(), kBatch))
            return;
          const std::vector<Matrix> factors = on_a.back(check);
          const std::vector<int> rows = pivots.get(check);
          const Batch<T> got(
              batch_of([&](int i) { return rebuilt(factors[i], &rows[i * kSize]); }));
          compare_batch(check, "P L U", got, a);
          check.near("info", flat(info.get(check)), {0, 0, 0}, 0);
        },
        factorise);
    each(
        [&](Check& check, auto form) {
          Guarded<int> wrong;
          if (form(check, blas.handle, CUBLAS_OP_N, kSize, kSides, on_a.addresses.data(), kSize,
                   pivots.data(), on_b.addresses.data(), kSize, wrong.get(), kBatch)) {
            check.near("X", flat(on_b.all.get(check)), flat(Batch<T>::joined(x)),
                       100 * tolerance<T>);
            check.equal("info", *wrong, 0);
          }
          INTACT(check, wrong);
        },
        solve);
    each(
        [&](Check& check, auto form) {
          if (!form(check, blas.handle, kSize, on_a.addresses.data(), kSize, pivots.data(),
                    inverse.addresses.data(), kSize, info.data(), kBatch))
            return;
          const std::vector<Matrix> found = inverse.back(check);
          const Batch<T> got(batch_of([&](int i) { return a[i] * found[i]; }));
          check.near("A times its inverse", flat(got.all.get(check)),
                     flat(Batch<T>::joined(inverse_ones)), 100 * tolerance<T>);
          check.near("info", flat(info.get(check)), {0, 0, 0}, 0);
        },
        invert);
  };
  body(FORM(ComplexDouble, cublasZgetrfBatched), FORM(ComplexDouble, cublasZgetrsBatched),
       FORM(ComplexDouble, cublasZgetriBatched));
  body(FORM(Float, cublasSgetrfBatched), FORM(Float, cublasSgetrsBatched),
       FORM(Float, cublasSgetriBatched));
  const auto direct = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const auto a = solvable<T>(kSize, 41);
    const Batch<T> on_a(a), inverse(a);
    const DeviceArray<int> info(kBatch);
    if (!form(check, blas.handle, kSize, on_a.addresses.data(), kSize, inverse.addresses.data(),
              kSize, info.data(), kBatch))
      return;
    const std::vector<Matrix> found = inverse.back(check);
    const Batch<T> got(batch_of([&](int i) { return a[i] * found[i]; }));
    compare_batch(check, "A times its inverse", got, inverse_ones);
    check.near("info", flat(info.get(check)), {0, 0, 0}, 0);
  };
  each(direct, FORM(Float, cublasSmatinvBatched), FORM(ComplexDouble, cublasZmatinvBatched));
}

// Orthogonal factors and least squares, of matrices with more rows than columns.
void rectangular(const Blas& blas) {
  const auto factors = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const auto a = drawn_batch<T>(kRows, kSize, 51);
    const Batch<T> on_a(a), on_tau(drawn_batch<T>(kSize, 1, 61));
    Guarded<int> wrong;
    if (form(check, blas.handle, kRows, kSize, on_a.addresses.data(), kRows,
             on_tau.addresses.data(), wrong.get(), kBatch)) {
      check.equal("info", *wrong, 0);
      // A is the product of the reflectors and R.
      const std::vector<Matrix> found = on_a.back(check), tau = on_tau.back(check);
      const auto rebuild = [&](int at) {
        Matrix q = made(kRows, kSize,
                        [&](int i, int j) { return i <= j ? found[at].at(i, j) : Value(0); });
        for (int r = kSize - 1; r >= 0; --r) {
          const Matrix v = made(kRows, 1, [&](int i, int) {
            return i == r ? Value(1) : i > r ? found[at].at(i, r) : Value(0);
          });
          q = q + -tau[at].at(r, 0) * (v * (adjoint(v) * q));
        }
        return q;
      };
      compare_batch(check, "Q R", Batch<T>(batch_of(rebuild)), a);
    }
    INTACT(check, wrong);
  };
  each(factors, FORM(Double, cublasDgeqrfBatched), FORM(ComplexFloat, cublasCgeqrfBatched));
  // The solution of least squares leaves what A' takes to zero.
  const auto squares = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const auto a = drawn_batch<T>(kRows, kSize, 71), b = drawn_batch<T>(kRows, kSides, 81);
    const Batch<T> on_a(a), on_b(b);
    const DeviceArray<int> infos(kBatch);
    Guarded<int> wrong;
    if (form(check, blas.handle, CUBLAS_OP_N, kRows, kSize, kSides, on_a.addresses.data(), kRows,
             on_b.addresses.data(), kRows, wrong.get(), infos.data(), kBatch)) {
      check.equal("info", *wrong, 0);
      check.near("infos", flat(infos.get(check)), {0, 0, 0}, 0);
      const std::vector<Matrix> found = on_b.back(check);
      const auto left = [&](int i) {
        const Matrix x = made(kSize, kSides, [&](int row, int j) { return found[i].at(row, j); });
        return adjoint(a[i]) * (a[i] * x + Value(-1) * b[i]);
      };
      compare_batch(check, "A' (A x - b)", Batch<T>(batch_of(left)),
                    batch_of([](int) { return Matrix(kSize, kSides); }));
    }
    INTACT(check, wrong);
  };
  each(squares, FORM(Float, cublasSgelsBatched), FORM(ComplexDouble, cublasZgelsBatched));
}

}  // namespace

void run() {
  Check handle("cublas.handle");
  const Blas blas(handle);
  if (!handle) return;
  triangles(blas);
  general(blas);
  rectangular(blas);
}

}  // namespace maths
