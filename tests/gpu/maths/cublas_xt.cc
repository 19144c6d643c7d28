// SPDX-License-Identifier: Apache-2.0

// cublasXt: matrices of the host, which the library cuts into tiles.
#include <cublasXt.h>

#include "cublas_families.h"

namespace maths {
namespace {

constexpr int kM = 70, kN = 50, kK = 60, kTile = 32;
const Value kAlpha(1.5), kBeta(-0.5);
int cpu_calls = 0;

// The program's own product, as Fortran declares it: C = alpha op(A) op(B) + beta C.
void cpu_dgemm(const char* turn_a, const char* turn_b, const int* m, const int* n, const int* k,
               const double* alpha, const double* a, const int* lda, const double* b,
               const int* ldb, const double* beta, double* c, const int* ldc) {
  ++cpu_calls;
  const auto plain = [](const char* turn) { return *turn == 'N' || *turn == 'n'; };
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      double sum = 0;
      for (int l = 0; l < *k; ++l) {
        sum += a[plain(turn_a) ? i + l * *lda : l + i * *lda] *
               b[plain(turn_b) ? l + j * *ldb : j + l * *ldb];
      }
      c[i + j * *ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);
    }
  }
}

struct Xt {
  explicit Xt(Check& check) {
    Guarded<cublasXtHandle_t> made;
    if (!CALL(check, cublasXtCreate(made.get()))) return;
    INTACT(check, made);
    handle = *made;
    Guarded<int> device(0);
    CALL(check, cublasXtDeviceSelect(handle, 1, device.get()));
    INTACT(check, device);
  }
  ~Xt() {
    Check check("cublas.XtDestroy");
    if (handle != nullptr) CALL(check, cublasXtDestroy(handle));
  }
  Xt(const Xt&) = delete;
  Xt& operator=(const Xt&) = delete;
  cublasXtHandle_t handle = nullptr;
};

void settings(const Xt& xt) {
  Check check("cublas.xt_settings");
  Guarded<int> most;
  if (CALL(check, cublasXtMaxBoards(most.get()))) EXPECT(check, *most >= 1);
  INTACT(check, most);
  // The function adds to the number, which the caller sets to zero.
  Guarded<int> device(0), boards(0);
  if (CALL(check, cublasXtGetNumBoards(1, device.get(), boards.get())))
    check.equal("boards", *boards, 1);
  INTACT(check, device);
  INTACT(check, boards);
  Guarded<int> tile;
  NEED(check, cublasXtSetBlockDim(xt.handle, kTile));
  NEED(check, cublasXtGetBlockDim(xt.handle, tile.get()));
  check.equal("tile", *tile, kTile);
  INTACT(check, tile);
  Guarded<cublasXtPinnedMemMode_t> pinning;
  NEED(check, cublasXtSetPinningMemMode(xt.handle, CUBLASXT_PINNING_ENABLED));
  NEED(check, cublasXtGetPinningMemMode(xt.handle, pinning.get()));
  EXPECT(check, *pinning == CUBLASXT_PINNING_ENABLED);
  INTACT(check, pinning);
  NEED(check, cublasXtSetPinningMemMode(xt.handle, CUBLASXT_PINNING_DISABLED));
}

// A matrix of the host between numbers that must stay as they are.
template <typename T>
class OnHost {
 public:
  explicit OnHost(const Matrix& matrix) : values_(matrix.values.size() + 2 * kGuard, T(kMark)) {
    const std::vector<T> numbers = numbers_of<T>(matrix);
    std::copy(numbers.begin(), numbers.end(), values_.begin() + kGuard);
  }
  const T* data() const { return values_.data() + kGuard; }
  T* data() { return values_.data() + kGuard; }
  std::vector<T> get(Check& check) const {
    for (std::size_t i = 0; i < kGuard; ++i) {
      if (values_[i] != T(kMark) || values_[values_.size() - 1 - i] != T(kMark)) {
        check.fail("host memory written outside of the matrix");
        break;
      }
    }
    return std::vector<T>(values_.begin() + kGuard, values_.end() - kGuard);
  }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr int kMark = 77;
  std::vector<T> values_;
};
// Only one triangle.
template <typename T>
void compare_upper(Check& check, const OnHost<T>& got, const Matrix& want) {
  std::vector<T> values = got.get(check);
  for (int j = 0; j < want.columns; ++j) {
    for (int i = j + 1; i < want.rows; ++i) values[i + j * want.rows] = number<T>(want.at(i, j));
  }
  compare(check, "C", values, want);
}

// A factor at an address that is a multiple of 16: cublasXt reads 16 bytes there with an aligned
// load, whatever the type.
template <typename T>
struct alignas(16) Factor {
  T value;
  explicit Factor(const Value& from) : value(number<T>(from)) {}
};

template <typename T>
struct Product {
  Matrix a = drawn<T>(kM, kK, 1), b = drawn<T>(kN, kK, 2), c = drawn<T>(kM, kN, 3);
  OnHost<T> on_a{a}, on_b{b}, on_c{c};
  Factor<T> alpha{kAlpha}, beta{kBeta};
};

auto product_on(const Xt& xt) {
  return [&](Check& check, auto form) {
    Product<NUMBER(form)> on;
    if (form(check, xt.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha.value,
             on.on_a.data(), kM, on.on_b.data(), kN, &on.beta.value, on.on_c.data(), kM))
      compare(check, "C", on.on_c.get(check), kAlpha * (on.a * adjoint(on.b)) + kBeta * on.c);
  };
}
void products(const Xt& xt) {
  each(product_on(xt), FORM(Float, cublasXtSgemm), FORM(ComplexDouble, cublasXtZgemm));
}

// Half of a product by the program's own function.
void shared(const Xt& xt) {
  const auto body = [&](Check& check, auto form) {
    NEED(check, cublasXtSetCpuRoutine(xt.handle, CUBLASXT_GEMM, CUBLASXT_DOUBLE,
                                      reinterpret_cast<void*>(cpu_dgemm)));
    NEED(check, cublasXtSetCpuRatio(xt.handle, CUBLASXT_GEMM, CUBLASXT_DOUBLE, 0.5f));
    product_on(xt)(check, form);
    if (cpu_calls == 0) check.fail("the program's function was not called");
  };
  each(body, FORM(Double, cublasXtDgemm));
}

// Symmetric, Hermitian and packed matrices from the left.
void symmetric(const Xt& xt) {
  for (const bool hermitian : {false, true}) {
    const auto full = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_symmetric<T>(kM, 4, hermitian), b = drawn<T>(kM, kN, 5),
                   c = drawn<T>(kM, kN, 6);
      OnHost<T> on_a(a), on_b(b), on_c(c);
      const Factor<T> alpha(kAlpha), beta(kBeta);
      if (form(check, xt.handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, kM, kN, &alpha.value,
               on_a.data(), kM, on_b.data(), kM, &beta.value, on_c.data(), kM))
        compare(check, "C", on_c.get(check), kAlpha * (a * b) + kBeta * c);
    };
    if (hermitian) {
      each(full, FORM(ComplexFloat, cublasXtChemm));
    } else {
      each(full, FORM(Double, cublasXtDsymm));
    }
  }
  const auto pack = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn_symmetric<T>(kM, 7), b = drawn<T>(kM, kN, 8), c = drawn<T>(kM, kN, 9);
    OnHost<T> on_a(packed(a, true)), on_b(b), on_c(c);
    const Factor<T> alpha(kAlpha), beta(kBeta);
    if (form(check, xt.handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, kM, kN, &alpha.value,
             on_a.data(), on_b.data(), kM, &beta.value, on_c.data(), kM))
      compare(check, "C", on_c.get(check), kAlpha * (a * b) + kBeta * c);
  };
  each(pack, FORM(Float, cublasXtSspmm));
}

template <bool kHermitian>
void updates(const Xt& xt) {
  const auto body = [&](int factors) {
    return [&xt, factors](Check& check, auto form) {
      using T = NUMBER(form);
      using One = std::conditional_t<kHermitian, Real<T>, T>;
      const Matrix a = drawn<T>(kN, kK, 10), c = drawn_symmetric<T>(kN, 12, kHermitian),
                   b = factors == 3 ? Value(0.5) * a : drawn<T>(kN, kK, 11);
      OnHost<T> on_a(a), on_b(b), on_c(c);
      const Factor<T> alpha(kAlpha);
      const Factor<One> real_alpha(kAlpha), beta(kBeta);
      const size_t n = kN, k = kK;
      Matrix sum = a * turned(factors == 1 ? a : b, kHermitian);
      if (factors == 2) sum = sum + b * turned(a, kHermitian);
      bool done = false;
      if constexpr (std::is_invocable_v<
                        decltype(form.function), cublasXtHandle_t, cublasFillMode_t,
                        cublasOperation_t, size_t, size_t, decltype(raw(&real_alpha.value)),
                        decltype(raw(on_a.data())), size_t, decltype(raw(&beta.value)),
                        decltype(raw(on_c.data())), size_t>) {
        done = form(check, xt.handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, k, &real_alpha.value,
                    on_a.data(), n, &beta.value, on_c.data(), n);
      } else {
        done = form(check, xt.handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, k, &alpha.value,
                    on_a.data(), n, on_b.data(), n, &beta.value, on_c.data(), n);
      }
      if (done) compare_upper(check, on_c, kAlpha * sum + kBeta * c);
    };
  };
  if constexpr (kHermitian) {
    each(body(1), FORM(ComplexFloat, cublasXtCherk));
    each(body(2), FORM(ComplexDouble, cublasXtZher2k));
    each(body(3), FORM(ComplexFloat, cublasXtCherkx));
  } else {
    each(body(1), FORM(Double, cublasXtDsyrk));
    each(body(2), FORM(Float, cublasXtSsyr2k));
    each(body(3), FORM(ComplexDouble, cublasXtZsyrkx));
  }
}

void triangles(const Xt& xt) {
  const auto multiplied = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn_triangle<T>(kM, 13, true), b = drawn<T>(kM, kN, 14);
    OnHost<T> on_a(a), on_b(b), on_c(Matrix(kM, kN));
    const Factor<T> alpha(kAlpha);
    if (form(check, xt.handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
             CUBLAS_DIAG_NON_UNIT, kM, kN, &alpha.value, on_a.data(), kM, on_b.data(), kM,
             on_c.data(), kM))
      compare(check, "C", on_c.get(check), kAlpha * (a * b));
  };
  each(multiplied, FORM(ComplexFloat, cublasXtCtrmm));
  // Smaller numbers beside the diagonal: a solution of this size stays near.
  const auto solved = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix drawn_a = drawn_triangle<T>(kM, 15, false), x = drawn<T>(kM, kN, 16);
    const Matrix a = made(kM, kM, [&](int i, int j) {
      return i == j ? drawn_a.at(i, j) : Value(0.125) * drawn_a.at(i, j);
    });
    OnHost<T> on_a(a), on_b(a * x);
    const Factor<T> alpha(kAlpha);
    if (form(check, xt.handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
             CUBLAS_DIAG_NON_UNIT, kM, kN, &alpha.value, on_a.data(), kM, on_b.data(), kM))
      compare(check, "X", on_b.get(check), kAlpha * x);
  };
  each(solved, FORM(Double, cublasXtDtrsm));
}

}  // namespace

void run() {
  Check handle("cublas.XtCreate");
  const Xt xt(handle);
  if (!handle) return;
  settings(xt);
  products(xt);
  symmetric(xt);
  updates<false>(xt);
  updates<true>(xt);
  triangles(xt);
  shared(xt);
}

}  // namespace maths
