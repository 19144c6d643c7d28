// SPDX-License-Identifier: Apache-2.0

// cuFFT: transforms of one to three dimensions in both precisions, batches, streams, work areas.
#include "cufft_support.h"

namespace maths {
namespace {

void complex_with(Check& check, const Plan& plan, const std::vector<int>& sizes, int batch) {
  std::size_t count = batch;
  for (int size : sizes) count *= size;
  const auto values = random_values<Complex>(count, 1);
  DeviceArray<Complex> memory(values);
  NEED(check, cufftExecC2C(*plan.handle, memory.as<cufftComplex>(), memory.as<cufftComplex>(),
                           CUFFT_FORWARD));
  NEED(check, cudaDeviceSynchronize());
  check.near("forward", flat(memory.get(check)), flat(transformed(values, sizes)), 1e-4);
  NEED(check, cufftExecC2C(*plan.handle, memory.as<cufftComplex>(), memory.as<cufftComplex>(),
                           CUFFT_INVERSE));
  NEED(check, cudaDeviceSynchronize());
  std::vector<double> back = flat(memory.get(check));
  for (double& value : back) value /= static_cast<double>(count) / batch;
  check.near("and back", back, flat(values), 1e-4);
}

void one(Check& check) {
  Plan plan;
  if (plan.take(check, "cufftPlan1d", cufftPlan1d(plan.handle.get(), 96, CUFFT_C2C, 1))) {
    complex_with(check, plan, {96}, 1);
  }
}
void odd(Check& check) {  // a prime, in a batch
  Plan plan;
  if (plan.take(check, "cufftPlan1d", cufftPlan1d(plan.handle.get(), 101, CUFFT_C2C, 3))) {
    complex_with(check, plan, {101}, 3);
  }
}
void two(Check& check) {
  Plan plan;
  if (plan.take(check, "cufftPlan2d", cufftPlan2d(plan.handle.get(), 12, 20, CUFFT_C2C))) {
    complex_with(check, plan, {12, 20}, 1);
  }
}
void three(Check& check) {
  Plan plan;
  if (plan.take(check, "cufftPlan3d", cufftPlan3d(plan.handle.get(), 6, 8, 10, CUFFT_C2C))) {
    complex_with(check, plan, {6, 8, 10}, 1);
  }
}
void many(Check& check) {
  Plan plan;
  int sizes[] = {10, 14};
  if (plan.take(check, "cufftPlanMany",
                cufftPlanMany(plan.handle.get(), 2, sizes, nullptr, 1, 140, nullptr, 1, 140,
                              CUFFT_C2C, 4))) {
    complex_with(check, plan, {10, 14}, 4);
  }
}
void many_wide(Check& check) {
  Plan plan;
  if (!plan.take(check, "cufftCreate", cufftCreate(plan.handle.get()))) return;
  long long sizes[] = {30};
  Guarded<std::size_t> work;
  NEED(check, cufftMakePlanMany64(*plan.handle, 1, sizes, nullptr, 1, 30, nullptr, 1, 30, CUFFT_C2C,
                                  5, work.get()));
  INTACT(check, work);
  complex_with(check, plan, {30}, 5);
}

// Numbers that are real, to their half and back.
void real(Check& check) {
  constexpr int kRows = 6, kColumns = 16;
  const auto values = random_values<float>(kRows * kColumns, 2);
  DeviceArray<float> memory(values), back(values.size());
  DeviceArray<Complex> half(kRows * (kColumns / 2 + 1));
  Plan there, again;
  if (!there.take(check, "cufftPlan2d",
                  cufftPlan2d(there.handle.get(), kRows, kColumns, CUFFT_R2C)) ||
      !again.take(check, "cufftPlan2d",
                  cufftPlan2d(again.handle.get(), kRows, kColumns, CUFFT_C2R))) {
    return;
  }
  NEED(check, cufftExecR2C(*there.handle, memory.data(), half.as<cufftComplex>()));
  NEED(check, cudaDeviceSynchronize());
  check.near("forward", flat(half.get(check)),
             flat(half_of(transformed(values, {kRows, kColumns}), kColumns)), 1e-4);
  NEED(check, cufftExecC2R(*again.handle, half.as<cufftComplex>(), back.data()));
  NEED(check, cudaDeviceSynchronize());
  std::vector<double> found = flat(back.get(check));
  for (double& value : found) value /= kRows * kColumns;
  check.near("and back", found, flat(values), 1e-4);
}

// In double precision, on a stream, in memory that the program gives the plan to work in.
void work_area(Check& check) {
  constexpr int kSize = 150, kBatch = 2;
  const auto values = random_values<Wide>(kSize * kBatch, 3);
  DeviceArray<Wide> memory(values), result(values.size());
  Plan plan;
  if (!plan.take(check, "cufftCreate", cufftCreate(plan.handle.get()))) return;
  NEED(check, cufftSetAutoAllocation(*plan.handle, 0));
  Guarded<std::size_t> needed, again;
  NEED(check, cufftMakePlan1d(*plan.handle, kSize, CUFFT_Z2Z, kBatch, needed.get()));
  NEED(check, cufftGetSize(*plan.handle, again.get()));
  EXPECT(check, *needed == *again);
  INTACT(check, needed);
  INTACT(check, again);
  DeviceArray<char> area(*needed + 1);
  NEED(check, cufftSetWorkArea(*plan.handle, area.data()));
  cudaStream_t stream = nullptr;
  NEED(check, cudaStreamCreate(&stream));
  CALL(check, cufftSetStream(*plan.handle, stream)) &&
      CALL(check, cufftExecZ2Z(*plan.handle, memory.as<cufftDoubleComplex>(),
                               result.as<cufftDoubleComplex>(), CUFFT_FORWARD)) &&
      CALL(check, cudaStreamSynchronize(stream));
  if (check)
    check.near("forward", flat(result.get(check)), flat(transformed(values, {kSize})), 1e-10);
  area.get(check);
  CALL(check, cudaStreamDestroy(stream));
}

void refusals(Check& check) {
  Guarded<cufftHandle> plan;
  // cuFFT of CUDA 12.0 and of 13.0 give it different statuses.
  const cufftResult status = cufftPlan1d(plan.get(), 0, CUFFT_C2C, 1);
  EXPECT(check, status == CUFFT_INVALID_SIZE || status == CUFFT_INVALID_VALUE);
  check.value("no_size", status);
  INTACT(check, plan);
  REFUSED(check, CUFFT_INVALID_PLAN, cufftExecC2C(12345, nullptr, nullptr, CUFFT_FORWARD));
}

void version(Check& check) {
  Guarded<int> number, major;
  NEED(check, cufftGetVersion(number.get()));
  NEED(check, cufftGetProperty(MAJOR_VERSION, major.get()));
  EXPECT(check, *major == *number / 1000);
  INTACT(check, number);
  INTACT(check, major);
}

}  // namespace

void run() {
  run_topics<>("cufft", {{"version", version},
                         {"one", one},
                         {"odd", odd},
                         {"two", two},
                         {"three", three},
                         {"many", many},
                         {"many_wide", many_wide},
                         {"real", real},
                         {"work_area", work_area},
                         {"refusals", refusals}});
}

}  // namespace maths
