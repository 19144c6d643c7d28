// SPDX-License-Identifier: Apache-2.0

// cuRAND: generators on the device and on the host, the moments of their numbers, and repetition.
#include <curand.h>

#include <cmath>

#include "check.h"
#include "memory.h"
#include "numbers.h"

// The stub's answer for what the library lacks, which cuRAND itself gives for its own faults.
inline bool is_absent(curandStatus_t status) { return status == CURAND_STATUS_INTERNAL_ERROR; }

namespace maths {
namespace {

constexpr std::size_t kCount = 1 << 18;
constexpr unsigned long long kSeed = 1234567;

struct Generator {
  Generator(Check& check, curandRngType_t type, bool host = false) {
    Guarded<curandGenerator_t> got;
    made = host ? CALL(check, curandCreateGeneratorHost(got.get(), type))
                : CALL(check, curandCreateGenerator(got.get(), type));
    INTACT(check, got);
    if (!made) return;
    handle = *got;
    if (type >= CURAND_RNG_QUASI_DEFAULT) {
      CALL(check, curandSetQuasiRandomGeneratorDimensions(handle, 1));
    } else {
      CALL(check, curandSetPseudoRandomGeneratorSeed(handle, kSeed));
    }
  }
  ~Generator() {
    if (made) curandDestroyGenerator(handle);
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  curandGenerator_t handle = nullptr;
  bool made = false;
};

// Mean and variance, within six deviations of what they are expected to be off by.
void moments(Check& check, const char* what, const std::vector<double>& values, double mean,
             double variance) {
  double sum = 0, squares = 0;
  for (double value : values) sum += value;
  const double got = sum / static_cast<double>(values.size());
  for (double value : values) squares += (value - got) * (value - got);
  const double spread = squares / static_cast<double>(values.size());
  const double off = 6 * std::sqrt(variance / static_cast<double>(values.size()));
  if (!(std::fabs(got - mean) < off)) {
    check.fail(std::string(what) + ": mean " + std::to_string(got));
  }
  // Loose enough for each of these distributions, of which the lognormal has the longest tail.
  if (!(std::fabs(spread / variance - 1) < 0.1)) {
    check.fail(std::string(what) + ": variance " + std::to_string(spread));
  }
  check.value(std::string(what) + ".mean", got);
  check.value(std::string(what) + ".variance", spread);
}

void distributions(Check& check, curandRngType_t type) {
  const Generator generator(check, type);
  if (!check) return;
  DeviceArray<float> numbers(kCount);
  NEED(check, curandGenerateUniform(generator.handle, numbers.data(), kCount));
  NEED(check, cudaDeviceSynchronize());
  const std::vector<float> uniform = numbers.get(check);
  moments(check, "uniform", flat(uniform), 0.5, 1.0 / 12);
  for (float value : uniform) {
    if (!(value > 0 && value <= 1)) {
      check.fail("uniform: " + std::to_string(value) + " is not above 0 and at most 1");
      break;
    }
  }
  NEED(check, curandGenerateNormal(generator.handle, numbers.data(), kCount, 3, 2));
  NEED(check, cudaDeviceSynchronize());
  moments(check, "normal", flat(numbers.get(check)), 3, 4);
  NEED(check, curandGenerateLogNormal(generator.handle, numbers.data(), kCount, 0, 0.5));
  NEED(check, cudaDeviceSynchronize());
  const double e = std::exp(0.25);
  moments(check, "lognormal", flat(numbers.get(check)), std::sqrt(e), (e - 1) * e);
  DeviceArray<double> wide(kCount);
  NEED(check, curandGenerateNormalDouble(generator.handle, wide.data(), kCount, -1, 1));
  NEED(check, cudaDeviceSynchronize());
  moments(check, "normal_double", wide.get(check), -1, 1);
  DeviceArray<unsigned> counts(kCount);
  NEED(check, curandGeneratePoisson(generator.handle, counts.data(), kCount, 10));
  NEED(check, cudaDeviceSynchronize());
  moments(check, "poisson", flat(counts.get(check)), 10, 10);
}

std::vector<unsigned> bits(Check& check, curandRngType_t type) {
  const Generator generator(check, type);
  DeviceArray<unsigned> numbers(kCount);
  if (check) CALL(check, curandGenerate(generator.handle, numbers.data(), kCount));
  if (check) CALL(check, cudaDeviceSynchronize());
  return check ? numbers.get(check) : std::vector<unsigned>();
}

// The same numbers again with the same seed, and, where a generator on the host gives them too,
// those.
void repetition(Check& check, curandRngType_t type) {
  const std::vector<unsigned> first = bits(check, type);
  if (!check) return;
  EXPECT(check, first == bits(check, type));
  const Generator host(check, type, true);
  std::vector<unsigned> there(kCount);
  if (!check || !CALL(check, curandGenerate(host.handle, there.data(), kCount))) return;
  // That depends on the order that the library chooses: what it is natively it must be here.
  check.value("host_equals_device", there == first);
  // A different seed gives other numbers, an offset the same ones from there on.
  if (type >= CURAND_RNG_QUASI_DEFAULT) return;
  const Generator other(check, type);
  DeviceArray<unsigned> numbers(kCount);
  if (!check) return;
  NEED(check, curandSetPseudoRandomGeneratorSeed(other.handle, kSeed + 1));
  NEED(check, curandGenerate(other.handle, numbers.data(), kCount));
  NEED(check, cudaDeviceSynchronize());
  EXPECT(check, numbers.get(check) != first);
}

void stream(Check& check) {
  const Generator generator(check, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  if (!check) return;
  cudaStream_t stream = nullptr;
  NEED(check, cudaStreamCreate(&stream));
  DeviceArray<unsigned> numbers(kCount);
  CALL(check, curandSetStream(generator.handle, stream)) &&
      CALL(check, curandGenerate(generator.handle, numbers.data(), kCount)) &&
      CALL(check, cudaStreamSynchronize(stream));
  if (check) EXPECT(check, numbers.get(check) == bits(check, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  CALL(check, cudaStreamDestroy(stream));
}

void tables(Check& check) {
  Guarded<curandDirectionVectors32_t*> vectors;
  NEED(check, curandGetDirectionVectors32(vectors.get(), CURAND_DIRECTION_VECTORS_32_JOEKUO6));
  INTACT(check, vectors);
  EXPECT(check, (**vectors)[0] == 0x80000000u);
  Guarded<curandDiscreteDistribution_t> poisson;
  NEED(check, curandCreatePoissonDistribution(4.5, poisson.get()));
  INTACT(check, poisson);
  NEED(check, curandDestroyDistribution(*poisson));
}

void version(Check& check) {
  Guarded<int> number, major;
  NEED(check, curandGetVersion(number.get()));
  NEED(check, curandGetProperty(MAJOR_VERSION, major.get()));
  EXPECT(check, *major == *number / 1000);
  INTACT(check, number);
  INTACT(check, major);
}

}  // namespace

void run() {
  const struct {
    const char* name;
    curandRngType_t type;
  } types[] = {{"xorwow", CURAND_RNG_PSEUDO_XORWOW},
               {"mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A},
               {"philox", CURAND_RNG_PSEUDO_PHILOX4_32_10},
               {"sobol32", CURAND_RNG_QUASI_SOBOL32}};
  for (const auto& row : types) {
    const std::string name = std::string("curand.") + row.name;
    {
      Check check(name + ".distributions");
      distributions(check, row.type);
    }
    Check check(name + ".repetition");
    repetition(check, row.type);
  }
  run_topics<>("curand", {{"stream", stream}, {"tables", tables}, {"version", version}});
}

}  // namespace maths
