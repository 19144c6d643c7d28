// SPDX-License-Identifier: Apache-2.0

// cuFFT: what it answers without a GPU (calls.h).
#include <cufftXt.h>
#if PROGRAM_MAJOR >= 13
#define CUFFT_ENABLE_EXPERIMENTAL_API
#include <cufft_device.h>
#endif

#include "calls.h"

namespace {

using calls::line;

constexpr cufftHandle kNoPlan = 77;

void version() {
  int value = -1;
  line("version", cufftGetVersion(&value), value);
  calls::properties("property", cufftGetProperty);
}

void create() {
  cufftHandle plan = -1;
  std::size_t size = 77;
  int dimensions[2] = {8, 8};
  long long wide[2] = {8, 8};
  line("create", cufftCreate(&plan));
  line("plan 1d", cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
  line("plan 1d of no size", cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
  line("plan 2d", cufftPlan2d(&plan, 8, 8, CUFFT_R2C));
  line("plan 3d", cufftPlan3d(&plan, 8, 8, 8, CUFFT_Z2Z));
  line("plan many",
       cufftPlanMany(&plan, 2, dimensions, nullptr, 1, 64, nullptr, 1, 64, CUFFT_C2C, 2));
  line("make 1d", cufftMakePlan1d(kNoPlan, 8, CUFFT_C2C, 1, &size));
  line("make 2d", cufftMakePlan2d(kNoPlan, 8, 8, CUFFT_C2C, &size));
  line("make 3d", cufftMakePlan3d(kNoPlan, 8, 8, 8, CUFFT_C2C, &size));
  line("make many", cufftMakePlanMany(kNoPlan, 2, dimensions, nullptr, 1, 64, nullptr, 1, 64,
                                      CUFFT_C2C, 2, &size));
  line("make many 64",
       cufftMakePlanMany64(kNoPlan, 2, wide, nullptr, 1, 64, nullptr, 1, 64, CUFFT_C2C, 2, &size));
  line("make xt", cufftXtMakePlanMany(kNoPlan, 2, wide, nullptr, 1, 64, CUDA_C_32F, nullptr, 1, 64,
                                      CUDA_C_32F, 2, &size, CUDA_C_32F));
}

void sizes() {
  std::size_t size = 77;
  int dimensions[2] = {8, 8};
  line("estimate 1d", cufftEstimate1d(8, CUFFT_C2C, 1, &size));
  line("estimate 2d", cufftEstimate2d(8, 8, CUFFT_C2C, &size));
  line("estimate 3d", cufftEstimate3d(8, 8, 8, CUFFT_C2C, &size));
  line("estimate many",
       cufftEstimateMany(2, dimensions, nullptr, 1, 64, nullptr, 1, 64, CUFFT_C2C, 2, &size));
  line("size", cufftGetSize(kNoPlan, &size));
  line("size 1d", cufftGetSize1d(kNoPlan, 8, CUFFT_C2C, 1, &size));
}

void without_plan() {
  cufftComplex c[8] = {};
  cufftDoubleComplex z[8] = {};
  cufftReal r[8] = {};
  cudaLibXtDesc* memory = nullptr;
  int gpus[1] = {0};
  line("destroy", cufftDestroy(kNoPlan));
  line("stream", cufftSetStream(kNoPlan, nullptr));
  line("allocation", cufftSetAutoAllocation(kNoPlan, 0));
  line("work area", cufftSetWorkArea(kNoPlan, nullptr));
  line("exec c2c", cufftExecC2C(kNoPlan, c, c, CUFFT_FORWARD));
  line("exec r2c", cufftExecR2C(kNoPlan, r, c));
  line("exec c2r", cufftExecC2R(kNoPlan, c, r));
  line("exec z2z", cufftExecZ2Z(kNoPlan, z, z, CUFFT_INVERSE));
  line("xt exec", cufftXtExec(kNoPlan, c, c, CUFFT_FORWARD));
  line("xt gpus", cufftXtSetGPUs(kNoPlan, 1, gpus));
  for (const int format : {0, 1, 2, 3, 4, 5, 6, 7}) {
    line("xt malloc " + std::to_string(format),
         cufftXtMalloc(kNoPlan, &memory, cufftXtSubFormat(format)), memory);
  }
  line("xt work area", cufftXtSetWorkArea(kNoPlan, nullptr));
  line("xt policy", cufftXtSetWorkAreaPolicy(kNoPlan, CUFFT_WORKAREA_MINIMAL, nullptr));
  line("xt shared size", cufftXtSetCallbackSharedSize(kNoPlan, CUFFT_CB_LD_COMPLEX, 16));
  line("xt clear callback", cufftXtClearCallback(kNoPlan, CUFFT_CB_LD_COMPLEX));
}

void from_12_on() {
#if PROGRAM_MAJOR >= 12
  const auto threads = NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS;
  long long value = -1;
  line("set property", cufftSetPlanPropertyInt64(kNoPlan, threads, 2));
  line("get property", cufftGetPlanPropertyInt64(kNoPlan, threads, &value));
  line("reset property", cufftResetPlanProperty(kNoPlan, threads));
  // 12's header makes another exported function of it than 13's.
  line("jit callback",
       cufftXtSetJITCallback(kNoPlan, "callback", "code", 4, CUFFT_CB_LD_COMPLEX, nullptr));
#endif
}

void from_13_on() {
#if PROGRAM_MAJOR >= 13
  int value = -1;
  cufftDescriptionHandle description = {};
  line("device version", cufftDeviceGetVersion(&value));
  line("create description", cufftDescriptionCreate(&description));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"create", create},
                      {"sizes", sizes},
                      {"without-plan", without_plan},
                      {"from-12-on", from_12_on},
                      {"from-13-on", from_13_on}});
}
