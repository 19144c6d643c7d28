// SPDX-License-Identifier: Apache-2.0

// cuFFT: plans made step by step, what they need, strides, real numbers in double precision, plan
// properties.
#include "cufft_support.h"

namespace maths {
namespace {

// Forward, in place, compared with the definition.
void forward(Check& check, const Plan& plan, const std::vector<int>& sizes, int batch) {
  std::size_t count = batch;
  for (int size : sizes) count *= size;
  const auto values = random_values<Complex>(count, 1);
  DeviceArray<Complex> memory(values);
  auto* numbers = memory.as<cufftComplex>();
  NEED(check, cufftExecC2C(*plan.handle, numbers, numbers, CUFFT_FORWARD));
  NEED(check, cudaDeviceSynchronize());
  check.near("forward", flat(memory.get(check)), flat(transformed(values, sizes)), 1e-4);
}

// The functions that make plans of a handle, each with those that return such a plan's memory: the
// size of the finished plan equals that of cufftGetSize* before.
struct Way {
  const char* name;
  std::vector<int> sizes;
  int batch;
  cufftResult (*estimate)(std::size_t*);
  cufftResult (*size)(cufftHandle, std::size_t*);
  cufftResult (*make)(cufftHandle, std::size_t*);
};

int many_sizes[] = {9, 16};
long long many_sizes_64[] = {9, 16};

const Way kWays[] = {{"one",
                      {120},
                      2,
                      [](std::size_t* size) { return cufftEstimate1d(120, CUFFT_C2C, 2, size); },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftGetSize1d(plan, 120, CUFFT_C2C, 2, size);
                      },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftMakePlan1d(plan, 120, CUFFT_C2C, 2, size);
                      }},
                     {"two",
                      {12, 20},
                      1,
                      [](std::size_t* size) { return cufftEstimate2d(12, 20, CUFFT_C2C, size); },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftGetSize2d(plan, 12, 20, CUFFT_C2C, size);
                      },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftMakePlan2d(plan, 12, 20, CUFFT_C2C, size);
                      }},
                     {"three",
                      {6, 8, 10},
                      1,
                      [](std::size_t* size) { return cufftEstimate3d(6, 8, 10, CUFFT_C2C, size); },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftGetSize3d(plan, 6, 8, 10, CUFFT_C2C, size);
                      },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftMakePlan3d(plan, 6, 8, 10, CUFFT_C2C, size);
                      }},
                     {"many",
                      {9, 16},
                      3,
                      [](std::size_t* size) {
                        return cufftEstimateMany(2, many_sizes, nullptr, 1, 144, nullptr, 1, 144,
                                                 CUFFT_C2C, 3, size);
                      },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftGetSizeMany(plan, 2, many_sizes, nullptr, 1, 144, nullptr, 1,
                                                144, CUFFT_C2C, 3, size);
                      },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftMakePlanMany(plan, 2, many_sizes, nullptr, 1, 144, nullptr, 1,
                                                 144, CUFFT_C2C, 3, size);
                      }},
                     {"many_64",
                      {9, 16},
                      3,
                      nullptr,
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftGetSizeMany64(plan, 2, many_sizes_64, nullptr, 1, 144, nullptr,
                                                  1, 144, CUFFT_C2C, 3, size);
                      },
                      [](cufftHandle plan, std::size_t* size) {
                        return cufftMakePlanMany64(plan, 2, many_sizes_64, nullptr, 1, 144, nullptr,
                                                   1, 144, CUFFT_C2C, 3, size);
                      }}};

void made(Check& check, const Way& way) {
  Guarded<std::size_t> estimated, told, needed, size;
  if (way.estimate != nullptr) {
    NEED(check, way.estimate(estimated.get()));
    check.value("estimated", static_cast<double>(*estimated));
    INTACT(check, estimated);
  }
  Plan plan, other;
  if (!plan.take(check, "cufftCreate", cufftCreate(plan.handle.get())) ||
      !other.take(check, "cufftCreate", cufftCreate(other.handle.get()))) {
    return;
  }
  NEED(check, way.size(*other.handle, told.get()));
  NEED(check, way.make(*plan.handle, needed.get()));
  NEED(check, cufftGetSize(*plan.handle, size.get()));
  check.value("told", static_cast<double>(*told));
  check.equal("size", static_cast<double>(*size), static_cast<double>(*needed));
  INTACT(check, told);
  INTACT(check, needed);
  INTACT(check, size);
  forward(check, plan, way.sizes, way.batch);
}

// Every third number of the input, every second of the output, in longer lines than are used.
void strides(Check& check) {
  constexpr int kRows = 5, kColumns = 8, kInLine = 10, kOutLine = 9, kIn = 3, kOut = 2, kBatch = 2;
  int sizes[] = {kRows, kColumns}, in[] = {kRows, kInLine}, out[] = {kRows, kOutLine};
  constexpr int kInBatch = kRows * kInLine * kIn, kOutBatch = kRows * kOutLine * kOut;
  const auto values = random_values<Complex>(kInBatch * kBatch, 2);
  DeviceArray<Complex> from(values), to(std::vector<Complex>(kOutBatch * kBatch));
  std::vector<Complex> packed;
  for (int i = 0; i < kBatch * kRows * kColumns; ++i) {
    const int batch = i / (kRows * kColumns), row = i / kColumns % kRows, column = i % kColumns;
    packed.push_back(values[batch * kInBatch + (row * kInLine + column) * kIn]);
  }
  const std::vector<Wide> all = transformed(packed, {kRows, kColumns});
  std::vector<Wide> want(kOutBatch * kBatch);
  for (int i = 0; i < kBatch * kRows * kColumns; ++i) {
    const int batch = i / (kRows * kColumns), row = i / kColumns % kRows, column = i % kColumns;
    want[batch * kOutBatch + (row * kOutLine + column) * kOut] = all[i];
  }
  Plan plan;
  if (!plan.take(check, "cufftPlanMany",
                 cufftPlanMany(plan.handle.get(), 2, sizes, in, kIn, kInBatch, out, kOut, kOutBatch,
                               CUFFT_C2C, kBatch))) {
    return;
  }
  NEED(check,
       cufftExecC2C(*plan.handle, from.as<cufftComplex>(), to.as<cufftComplex>(), CUFFT_FORWARD));
  NEED(check, cudaDeviceSynchronize());
  check.near("forward", flat(to.get(check)), flat(want), 1e-4);
}

// Real numbers in double precision, in three dimensions, to their half and back.
void real_double(Check& check) {
  constexpr int kCount = 4 * 6 * 10;
  const auto values = random_values<double>(kCount, 3);
  DeviceArray<double> memory(values), back(values.size());
  DeviceArray<Wide> half(4 * 6 * (10 / 2 + 1));
  Plan there, again;
  if (!there.take(check, "cufftPlan3d", cufftPlan3d(there.handle.get(), 4, 6, 10, CUFFT_D2Z)) ||
      !again.take(check, "cufftPlan3d", cufftPlan3d(again.handle.get(), 4, 6, 10, CUFFT_Z2D))) {
    return;
  }
  NEED(check, cufftExecD2Z(*there.handle, memory.data(), half.as<cufftDoubleComplex>()));
  NEED(check, cudaDeviceSynchronize());
  check.near("forward", flat(half.get(check)), flat(half_of(transformed(values, {4, 6, 10}), 10)),
             1e-11);
  NEED(check, cufftExecZ2D(*again.handle, half.as<cufftDoubleComplex>(), back.data()));
  NEED(check, cudaDeviceSynchronize());
  std::vector<double> found = back.get(check);
  for (double& value : found) value /= kCount;
  check.near("and back", found, values, 1e-11);
}

// Complex numbers in double precision, backward, in two dimensions.
void inverse_double(Check& check) {
  const auto values = random_values<Wide>(14 * 15, 4);
  DeviceArray<Wide> memory(values);
  auto* numbers = memory.as<cufftDoubleComplex>();
  Plan plan;
  if (!plan.take(check, "cufftPlan2d", cufftPlan2d(plan.handle.get(), 14, 15, CUFFT_Z2Z))) return;
  NEED(check, cufftExecZ2Z(*plan.handle, numbers, numbers, CUFFT_INVERSE));
  NEED(check, cudaDeviceSynchronize());
  check.near("inverse", flat(memory.get(check)), flat(transformed(values, {14, 15}, CUFFT_INVERSE)),
             1e-11);
}

// A property is set, read, and reset to what it was; the plan transforms as any other.
void properties(Check& check) {
#if CUFFT_VERSION >= 11200
  Plan plan;
  if (!plan.take(check, "cufftCreate", cufftCreate(plan.handle.get()))) return;
  constexpr cufftProperty kProperty = NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT;
  Guarded<long long> before, set, after;
  NEED(check, cufftGetPlanPropertyInt64(*plan.handle, kProperty, before.get()));
  NEED(check, cufftSetPlanPropertyInt64(*plan.handle, kProperty, 1));
  NEED(check, cufftGetPlanPropertyInt64(*plan.handle, kProperty, set.get()));
  NEED(check, cufftResetPlanProperty(*plan.handle, kProperty));
  NEED(check, cufftGetPlanPropertyInt64(*plan.handle, kProperty, after.get()));
  EXPECT(check, *set == 1 && *after == *before);
  INTACT(check, before);
  INTACT(check, set);
  INTACT(check, after);
  std::size_t size = 0;
  NEED(check, cufftMakePlan1d(*plan.handle, 64, CUFFT_C2C, 1, &size));
  forward(check, plan, {64}, 1);
#else
  (void)check;  // from CUDA 12.4 on
#endif
}

}  // namespace

void run() {
  for (const Way& way : kWays) {
    Check check(std::string("cufft_plans.") + way.name);
    made(check, way);
  }
  run_topics<>("cufft_plans", {{"strides", strides},
                               {"real_double", real_double},
                               {"inverse_double", inverse_double},
                               {"properties", properties}});
}

}  // namespace maths
