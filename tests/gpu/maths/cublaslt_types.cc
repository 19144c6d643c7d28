// SPDX-License-Identifier: Apache-2.0

// cuBLASLt: products of each kind of numbers, batches, alpha and beta on the device, epilogues,
// emulated precision.
#include "cublaslt_support.h"

#include <cmath>

namespace maths {
namespace {

constexpr int kM = 32, kN = 48, kK = 64;
constexpr Types kSingle{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F};

// Small whole numbers: A as the descriptors need it, B, and their product.
struct Whole {
  explicit Whole(bool transposed_a = false) {
    want = flat(product(a, b, kM, kN, kK));
    if (transposed_a) a = transposed(a, kM, kK);
  }
  std::vector<int> a = small_values(kM * kK, 1), b = small_values(kK * kN, 2);
  std::vector<double> want;
};

template <typename T, typename Encode>
std::vector<T> encoded(const std::vector<int>& values, Encode encode) {
  std::vector<T> all;
  for (int value : values) all.push_back(static_cast<T>(encode(static_cast<float>(value))));
  return all;
}
template <typename T, typename Decode>
std::vector<double> decoded(const std::vector<T>& values, Decode decode) {
  std::vector<double> all;
  for (T value : values) all.push_back(static_cast<double>(decode(value)));
  return all;
}

template <typename T>
T same(T value) {
  return value;
}

// A product that must be exact; with numbers of few bits A is transposed, as such products need it.
template <typename In, typename Out, typename Scale, typename Encode, typename Decode>
void exact(Check& check, cublasLtHandle_t handle, const Types& types, bool transposed_a,
           Encode encode, Decode decode) {
  const Whole whole(transposed_a);
  DeviceArray<In> a(encoded<In>(whole.a, encode)), b(encoded<In>(whole.b, encode));
  DeviceArray<Out> d(kM * kN);
  const Product by(check, types, kM, kN, kK, transposed_a);
  if (!check) return;
  const Scale one = 1, zero = 0;
  by.run(check, handle, &one, a.data(), b.data(), &zero, d.data());
  if (check) check.near("D", decoded(d.get(check), decode), whole.want, 0);
}

void half(Check& check, cublasLtHandle_t handle) {
  exact<std::uint16_t, std::uint16_t, float>(
      check, handle, {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F}, false, to_half,
      from_half);
}
void bfloat(Check& check, cublasLtHandle_t handle) {
  exact<std::uint16_t, float, float>(check, handle,
                                     {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F},
                                     false, to_bfloat, same<float>);
}
void bytes(Check& check, cublasLtHandle_t handle) {
  exact<signed char, int, int>(check, handle,
                               {CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I}, true,
                               same<float>, same<int>);
}
void wide(Check& check, cublasLtHandle_t handle) {
  exact<double, double, double>(check, handle,
                                {CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F}, false,
                                same<float>, same<double>);
}
void tensor_float(Check& check, cublasLtHandle_t handle) {
  exact<float, float, float>(check, handle,
                             {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                             false, same<float>, same<float>);
}

// Eight bits with four of exponent; A counts twice by its scale. The GPU has them from Ada on.
unsigned char to_float8(float value) {
  constexpr unsigned char kBits[] = {0x00, 0x38, 0x40, 0x44, 0x48};
  const int size = static_cast<int>(std::fabs(value));
  return static_cast<unsigned char>(kBits[size] | (value < 0 ? 0x80 : 0));
}
void float8(Check& check, cublasLtHandle_t handle) {
  Guarded<int> major, minor;
  NEED(check, cudaDeviceGetAttribute(major.get(), cudaDevAttrComputeCapabilityMajor, 0));
  NEED(check, cudaDeviceGetAttribute(minor.get(), cudaDevAttrComputeCapabilityMinor, 0));
  if (*major * 10 + *minor < 89) return;
  Whole whole(true);
  DeviceArray<unsigned char> a(encoded<unsigned char>(whole.a, to_float8)),
      b(encoded<unsigned char>(whole.b, to_float8));
  DeviceArray<std::uint16_t> d(kM * kN);
  DeviceArray<float> scale(std::vector<float>{2});
  const Product by(check, {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16F}, kM, kN, kK,
                   true);
  if (check) by.set(check, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale.data());
  if (!check) return;
  const float one = 1, zero = 0;
  by.run(check, handle, &one, a.data(), b.data(), &zero, d.data());
  for (double& value : whole.want) value *= 2;
  if (check) check.near("D", decoded(d.get(check), from_half), whole.want, 0);
}

// D = alpha A B + beta C of complex numbers, with alpha and beta in the device's memory.
void complex_numbers(Check& check, cublasLtHandle_t handle) {
  using Complex = std::complex<float>;
  const auto a = random_values<Complex>(kM * kK, 3), b = random_values<Complex>(kK * kN, 4),
             c = random_values<Complex>(kM * kN, 5);
  const Complex alpha{0.5F, -1}, beta{2, 1};
  DeviceArray<Complex> on_a(a), on_b(b), on_d(c), factors(std::vector<Complex>{alpha, beta});
  const Product by(check, {CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, kM, kN, kK);
  if (check) by.set(check, CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
  if (!check) return;
  by.run(check, handle, factors.data(), on_a.data(), on_b.data(), factors.data() + 1, on_d.data());
  std::vector<Complex> want = product(a, b, kM, kN, kK);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = alpha * want[i] + beta * c[i];
  if (check) check.near("D", flat(on_d.get(check)), flat(want), 1e-4);
}

// Three products at once, with other numbers between those of D.
void batches(Check& check, cublasLtHandle_t handle) {
  constexpr int kBatch = 3, kBetween = 64, kPart = kM * kN + kBetween;
  const auto a = random_values<float>(kM * kK * kBatch, 6), b = random_values<float>(kK * kN, 7);
  DeviceArray<float> on_a(a), on_b(b), on_d(std::vector<float>(kPart * kBatch, -7));
  const Product by(check, kSingle, kM, kN, kK);
  const struct {
    cublasLtMatrixLayout_t layout;
    std::int64_t stride;
  } layouts[] = {{by.a, kM * kK}, {by.b, 0}, {by.d, kPart}};
  for (const auto& row : layouts) {
    const std::int32_t count = kBatch;
    NEED(check, cublasLtMatrixLayoutSetAttribute(row.layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                 &count, sizeof count));
    NEED(check,
         cublasLtMatrixLayoutSetAttribute(row.layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                          &row.stride, sizeof row.stride));
  }
  const float one = 1, zero = 0;
  by.run(check, handle, &one, on_a.data(), on_b.data(), &zero, on_d.data());
  std::vector<double> want(kPart * kBatch, -7);
  for (int i = 0; i < kBatch; ++i) {
    const std::vector<float> part(a.begin() + i * kM * kK, a.begin() + (i + 1) * kM * kK);
    const auto found = product(part, b, kM, kN, kK);
    std::copy(found.begin(), found.end(), want.begin() + i * kPart);
  }
  if (check) check.near("D", flat(on_d.get(check)), want, 1e-4);
}

// The bias and the curve of GELU after the product.
void gelu(Check& check, cublasLtHandle_t handle) {
  const auto a = random_values<float>(kM * kK, 8), b = random_values<float>(kK * kN, 9),
             bias = random_values<float>(kM, 10);
  DeviceArray<float> on_a(a), on_b(b), on_d(kM * kN), on_bias(bias);
  const Product by(check, kSingle, kM, kN, kK);
  if (check) by.set(check, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_BIAS);
  if (check) by.set(check, CUBLASLT_MATMUL_DESC_BIAS_POINTER, on_bias.data());
  if (!check) return;
  const float one = 1, zero = 0;
  by.run(check, handle, &one, on_a.data(), on_b.data(), &zero, on_d.data());
  std::vector<double> want = flat(product(a, b, kM, kN, kK));
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double x = want[i] + bias[i % kM];
    want[i] = 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  if (check) check.near("D", flat(on_d.get(check)), want, 2e-3);
}

// RELU in half precision, which leaves a bit for each number that was above zero.
void relu_mask(Check& check, cublasLtHandle_t handle) {
  constexpr int kMask = 128;
  Whole whole;
  DeviceArray<std::uint16_t> a(encoded<std::uint16_t>(whole.a, to_half)),
      b(encoded<std::uint16_t>(whole.b, to_half)), d(kM * kN);
  DeviceArray<unsigned char> mask(std::vector<unsigned char>(kMask / 8 * kN));
  const Product by(check, {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F}, kM, kN, kK);
  const std::int64_t line = kMask;
  if (check) by.set(check, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_AUX);
  if (check) by.set(check, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask.data());
  if (check) by.set(check, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, line);
  if (!check) return;
  const float one = 1, zero = 0;
  by.run(check, handle, &one, a.data(), b.data(), &zero, d.data());
  if (!check) return;
  const std::vector<unsigned char> bits = mask.get(check);
  std::vector<double> positive, above;
  for (int i = 0; i < kM * kN; ++i) {
    const int row = i % kM, bit = bits[i / kM * (kMask / 8) + row / 8] >> (row % 8) & 1;
    // Of a zero either may be said.
    positive.push_back(whole.want[i] == 0 ? 0 : bit);
    above.push_back(whole.want[i] > 0);
    whole.want[i] = std::max(0.0, whole.want[i]);
  }
  check.near("mask", positive, above, 0);
  check.near("D", decoded(d.get(check), from_half), whole.want, 0);
}

// Descriptors of emulated precision, on the heap and on the stack, and a product that may use it.
void emulation(Check& check, cublasLtHandle_t handle) {
#if CUDART_VERSION >= 13000
  Guarded<cublasLtEmulationDesc_t> made;
  NEED(check, cublasLtEmulationDescCreate(made.get()));
  INTACT(check, made);
  Guarded<cublasLtEmulationDescOpaque_t> own;
  NEED(check, cublasLtEmulationDescInit(own.get()));
  for (cublasLtEmulationDesc_t descriptor : {*made, own.get()}) {
    const std::int32_t most = 40;
    Guarded<std::int32_t> read;
    Guarded<std::size_t> written;
    constexpr auto kAttribute = CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT;
    NEED(check, cublasLtEmulationDescSetAttribute(descriptor, kAttribute, &most, sizeof most));
    NEED(check, cublasLtEmulationDescGetAttribute(descriptor, kAttribute, read.get(), sizeof *read,
                                                  written.get()));
    EXPECT(check, *read == most && *written == sizeof most);
    INTACT(check, read);
    INTACT(check, written);
  }
  INTACT(check, own);
  Whole whole;
  DeviceArray<double> a(flat(whole.a)), b(flat(whole.b)), d(kM * kN);
  {
    const Product by(check,
                     {CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
                     kM, kN, kK);
    if (check) by.set(check, CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, *made);
    const double one = 1, zero = 0;
    if (check) by.run(check, handle, &one, a.data(), b.data(), &zero, d.data());
    if (check) check.near("D", d.get(check), whole.want, 1e-9);
  }
  NEED(check, cublasLtEmulationDescDestroy(*made));
#else
  (void)check, (void)handle;  // from CUDA 13 on
#endif
}

}  // namespace

void run() {
  run_on_handle("cublaslt_types", {{"half", half},
                                   {"bfloat", bfloat},
                                   {"bytes", bytes},
                                   {"wide", wide},
                                   {"tensor_float", tensor_float},
                                   {"float8", float8},
                                   {"complex", complex_numbers},
                                   {"batches", batches},
                                   {"gelu", gelu},
                                   {"relu_mask", relu_mask},
                                   {"emulation", emulation}});
}

}  // namespace maths
