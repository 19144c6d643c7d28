// SPDX-License-Identifier: Apache-2.0

// cuFFT's extended functions: plans by the types of their numbers, half precision too, work areas,
// and transforms over several GPUs, whose memory the library allots.
#include <cufftXt.h>

#include "cufft_support.h"

namespace maths {
namespace {

// Batches of transforms of `size` numbers, which lie side by side.
cufftResult make(const Plan& plan, long long size, long long batch, cudaDataType in,
                 cudaDataType out, cudaDataType execution, std::size_t* needed) {
  const bool real_in = in == CUDA_R_64F, real_out = out == CUDA_R_64F;
  const long long half = size / 2 + 1;
  return cufftXtMakePlanMany(*plan.handle, 1, &size, nullptr, 1, real_out ? half : size, in,
                             nullptr, 1, real_in ? half : size, out, batch, needed, execution);
}

// Real numbers in double precision, forward; the size equals that of the earlier query.
void real_double(Check& check) {
  long long size = 48;
  constexpr long long kBatch = 3;
  const auto values = random_values<double>(48 * kBatch, 1);
  DeviceArray<double> memory(values);
  DeviceArray<Wide> half(25 * kBatch);
  Plan plan, other;
  if (!plan.take(check, "cufftCreate", cufftCreate(plan.handle.get())) ||
      !other.take(check, "cufftCreate", cufftCreate(other.handle.get()))) {
    return;
  }
  Guarded<std::size_t> told, needed;
  NEED(check, cufftXtGetSizeMany(*other.handle, 1, &size, nullptr, 1, size, CUDA_R_64F, nullptr, 1,
                                 25, CUDA_C_64F, kBatch, told.get(), CUDA_C_64F));
  NEED(check, make(plan, size, kBatch, CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, needed.get()));
  check.value("told", static_cast<double>(*told));
  check.value("needed", static_cast<double>(*needed));
  INTACT(check, told);
  INTACT(check, needed);
  NEED(check, cufftXtExec(*plan.handle, memory.data(), half.data(), CUFFT_FORWARD));
  NEED(check, cudaDeviceSynchronize());
  check.near("forward", flat(half.get(check)), flat(half_of(transformed(values, {48}), 48)), 1e-11);
}

// Half precision, of small whole numbers, forward: what comes is near by the precision of half.
void half_precision(Check& check) {
  constexpr int kSize = 64, kBatch = 2, kCount = kSize * kBatch;
  const std::vector<int> values = small_values(2 * kCount, 2);
  std::vector<std::uint16_t> halves;
  std::vector<Wide> numbers;
  for (int value : values) halves.push_back(to_half(static_cast<float>(value)));
  for (int i = 0; i < kCount; ++i)
    numbers.push_back({1.0 * values[2 * i], 1.0 * values[2 * i + 1]});
  DeviceArray<std::uint16_t> memory(halves);
  Plan plan;
  if (!plan.take(check, "cufftCreate", cufftCreate(plan.handle.get()))) return;
  Guarded<std::size_t> needed;
  NEED(check, make(plan, kSize, kBatch, CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, needed.get()));
  INTACT(check, needed);
  NEED(check, cufftXtExec(*plan.handle, memory.data(), memory.data(), CUFFT_FORWARD));
  NEED(check, cudaDeviceSynchronize());
  std::vector<double> got;
  for (std::uint16_t value : memory.get(check)) got.push_back(from_half(value));
  check.near("forward", got, flat(transformed(numbers, {kSize})), 0.05);
}

// A plan that is to work in as little memory as it can; the size is a limit for another policy.
void area_policy(Check& check) {
  const auto values = random_values<Wide>(1000, 3);
  DeviceArray<Wide> memory(values);
  Plan plan;
  if (!plan.take(check, "cufftCreate", cufftCreate(plan.handle.get()))) return;
  Guarded<std::size_t> needed, less;
  NEED(check, make(plan, 1000, 1, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, needed.get()));
  NEED(check, cufftXtSetWorkAreaPolicy(*plan.handle, CUFFT_WORKAREA_MINIMAL, less.get()));
  EXPECT(check, less.untouched());
  INTACT(check, needed);
  INTACT(check, less);
  NEED(check, cufftXtExec(*plan.handle, memory.data(), memory.data(), CUFFT_INVERSE));
  NEED(check, cudaDeviceSynchronize());
  check.near("inverse", flat(memory.get(check)), flat(transformed(values, {1000}, CUFFT_INVERSE)),
             1e-10);
}

// A plan over two GPUs, which the first one is twice: the library takes that, but not one alone.
struct Spread : Plan {
  explicit Spread(Check& check) {
    int all[kGpus] = {0, 0};
    take(check, "cufftCreate", cufftCreate(handle.get())) &&
        CALL(check, cufftXtSetGPUs(*handle, kGpus, all));
  }
  static constexpr int kGpus = 2;
};

// Memory of the library on the GPUs of a plan.
struct Spread_memory {
  Spread_memory(Check& check, const Spread& plan) {
    Guarded<cudaLibXtDesc*> got;
    if (!CALL(check, cufftXtMalloc(*plan.handle, got.get(), CUFFT_XT_FORMAT_INPLACE))) return;
    INTACT(check, got);
    descriptor = *got;
    EXPECT(check, descriptor->descriptor->nGPUs == Spread::kGpus);
  }
  ~Spread_memory() {
    if (descriptor != nullptr) cufftXtFree(descriptor);
  }
  Spread_memory(const Spread_memory&) = delete;
  Spread_memory& operator=(const Spread_memory&) = delete;
  cudaLibXtDesc* descriptor = nullptr;
};

// In place over the GPUs and back to the host, in two dimensions, by `execute`.
template <typename T, typename Execute>
void complex_over(Check& check, cufftType type, double tolerance, Execute execute) {
  constexpr int kRows = 32, kColumns = 64;
  const Spread plan(check);
  if (!check) return;
  Guarded<std::size_t[Spread::kGpus]> needed;
  NEED(check, cufftMakePlan2d(*plan.handle, kRows, kColumns, type, *needed));
  INTACT(check, needed);
  const Spread_memory memory(check, plan);
  if (!check) return;
  auto values = random_values<std::complex<T>>(kRows * kColumns, 4);
  auto result = values;
  NEED(check,
       cufftXtMemcpy(*plan.handle, memory.descriptor, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
  NEED(check, execute(*plan.handle, memory.descriptor));
  NEED(check,
       cufftXtMemcpy(*plan.handle, result.data(), memory.descriptor, CUFFT_COPY_DEVICE_TO_HOST));
  check.near("forward", flat(result), flat(transformed(values, {kRows, kColumns})), tolerance);
}

void over_c2c(Check& check) {
  complex_over<float>(check, CUFFT_C2C, 1e-3, [](cufftHandle plan, cudaLibXtDesc* memory) {
    return cufftXtExecDescriptorC2C(plan, memory, memory, CUFFT_FORWARD);
  });
}
void over_z2z(Check& check) {
  complex_over<double>(check, CUFFT_Z2Z, 1e-10, [](cufftHandle plan, cudaLibXtDesc* memory) {
    return cufftXtExecDescriptorZ2Z(plan, memory, memory, CUFFT_FORWARD);
  });
}
void over_any(Check& check) {
  complex_over<double>(check, CUFFT_Z2Z, 1e-10, [](cufftHandle plan, cudaLibXtDesc* memory) {
    return cufftXtExecDescriptor(plan, memory, memory, CUFFT_FORWARD);
  });
}

// Real numbers to their half and back over the GPUs: what comes back is what went.
template <typename T, typename There, typename Back>
void real_over(Check& check, cufftType there_type, cufftType back_type, double tolerance,
               There there, Back back) {
  constexpr int kRows = 32, kColumns = 64, kLine = kColumns + 2;
  const Spread forward(check), backward(check);
  if (!check) return;
  Guarded<std::size_t[Spread::kGpus]> needed;
  NEED(check, cufftMakePlan2d(*forward.handle, kRows, kColumns, there_type, *needed));
  NEED(check, cufftMakePlan2d(*backward.handle, kRows, kColumns, back_type, *needed));
  INTACT(check, needed);
  const Spread_memory memory(check, forward);
  if (!check) return;
  // Lines of the size of their half, as in place.
  auto values = random_values<T>(kRows * kLine, 5);
  std::vector<T> result(values.size());
  NEED(check,
       cufftXtMemcpy(*forward.handle, memory.descriptor, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
  NEED(check, there(*forward.handle, memory.descriptor));
  NEED(check, back(*backward.handle, memory.descriptor));
  NEED(check, cufftXtMemcpy(*backward.handle, result.data(), memory.descriptor,
                            CUFFT_COPY_DEVICE_TO_HOST));
  std::vector<double> got, want;
  for (int i = 0; i < kRows * kLine; ++i) {
    if (i % kLine >= kColumns) continue;
    got.push_back(result[i] / (kRows * kColumns));
    want.push_back(values[i]);
  }
  check.near("and back", got, want, tolerance);
}

void over_real(Check& check) {
  real_over<float>(
      check, CUFFT_R2C, CUFFT_C2R, 1e-4,
      [](cufftHandle plan, cudaLibXtDesc* all) { return cufftXtExecDescriptorR2C(plan, all, all); },
      [](cufftHandle plan, cudaLibXtDesc* all) {
        return cufftXtExecDescriptorC2R(plan, all, all);
      });
}
void over_real_double(Check& check) {
  real_over<double>(
      check, CUFFT_D2Z, CUFFT_Z2D, 1e-11,
      [](cufftHandle plan, cudaLibXtDesc* all) { return cufftXtExecDescriptorD2Z(plan, all, all); },
      [](cufftHandle plan, cudaLibXtDesc* all) {
        return cufftXtExecDescriptorZ2D(plan, all, all);
      });
}

// One dimension over the GPUs, in memory that the program gives each to work in; how the numbers
// lie there afterwards the library tells by factors whose product is the size.
void over_areas(Check& check) {
  constexpr int kSize = 1 << 14;
  const Spread plan(check);
  if (!check) return;
  NEED(check, cufftSetAutoAllocation(*plan.handle, 0));
  Guarded<std::size_t[Spread::kGpus]> needed;
  NEED(check, cufftMakePlan1d(*plan.handle, kSize, CUFFT_C2C, 1, *needed));
  INTACT(check, needed);
  void* areas[Spread::kGpus] = {nullptr, nullptr};
  for (int i = 0; i < Spread::kGpus; ++i) {
    CALL(check, cudaMalloc(&areas[i], (*needed)[i] + 1));
  }
  NEED(check, cufftXtSetWorkArea(*plan.handle, areas));
  Guarded<cufftXt1dFactors> factors;
  NEED(check, cufftXtQueryPlan(*plan.handle, factors.get(), CUFFT_QUERY_1D_FACTORS));
  EXPECT(check, factors->size == kSize && factors->factor1 * factors->factor2 == kSize);
  INTACT(check, factors);
  {
    const Spread_memory memory(check, plan);
    const Spread_memory natural(check, plan);
    if (!check) return;
    auto values = random_values<Complex>(kSize, 6);
    auto result = values;
    NEED(check,
         cufftXtMemcpy(*plan.handle, memory.descriptor, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
    NEED(check, cufftXtExecDescriptorC2C(*plan.handle, memory.descriptor, memory.descriptor,
                                         CUFFT_FORWARD));
    NEED(check, cufftXtMemcpy(*plan.handle, natural.descriptor, memory.descriptor,
                              CUFFT_COPY_DEVICE_TO_DEVICE));
    NEED(check,
         cufftXtMemcpy(*plan.handle, result.data(), natural.descriptor, CUFFT_COPY_DEVICE_TO_HOST));
    // Some of them by the definition: all would take long.
    std::vector<Complex> got;
    std::vector<Wide> want;
    for (int k = 1; k < kSize; k += kSize / 7) {
      Wide sum = 0;
      for (int i = 0; i < kSize; ++i) {
        sum += Wide(values[i]) *
               std::polar(1.0, -2 * M_PI * static_cast<double>(1LL * i * k % kSize) / kSize);
      }
      got.push_back(result[k]);
      want.push_back(sum);
    }
    check.near("forward", flat(got), flat(want), 1e-3);
  }
  for (void* area : areas) CALL(check, cudaFree(area));
}

}  // namespace

void run() {
  run_topics<>("cufft_xt", {{"real_double", real_double},
                            {"half_precision", half_precision},
                            {"area_policy", area_policy},
                            {"over_c2c", over_c2c},
                            {"over_z2z", over_z2z},
                            {"over_any", over_any},
                            {"over_real", over_real},
                            {"over_real_double", over_real_double},
                            {"over_areas", over_areas}});
}

}  // namespace maths
