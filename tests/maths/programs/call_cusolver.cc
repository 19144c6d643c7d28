// SPDX-License-Identifier: Apache-2.0

// cuSOLVER: what it answers without a GPU (calls.h).
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include "calls.h"

namespace {

using calls::line;

void version() {
  int value = -1;
  line("version", cusolverGetVersion(&value), value);
  calls::properties("property", cusolverGetProperty);
}

void create() {
  cusolverDnHandle_t dense = nullptr;
  cusolverSpHandle_t sparse = nullptr;
  cusolverRfHandle_t refactor = nullptr;
  line("create dn", cusolverDnCreate(&dense), dense);
  line("create sp", cusolverSpCreate(&sparse), sparse);
  line("create rf", cusolverRfCreate(&refactor), refactor);
}

void parameters() {
  cusolverDnParams_t parameters = nullptr;
  line("create params", cusolverDnCreateParams(&parameters), parameters);
  line("set options", cusolverDnSetAdvOptions(parameters, CUSOLVERDN_GETRF, CUSOLVER_ALG_1));
  line("set unknown options",
       cusolverDnSetAdvOptions(parameters, cusolverDnFunction_t(77), CUSOLVER_ALG_0));
  line("destroy params", cusolverDnDestroyParams(parameters));
  syevjInfo_t eigen = nullptr;
  gesvdjInfo_t singular = nullptr;
  line("create syevj", cusolverDnCreateSyevjInfo(&eigen), eigen);
  line("syevj tolerance", cusolverDnXsyevjSetTolerance(eigen, 1e-7));
  line("syevj sweeps", cusolverDnXsyevjSetMaxSweeps(eigen, 15));
  line("syevj sort", cusolverDnXsyevjSetSortEig(eigen, 0));
  line("destroy syevj", cusolverDnDestroySyevjInfo(eigen));
  line("create gesvdj", cusolverDnCreateGesvdjInfo(&singular), singular);
  line("gesvdj tolerance", cusolverDnXgesvdjSetTolerance(singular, 1e-7));
  line("gesvdj sweeps", cusolverDnXgesvdjSetMaxSweeps(singular, 15));
  line("gesvdj sort", cusolverDnXgesvdjSetSortEig(singular, 0));
  line("destroy gesvdj", cusolverDnDestroyGesvdjInfo(singular));
}

void refinement() {
  cusolverDnIRSParams_t p = nullptr;
  cusolverDnIRSInfos_t infos = nullptr;
  cusolver_int_t value = -1;
  void* history = nullptr;
  line("create irs", cusolverDnIRSParamsCreate(&p), p);
  line("irs solver", cusolverDnIRSParamsSetRefinementSolver(p, CUSOLVER_IRS_REFINE_GMRES));
  line("irs main", cusolverDnIRSParamsSetSolverMainPrecision(p, CUSOLVER_R_64F));
  line("irs lowest", cusolverDnIRSParamsSetSolverLowestPrecision(p, CUSOLVER_R_32F));
  line("irs both", cusolverDnIRSParamsSetSolverPrecisions(p, CUSOLVER_R_64F, CUSOLVER_R_16F));
  line("irs tolerance", cusolverDnIRSParamsSetTol(p, 1e-9));
  line("irs inner tolerance", cusolverDnIRSParamsSetTolInner(p, 1e-9));
  line("irs iterations", cusolverDnIRSParamsSetMaxIters(p, 20));
  line("irs inner iterations", cusolverDnIRSParamsSetMaxItersInner(p, 10));
  line("get irs iterations", cusolverDnIRSParamsGetMaxIters(p, &value), value);
  line("irs fallback", cusolverDnIRSParamsEnableFallback(p));
  line("irs no fallback", cusolverDnIRSParamsDisableFallback(p));
  line("destroy irs", cusolverDnIRSParamsDestroy(p));
  line("create infos", cusolverDnIRSInfosCreate(&infos), infos);
  line("infos iterations", cusolverDnIRSInfosGetNiters(infos, &value), value);
  line("infos outer iterations", cusolverDnIRSInfosGetOuterNiters(infos, &value), value);
  line("infos maximum", cusolverDnIRSInfosGetMaxIters(infos, &value));  // the value is not set yet
  line("infos residual", cusolverDnIRSInfosRequestResidual(infos));
  line("infos history", cusolverDnIRSInfosGetResidualHistory(infos, &history), history);
  line("destroy infos", cusolverDnIRSInfosDestroy(infos));
}

void sparse() {
  csrqrInfo_t qr = nullptr;
  csrqrInfoHost_t host_qr = nullptr;
  csrluInfoHost_t host_lu = nullptr;
  csrcholInfo_t cholesky = nullptr;
  csrcholInfoHost_t host_cholesky = nullptr;
  line("create qr", cusolverSpCreateCsrqrInfo(&qr));
  line("destroy qr", qr == nullptr ? 0 : cusolverSpDestroyCsrqrInfo(qr));
  line("create host qr", cusolverSpCreateCsrqrInfoHost(&host_qr), host_qr);
  line("destroy host qr", cusolverSpDestroyCsrqrInfoHost(host_qr));
  line("create host lu", cusolverSpCreateCsrluInfoHost(&host_lu), host_lu);
  line("destroy host lu", cusolverSpDestroyCsrluInfoHost(host_lu));
  line("create cholesky", cusolverSpCreateCsrcholInfo(&cholesky));
  line("destroy cholesky", cholesky == nullptr ? 0 : cusolverSpDestroyCsrcholInfo(cholesky));
  line("create host cholesky", cusolverSpCreateCsrcholInfoHost(&host_cholesky), host_cholesky);
  line("destroy host cholesky", cusolverSpDestroyCsrcholInfoHost(host_cholesky));
}

// Few: most functions of cuSOLVER read the handle before they look whether it is null.
void without_handle() {
  float a[4] = {4, 1, 1, 3};
  double d[4] = {4, 1, 1, 3};
  int size = -1;
  line("dgeqrf size", cusolverDnDgeqrf_bufferSize(nullptr, 2, 2, d, 2, &size));
  line("ssyevd size", cusolverDnSsyevd_bufferSize(nullptr, CUSOLVER_EIG_MODE_VECTOR,
                                                  CUBLAS_FILL_MODE_LOWER, 2, a, 2, a, &size));
  line("sgesvd size", cusolverDnSgesvd_bufferSize(nullptr, 2, 2, &size));
  line("rf numeric", cusolverRfSetNumericProperties(nullptr, 0, 0));
}

// CUDA 13, whose cuSOLVER is version 12, dropped the first names of these functions: the stub calls
// their successors, as the program for 13 does. Where the first names exist they read the handle,
// which is null.
void dropped_in_13() {
  int installed = -1;
  cusolverGetProperty(MAJOR_VERSION, &installed);
  if (installed < 12) return;
  std::size_t bytes = 77;
  float a[4] = {4, 1, 1, 3};
  std::int64_t pivots[2] = {1, 2};
  int info = 77;
#if PROGRAM_MAJOR < 13
  line("potrf size",
       cusolverDnPotrf_bufferSize(nullptr, nullptr, CUBLAS_FILL_MODE_LOWER, 2, CUDA_R_32F, a, 2,
                                  CUDA_R_32F, &bytes),
       bytes);
  line("getrf size",
       cusolverDnGetrf_bufferSize(nullptr, nullptr, 2, 2, CUDA_R_32F, a, 2, CUDA_R_32F, &bytes),
       bytes);
  line("getrf", cusolverDnGetrf(nullptr, nullptr, 2, 2, CUDA_R_32F, a, 2, pivots, CUDA_R_32F,
                                nullptr, 0, &info));
  line("getrs", cusolverDnGetrs(nullptr, nullptr, CUBLAS_OP_N, 2, 1, CUDA_R_32F, a, 2, pivots,
                                CUDA_R_32F, a, 2, &info));
#else
  std::size_t on_host = 77;
  line("potrf size",
       cusolverDnXpotrf_bufferSize(nullptr, nullptr, CUBLAS_FILL_MODE_LOWER, 2, CUDA_R_32F, a, 2,
                                   CUDA_R_32F, &bytes, &on_host),
       bytes);
  line("getrf size",
       cusolverDnXgetrf_bufferSize(nullptr, nullptr, 2, 2, CUDA_R_32F, a, 2, CUDA_R_32F, &bytes,
                                   &on_host),
       bytes);
  line("getrf", cusolverDnXgetrf(nullptr, nullptr, 2, 2, CUDA_R_32F, a, 2, pivots, CUDA_R_32F,
                                 nullptr, 0, nullptr, 0, &info));
  line("getrs", cusolverDnXgetrs(nullptr, nullptr, CUBLAS_OP_N, 2, 1, CUDA_R_32F, a, 2, pivots,
                                 CUDA_R_32F, a, 2, &info));
#endif
}

void from_12_on() {
#if PROGRAM_MAJOR >= 12
  cusolverDeterministicMode_t mode = CUSOLVER_DETERMINISTIC_RESULTS;
  line("set deterministic", cusolverDnSetDeterministicMode(nullptr, mode));
  line("get deterministic", cusolverDnGetDeterministicMode(nullptr, &mode));
#endif
}

void from_13_on() {
#if PROGRAM_MAJOR >= 13
  cusolverMathMode_t mode = CUSOLVER_DEFAULT_MATH;
  line("set math mode", cusolverDnSetMathMode(nullptr, mode));
  line("get math mode", cusolverDnGetMathMode(nullptr, &mode));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"create", create},
                      {"parameters", parameters},
                      {"refinement", refinement},
                      {"sparse", sparse},
                      {"without-handle", without_handle},
                      {"dropped-in-13", dropped_in_13},
                      {"from-12-on", from_12_on},
                      {"from-13-on", from_13_on}});
}
