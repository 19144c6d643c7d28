// SPDX-License-Identifier: Apache-2.0

// cuBLAS's settings of a handle and of the process, its logger, and copies to and from the device.
#include <cstdio>

#include "cublas_families.h"

namespace maths {
namespace {

void versions(Check& check, const Blas& blas) {
  Guarded<int> version, major, minor, patch;
  NEED(check, cublasGetVersion_v2(blas.handle, version.get()));
  NEED(check, cublasGetProperty(MAJOR_VERSION, major.get()));
  NEED(check, cublasGetProperty(MINOR_VERSION, minor.get()));
  NEED(check, cublasGetProperty(PATCH_LEVEL, patch.get()));
  check.equal("version", *version, *major * 10000 + *minor * 100 + *patch);
  INTACT(check, version);
  INTACT(check, major);
  INTACT(check, minor);
  INTACT(check, patch);
  EXPECT(check, cublasGetCudartVersion() >= 11000);
}

// What one function sets and another gives back.
template <typename T, typename Set, typename Get>
void set_and_get(Check& check, const char* text, T wanted, Set set, Get get) {
  Guarded<T> got;
  if (!check.call(text, set(wanted)) || !check.call(text, get(got.get()))) return;
  if (!(*got == wanted)) check.fail(std::string(text) + ": another value came back");
  check.intact(text, got);
}
#define SET_AND_GET(set, get, wanted)                                           \
  set_and_get(                                                                  \
      check, #set, wanted, [&](auto value) { return set(blas.handle, value); }, \
      [&](auto* place) { return get(blas.handle, place); })

void modes(Check& check, const Blas& blas) {
  SET_AND_GET(cublasSetAtomicsMode, cublasGetAtomicsMode, CUBLAS_ATOMICS_ALLOWED);
  SET_AND_GET(cublasSetAtomicsMode, cublasGetAtomicsMode, CUBLAS_ATOMICS_NOT_ALLOWED);
  SET_AND_GET(cublasSetMathMode, cublasGetMathMode, CUBLAS_TF32_TENSOR_OP_MATH);
  SET_AND_GET(cublasSetMathMode, cublasGetMathMode, CUBLAS_DEFAULT_MATH);
  SET_AND_GET(cublasSetPointerMode_v2, cublasGetPointerMode_v2, CUBLAS_POINTER_MODE_DEVICE);
  SET_AND_GET(cublasSetPointerMode_v2, cublasGetPointerMode_v2, CUBLAS_POINTER_MODE_HOST);
  SET_AND_GET(cublasSetStream_v2, cublasGetStream_v2, static_cast<cudaStream_t>(nullptr));
  SET_AND_GET(cublasSetStream_v2, cublasGetStream_v2, blas.stream);
  SET_AND_GET(cublasSetSmCountTarget, cublasGetSmCountTarget, 8);
  SET_AND_GET(cublasSetSmCountTarget, cublasGetSmCountTarget, 0);
}

// A product in the program's own workspace, with some of the multiprocessors.
void workspace(Check& check, const Blas& blas) {
  constexpr int kSize = 128;
  const Matrix a = drawn<float>(kSize, kSize, 1), b = drawn<float>(kSize, kSize, 2);
  const OnDevice<float> on_a(a), on_b(b), on_c(Matrix(kSize, kSize));
  const DeviceArray<unsigned char> memory(8 << 20);
  const float one = 1, zero = 0;
  NEED(check, cublasSetWorkspace_v2(blas.handle, memory.data(), memory.bytes()));
  NEED(check, cublasSetSmCountTarget(blas.handle, 4));
  NEED(check, cublasSgemm_v2(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one,
                             on_a.data(), kSize, on_b.data(), kSize, &zero, on_c.data(), kSize));
  NEED(check, cudaStreamSynchronize(blas.stream));
  compare(check, "C", on_c, a * b);
  memory.get(check);
  NEED(check, cublasSetSmCountTarget(blas.handle, 0));
  NEED(check, cublasSetStream_v2(blas.handle, blas.stream));  // takes the workspace away
}

// How products in double precision may be computed by whole numbers: since 12.9, and more in 13.
void emulation(Check& check, const Blas& blas) {
#if CUBLAS_VERSION >= 120900
  SET_AND_GET(cublasSetEmulationStrategy, cublasGetEmulationStrategy,
              CUBLAS_EMULATION_STRATEGY_EAGER);
  SET_AND_GET(cublasSetEmulationStrategy, cublasGetEmulationStrategy,
              CUBLAS_EMULATION_STRATEGY_DEFAULT);
#endif
#if CUBLAS_VERSION >= 130000
  SET_AND_GET(cublasSetEmulationSpecialValuesSupport, cublasGetEmulationSpecialValuesSupport,
              CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN);
  SET_AND_GET(cublasSetFixedPointEmulationMantissaControl,
              cublasGetFixedPointEmulationMantissaControl, CUDA_EMULATION_MANTISSA_CONTROL_FIXED);
  SET_AND_GET(cublasSetFixedPointEmulationMaxMantissaBitCount,
              cublasGetFixedPointEmulationMaxMantissaBitCount, 55);
  SET_AND_GET(cublasSetFixedPointEmulationMantissaBitOffset,
              cublasGetFixedPointEmulationMantissaBitOffset, 2);
  const DeviceArray<int> count(1);
  SET_AND_GET(cublasSetFixedPointEmulationMantissaBitCountPointer,
              cublasGetFixedPointEmulationMantissaBitCountPointer, count.data());
  SET_AND_GET(cublasSetFixedPointEmulationMantissaBitCountPointer,
              cublasGetFixedPointEmulationMantissaBitCountPointer, static_cast<int*>(nullptr));
#endif
  (void)check, (void)blas;
}

int messages = 0;
void count_message(const char* text) { messages += text != nullptr && *text != 0; }

// The messages come to the program's function; and a library reports a wrong argument on the error
// output.
void logger(Check& check, const Blas& blas) {
  Guarded<cublasLogCallback> callback;
  NEED(check, cublasSetLoggerCallback(count_message));
  NEED(check, cublasGetLoggerCallback(callback.get()));
  EXPECT(check, *callback == count_message);
  INTACT(check, callback);
  NEED(check, cublasLoggerConfigure(1, 0, 0, nullptr));
  Guarded<int> count;
  NEED(check, cublasGetSmCountTarget(blas.handle, count.get()));
  const OnDevice<double> on_x(drawn<double>(16, 1, 3));
  Guarded<double> sum;
  NEED(check, cublasDasum_v2(blas.handle, 16, on_x.data(), 1, sum.get()));
  INTACT(check, sum);
  if (messages == 0) check.fail("no message came");
  NEED(check, cublasLoggerConfigure(0, 0, 0, nullptr));
  NEED(check, cublasSetLoggerCallback(nullptr));
  const int before = messages;
  NEED(check, cublasDasum_v2(blas.handle, 16, on_x.data(), 1, sum.get()));
  check.equal("messages after the end", messages, before);
  cublasXerbla("anycuda", 1);
}

// To the device and back: each second element of a vector, and a matrix with longer columns.
template <typename Index, typename Set, typename Get>
void vectors(Check& check, const Blas& blas, Set set, Get get) {
  const Index count = 9;
  const Matrix x = drawn<float>(2 * count, 1, 4);
  const std::vector<float> values = numbers_of<float>(x);
  const OnDevice<float> on_x(Matrix(count, 1));
  std::vector<float> back(2 * count, 5);
  if (!set(count, static_cast<Index>(sizeof(float)), values.data(), 2, on_x.data(), 1) ||
      !CALL(check, cudaStreamSynchronize(blas.stream)) ||
      !get(count, static_cast<Index>(sizeof(float)), on_x.data(), 1, back.data(), 2) ||
      !CALL(check, cudaStreamSynchronize(blas.stream)))
    return;
  on_x.get(check);
  for (int i = 0; i < 2 * count; ++i) {
    if (back[i] != (i % 2 == 0 ? values[i] : 5)) return check.fail("another vector came back");
  }
}
template <typename Index, typename Set, typename Get>
void matrices(Check& check, const Blas& blas, Set set, Get get) {
  const Index rows = 7, columns = 5, longer = 11;
  const Matrix a = drawn<double>(rows, columns, 6);
  const std::vector<double> values = numbers_of<double>(a);
  const OnDevice<double> on_a(Matrix(longer, columns));
  std::vector<double> back(values.size());
  if (!set(rows, columns, static_cast<Index>(sizeof(double)), values.data(), rows, on_a.data(),
           longer) ||
      !CALL(check, cudaStreamSynchronize(blas.stream)) ||
      !get(rows, columns, static_cast<Index>(sizeof(double)), on_a.data(), longer, back.data(),
           rows) ||
      !CALL(check, cudaStreamSynchronize(blas.stream)))
    return;
  on_a.get(check);
  EXPECT(check, back == values);
}
#define PLAIN(function) \
  [&](auto... arguments) { return check.call(#function, function(arguments...)); }
#define ON_STREAM(function) \
  [&](auto... arguments) { return check.call(#function, function(arguments..., blas.stream)); }

void copies(Check& check, const Blas& blas) {
  vectors<int>(check, blas, PLAIN(cublasSetVector), PLAIN(cublasGetVector));
  vectors<int>(check, blas, ON_STREAM(cublasSetVectorAsync), ON_STREAM(cublasGetVectorAsync));
  matrices<int>(check, blas, PLAIN(cublasSetMatrix), PLAIN(cublasGetMatrix));
  matrices<int>(check, blas, ON_STREAM(cublasSetMatrixAsync), ON_STREAM(cublasGetMatrixAsync));
}
void wide_copies(Check& check, const Blas& blas) {
#if CUBLAS_VERSION >= 120000
  vectors<std::int64_t>(check, blas, PLAIN(cublasSetVector_64), PLAIN(cublasGetVector_64));
  vectors<std::int64_t>(check, blas, ON_STREAM(cublasSetVectorAsync_64),
                        ON_STREAM(cublasGetVectorAsync_64));
  matrices<std::int64_t>(check, blas, PLAIN(cublasSetMatrix_64), PLAIN(cublasGetMatrix_64));
  matrices<std::int64_t>(check, blas, ON_STREAM(cublasSetMatrixAsync_64),
                         ON_STREAM(cublasGetMatrixAsync_64));
#else
  (void)check, (void)blas;  // CUDA 11 has no 64-bit forms
#endif
}

// A handle that is made and destroyed beside the other.
void handles(Check& check, const Blas&) {
  Guarded<cublasHandle_t> handle;
  NEED(check, cublasCreate_v2(handle.get()));
  INTACT(check, handle);
  NEED(check, cublasDestroy_v2(*handle));
}

}  // namespace

void run() {
  run_topics_with<Blas>("cublas", {{"versions", versions},
                                   {"modes", modes},
                                   {"workspace", workspace},
                                   {"emulation", emulation},
                                   {"logger", logger},
                                   {"copies", copies},
                                   {"wide_copies", wide_copies},
                                   {"second_handle", handles}});
}

}  // namespace maths
