// SPDX-License-Identifier: Apache-2.0

// cuBLAS: what it answers without a GPU (calls.h).
#include <cublasXt.h>
#include <cublas_v2.h>

#include "calls.h"

namespace {

using calls::line;

void version() {
  int value = -1;
  line("version", cublasGetVersion(nullptr, &value), value);
  line("runtime", cublasGetCudartVersion());
  calls::properties("property", cublasGetProperty);
}

void texts() {
  for (int status = -1; status <= 20; ++status) {
    line("status " + std::to_string(status), cublasGetStatusName(cublasStatus_t(status)),
         cublasGetStatusString(cublasStatus_t(status)));
  }
}

void create() {
  cublasHandle_t handle = nullptr;
  line("create", cublasCreate(&handle), handle);
  line("destroy", cublasDestroy(nullptr));
}

void settings() {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_DEVICE;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_ALLOWED;
  cublasMath_t math = CUBLAS_TENSOR_OP_MATH;
  int count = -1;
  line("set stream", cublasSetStream(nullptr, nullptr));
  line("get stream", cublasGetStream(nullptr, &stream), stream);
  line("set pointer mode", cublasSetPointerMode(nullptr, CUBLAS_POINTER_MODE_HOST));
  line("get pointer mode", cublasGetPointerMode(nullptr, &pointers), pointers);
  line("set atomics mode", cublasSetAtomicsMode(nullptr, CUBLAS_ATOMICS_NOT_ALLOWED));
  line("get atomics mode", cublasGetAtomicsMode(nullptr, &atomics), atomics);
  line("set math mode", cublasSetMathMode(nullptr, CUBLAS_DEFAULT_MATH));
  line("get math mode", cublasGetMathMode(nullptr, &math), math);
  line("set sm count", cublasSetSmCountTarget(nullptr, 4));
  line("get sm count", cublasGetSmCountTarget(nullptr, &count), count);
  line("set workspace", cublasSetWorkspace(nullptr, nullptr, 0));
}

void logger() {
  cublasLogCallback callback = nullptr;
  line("configure logger", cublasLoggerConfigure(0, 0, 0, nullptr));
  line("set logger", cublasSetLoggerCallback([](const char*) {}));
  const cublasStatus_t status = cublasGetLoggerCallback(&callback);
  line("get logger", status, callback != nullptr);
  line("clear logger", cublasSetLoggerCallback(nullptr));
}

// Arguments in integer and floating-point registers and on the stack, and a handle that is null.
void without_handle() {
  const float one = 1;
  const double two = 2;
  float x[4] = {1, 2, 3, 4};
  double y[4] = {1, 2, 3, 4};
  cuComplex c = {1, 2};
  int index = -1;
  float result = -1;
  double wide = -1;
  line("isamax", cublasIsamax(nullptr, 4, x, 1, &index), index);
  line("snrm2", cublasSnrm2(nullptr, 4, x, 1, &result), result);
  line("ddot", cublasDdot(nullptr, 4, y, 1, y, 1, &wide), wide);
  line("saxpy", cublasSaxpy(nullptr, 4, &one, x, 1, x, 1));
  line("dscal", cublasDscal(nullptr, 4, &two, y, 1));
  line("cscal", cublasCscal(nullptr, 1, &c, &c, 1));
  line("srot", cublasSrot(nullptr, 2, x, 1, x, 1, &one, &one));
  line("sgemv", cublasSgemv(nullptr, CUBLAS_OP_N, 2, 2, &one, x, 2, x, 1, &one, x, 1));
  line("strsm", cublasStrsm(nullptr, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                            CUBLAS_DIAG_UNIT, 2, 2, &one, x, 2, x, 2));
  line("sgemm",
       cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, x, 2, &one, x, 2));
  line("dgemm",
       cublasDgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &two, y, 2, y, 2, &two, y, 2));
  line("gemm ex", cublasGemmEx(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, CUDA_R_32F, 2,
                               x, CUDA_R_32F, 2, &one, x, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F,
                               CUBLAS_GEMM_DEFAULT));
  line("sgemm strided", cublasSgemmStridedBatched(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one,
                                                  x, 2, 4, x, 2, 4, &one, x, 2, 4, 1));
  const float* in[1] = {x};
  float* out[1] = {x};
  line("sgemm batched", cublasSgemmBatched(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, in, 2,
                                           in, 2, &one, out, 2, 1));
  line("sgetrf batched", cublasSgetrfBatched(nullptr, 2, out, 2, &index, &index, 1));
  line("sgeam", cublasSgeam(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, &one, x, 2, &one, x, 2, x, 2));
  line("nrm2 ex", cublasNrm2Ex(nullptr, 4, x, CUDA_R_32F, 1, &result, CUDA_R_32F, CUDA_R_32F));
  // Its prototype is C++: half precision.
  line("hgemm", cublasHgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, nullptr, nullptr, 2,
                            nullptr, 2, nullptr, nullptr, 2));
}

void transfers() {
  float x[4] = {1, 2, 3, 4};
  float y[4] = {};
  line("set vector of no size", cublasSetVector(4, 0, x, 1, y, 1));
  line("set vector", cublasSetVector(4, sizeof(float), x, 1, y, 1));
  line("get vector", cublasGetVector(4, sizeof(float), x, 1, y, 1));
  line("set matrix", cublasSetMatrix(2, 2, sizeof(float), x, 2, y, 2));
  line("get matrix", cublasGetMatrix(2, 2, sizeof(float), x, 2, y, 2));
}

// The interface for several GPUs: its handle needs none.
void several() {
  cublasXtHandle_t handle = nullptr;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
  int boards = -1;
  int devices[1] = {0};
  int size = -1;
  line("xt create", cublasXtCreate(&handle), handle);
  line("xt boards", cublasXtMaxBoards(&boards), boards);
  line("xt set block", cublasXtSetBlockDim(handle, 64));
  line("xt get block", cublasXtGetBlockDim(handle, &size), size);
  line("xt set pinning", cublasXtSetPinningMemMode(handle, CUBLASXT_PINNING_ENABLED));
  line("xt get pinning", cublasXtGetPinningMemMode(handle, &pinning), pinning);
  line("xt destroy", cublasXtDestroy(handle));
  line("xt select, null handle", cublasXtDeviceSelect(nullptr, 1, devices));
  line("xt block, null handle", cublasXtGetBlockDim(nullptr, &size), size);
}

void from_12_on() {
#if PROGRAM_MAJOR >= 12
  const float one = 1;
  float x[4] = {1, 2, 3, 4};
  std::int64_t index = -1;
  cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  line("isamax 64", cublasIsamax_64(nullptr, 4, x, 1, &index));
  line("sgemm 64",
       cublasSgemm_64(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, x, 2, &one, x, 2));
  line("set vector 64", cublasSetVector_64(4, sizeof(float), x, 1, x, 1));
  line("set emulation", cublasSetEmulationStrategy(nullptr, strategy));
  line("get emulation", cublasGetEmulationStrategy(nullptr, &strategy));
#endif
}

void from_13_on() {
#if PROGRAM_MAJOR >= 13
  int value = -1;
  line("set mantissa offset", cublasSetFixedPointEmulationMantissaBitOffset(nullptr, 1));
  line("get mantissa offset", cublasGetFixedPointEmulationMantissaBitOffset(nullptr, &value));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"texts", texts},
                      {"create", create},
                      {"settings", settings},
                      {"logger", logger},
                      {"without-handle", without_handle},
                      {"transfers", transfers},
                      {"several", several},
                      {"from-12-on", from_12_on},
                      {"from-13-on", from_13_on}});
}
