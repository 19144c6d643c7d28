// SPDX-License-Identifier: Apache-2.0

// cuRAND: the generators and distributions that curand.cc leaves out. Quasirandom numbers are
// compared with the library's own tables by their definition, all others by their moments, and
// with the same numbers from an offset on or by another order.
#include <curand.h>

#include <algorithm>
#include <cmath>

#include "check.h"
#include "memory.h"
#include "numbers.h"

// The stub's answer for what the library lacks, which cuRAND itself gives for its own faults.
inline bool is_absent(curandStatus_t status) { return status == CURAND_STATUS_INTERNAL_ERROR; }

namespace maths {
namespace {

constexpr std::size_t kCount = 1 << 16;

// On the device, or on the host, whose numbers come to the program's own memory.
class Generator {
 public:
  Generator(Check& check, curandRngType_t type, bool host = false) : host_(host) {
    Guarded<curandGenerator_t> got;
    made_ = host ? CALL(check, curandCreateGeneratorHost(got.get(), type))
                 : CALL(check, curandCreateGenerator(got.get(), type));
    INTACT(check, got);
    if (!made_) return;
    handle = *got;
    if (type < CURAND_RNG_QUASI_DEFAULT) {
      CALL(check, curandSetPseudoRandomGeneratorSeed(handle, 987654321));
    }
  }
  ~Generator() {
    if (made_) curandDestroyGenerator(handle);
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // What `call`, which is given the generator, the memory and the count, puts there.
  template <typename T, typename Call>
  std::vector<T> numbers(Check& check, const char* text, std::size_t count, Call call) const {
    std::vector<T> values(count);
    if (!check) return values;
    if (host_) {
      check.call(text, call(handle, values.data(), count));
      return values;
    }
    DeviceArray<T> memory(count);
    if (check.call(text, call(handle, memory.data(), count)) &&
        CALL(check, cudaDeviceSynchronize())) {
      values = memory.get(check);
    }
    return values;
  }
  std::vector<unsigned> bits(Check& check, std::size_t count = kCount) const {
    return numbers<unsigned>(check, "curandGenerate", count, curandGenerate);
  }

  curandGenerator_t handle = nullptr;

 private:
  bool host_ = false, made_ = false;
};

// Mean and variance, within six deviations of what they are expected to be off by.
void moments(Check& check, const char* what, const std::vector<double>& values, double mean,
             double variance) {
  if (!check) return;
  double sum = 0, squares = 0;
  for (double value : values) sum += value;
  const double count = static_cast<double>(values.size()), got = sum / count;
  for (double value : values) squares += (value - got) * (value - got);
  const double spread = squares / count;
  if (!(std::fabs(got - mean) < 6 * std::sqrt(variance / count))) {
    check.fail(std::string(what) + ": mean " + std::to_string(got));
  }
  if (!(std::fabs(spread / variance - 1) < 0.1)) {
    check.fail(std::string(what) + ": variance " + std::to_string(spread));
  }
  check.value(std::string(what) + ".mean", got);
}

// Every distribution of one generator.
void distributions(Check& check, const Generator& generator) {
  moments(
      check, "uniform",
      flat(generator.numbers<float>(check, "curandGenerateUniform", kCount, curandGenerateUniform)),
      0.5, 1.0 / 12);
  moments(check, "uniform_double",
          generator.numbers<double>(check, "curandGenerateUniformDouble", kCount,
                                    curandGenerateUniformDouble),
          0.5, 1.0 / 12);
  moments(check, "normal",
          flat(generator.numbers<float>(check, "curandGenerateNormal", kCount,
                                        [](auto handle, auto* to, auto count) {
                                          return curandGenerateNormal(handle, to, count, -2, 3);
                                        })),
          -2, 9);
  moments(check, "normal_double",
          generator.numbers<double>(check, "curandGenerateNormalDouble", kCount,
                                    [](auto handle, auto* to, auto count) {
                                      return curandGenerateNormalDouble(handle, to, count, 5, 0.5);
                                    }),
          5, 0.25);
  // The logarithms of them are normal.
  const auto logarithms = [](auto values) {
    std::vector<double> all;
    for (auto value : values) all.push_back(std::log(static_cast<double>(value)));
    return all;
  };
  moments(check, "lognormal",
          logarithms(generator.numbers<float>(check, "curandGenerateLogNormal", kCount,
                                              [](auto handle, auto* to, auto count) {
                                                return curandGenerateLogNormal(handle, to, count, 1,
                                                                               2);
                                              })),
          1, 4);
  moments(check, "lognormal_double",
          logarithms(generator.numbers<double>(check, "curandGenerateLogNormalDouble", kCount,
                                               [](auto handle, auto* to, auto count) {
                                                 return curandGenerateLogNormalDouble(
                                                     handle, to, count, -1, 0.5);
                                               })),
          -1, 0.25);
  moments(check, "poisson",
          flat(generator.numbers<unsigned>(check, "curandGeneratePoisson", kCount,
                                           [](auto handle, auto* to, auto count) {
                                             return curandGeneratePoisson(handle, to, count, 7.5);
                                           })),
          7.5, 7.5);
}

// The numbers by the definition: of the bits of the Gray code of each index the direction vectors.
template <typename Word>
std::vector<Word> by_definition(const Word* vectors, Word constant, std::size_t first,
                                std::size_t count) {
  std::vector<Word> words(count, constant);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t code = (first + i) ^ ((first + i) >> 1);
    for (int bit = 0; bit < 32; ++bit) {
      if (code >> bit & 1) words[i] ^= vectors[bit];
    }
  }
  return words;
}

// Two dimensions, one after the other, from the start and from an offset on.
template <typename Word, typename Generate>
void quasi(Check& check, const Generator& generator, const Word* first, const Word* second,
           const Word* constants, Generate generate) {
  constexpr std::size_t kEach = 500, kOffset = 77;
  NEED(check, curandSetQuasiRandomGeneratorDimensions(generator.handle, 2));
  for (std::size_t offset : {std::size_t{0}, kOffset}) {
    NEED(check, curandSetGeneratorOffset(generator.handle, offset));
    std::vector<Word> want = by_definition(first, constants[0], offset, kEach);
    const std::vector<Word> more = by_definition(second, constants[1], offset, kEach);
    want.insert(want.end(), more.begin(), more.end());
    EXPECT(check, generate(generator, 2 * kEach) == want);
  }
}

void quasi_32(Check& check, curandRngType_t type, curandDirectionVectorSet_t set, bool scrambled,
              bool host) {
  Guarded<curandDirectionVectors32_t*> vectors;
  Guarded<unsigned*> constants;
  NEED(check, curandGetDirectionVectors32(vectors.get(), set));
  NEED(check, curandGetScrambleConstants32(constants.get()));
  INTACT(check, vectors);
  INTACT(check, constants);
  const unsigned none[2] = {0, 0};
  const Generator generator(check, type, host);
  if (!check) return;
  quasi(check, generator, (*vectors)[0], (*vectors)[1], scrambled ? *constants : none,
        [&](const Generator& from, std::size_t count) { return from.bits(check, count); });
  NEED(check, curandSetQuasiRandomGeneratorDimensions(generator.handle, 1));
  NEED(check, curandSetGeneratorOffset(generator.handle, 0));
  distributions(check, generator);
}

void quasi_64(Check& check, curandRngType_t type, curandDirectionVectorSet_t set, bool scrambled,
              bool host) {
  using Word = unsigned long long;
  Guarded<curandDirectionVectors64_t*> vectors;
  Guarded<Word*> constants;
  NEED(check, curandGetDirectionVectors64(vectors.get(), set));
  NEED(check, curandGetScrambleConstants64(constants.get()));
  INTACT(check, vectors);
  INTACT(check, constants);
  const Word none[2] = {0, 0};
  const Generator generator(check, type, host);
  if (!check) return;
  quasi(check, generator, (*vectors)[0], (*vectors)[1], scrambled ? *constants : none,
        [&](const Generator& from, std::size_t count) {
          return from.numbers<Word>(check, "curandGenerateLongLong", count, curandGenerateLongLong);
        });
  NEED(check, curandSetQuasiRandomGeneratorDimensions(generator.handle, 1));
  NEED(check, curandSetGeneratorOffset(generator.handle, 0));
  distributions(check, generator);
}

// Numbers that come again with the same seed, and what `distributions` compares.
void pseudo(Check& check, curandRngType_t type, bool host) {
  const Generator generator(check, type, host), again(check, type, host);
  if (!check) return;
  const std::vector<unsigned> numbers = generator.bits(check);
  // The state may be made before the numbers are.
  NEED(check, curandGenerateSeeds(again.handle));
  EXPECT(check, numbers == again.bits(check));
  EXPECT(check, numbers != generator.bits(check));
  distributions(check, generator);
}

// From an offset on the same numbers come; the rest of the generators have none.
void offset(Check& check, curandRngType_t type) {
  constexpr std::size_t kOffset = 1000;
  const Generator generator(check, type), later(check, type);
  if (!check) return;
  const std::vector<unsigned> numbers = generator.bits(check);
  NEED(check, curandSetGeneratorOffset(later.handle, kOffset));
  const std::vector<unsigned> rest = later.bits(check, kCount - kOffset);
  EXPECT(check, std::equal(rest.begin(), rest.end(), numbers.begin() + kOffset));
}

// In each order the numbers are as they should, and on the host they are those of the device.
void orders(Check& check) {
  const struct {
    const char* name;
    curandOrdering_t order;
  } rows[] = {{"default", CURAND_ORDERING_PSEUDO_DEFAULT},
              {"best", CURAND_ORDERING_PSEUDO_BEST},
              {"seeded", CURAND_ORDERING_PSEUDO_SEEDED},
              {"legacy", CURAND_ORDERING_PSEUDO_LEGACY},
              {"dynamic", CURAND_ORDERING_PSEUDO_DYNAMIC}};
  for (const auto& row : rows) {
    const Generator device(check, CURAND_RNG_PSEUDO_XORWOW);
    if (!check) return;
    NEED(check, curandSetGeneratorOrdering(device.handle, row.order));
    const std::vector<unsigned> numbers = device.bits(check);
    moments(check, row.name, flat(numbers), std::ldexp(0.5, 32), std::ldexp(1.0 / 12, 64));
    if (row.order != CURAND_ORDERING_PSEUDO_LEGACY) continue;
    const Generator host(check, CURAND_RNG_PSEUDO_XORWOW, true);
    NEED(check, curandSetGeneratorOrdering(host.handle, row.order));
    EXPECT(check, host.bits(check) == numbers);
  }
  const Generator quasi(check, CURAND_RNG_QUASI_SOBOL32);
  NEED(check, curandSetGeneratorOrdering(quasi.handle, CURAND_ORDERING_QUASI_DEFAULT));
  REFUSED(check, CURAND_STATUS_TYPE_ERROR, curandSetPseudoRandomGeneratorSeed(quasi.handle, 1));
}

// Numbers of Poisson by a method that the program names, on the host: of the methods that the
// header has, each release takes this one there.
void poisson_method(Check& check) {
  const Generator generator(check, CURAND_RNG_PSEUDO_PHILOX4_32_10, true);
  moments(check, "poisson",
          flat(generator.numbers<unsigned>(check, "curandGeneratePoissonMethod", kCount,
                                           [](auto handle, auto* to, auto count) {
                                             return curandGeneratePoissonMethod(
                                                 handle, to, count, 20, CURAND_DEVICE_API);
                                           })),
          20, 20);
}

}  // namespace

void run() {
  // MT19937 takes eight seconds to begin on the host.
  const struct {
    const char* name;
    curandRngType_t type;
    bool host;
  } generators[] = {{"mt19937", CURAND_RNG_PSEUDO_MT19937, false},
                    {"mtgp32", CURAND_RNG_PSEUDO_MTGP32, false},
                    {"default", CURAND_RNG_PSEUDO_DEFAULT, false},
                    {"host.xorwow", CURAND_RNG_PSEUDO_XORWOW, true},
                    {"host.mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A, true},
                    {"host.philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, true}};
  for (const auto& row : generators) {
    Check check(std::string("curand_types.") + row.name);
    pseudo(check, row.type, row.host);
  }
  const struct {
    const char* name;
    void (*run)(Check&, curandRngType_t, curandDirectionVectorSet_t, bool, bool);
    curandRngType_t type;
    curandDirectionVectorSet_t set;
    bool scrambled;
  } quasi_generators[] = {
      {"sobol32", quasi_32, CURAND_RNG_QUASI_SOBOL32, CURAND_DIRECTION_VECTORS_32_JOEKUO6, false},
      {"scrambled32", quasi_32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
       CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6, true},
      {"sobol64", quasi_64, CURAND_RNG_QUASI_SOBOL64, CURAND_DIRECTION_VECTORS_64_JOEKUO6, false},
      {"scrambled64", quasi_64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64,
       CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6, true}};
  for (const auto& row : quasi_generators) {
    for (bool host : {false, true}) {
      Check check(std::string("curand_types.") + (host ? "host." : "") + row.name);
      row.run(check, row.type, row.set, row.scrambled, host);
    }
  }
  for (const auto& row : {std::make_pair("xorwow", CURAND_RNG_PSEUDO_XORWOW),
                          std::make_pair("mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A),
                          std::make_pair("philox", CURAND_RNG_PSEUDO_PHILOX4_32_10)}) {
    Check check(std::string("curand_types.offset_") + row.first);
    offset(check, row.second);
  }
  run_topics<>("curand_types", {{"orders", orders}, {"poisson_method", poisson_method}});
}

}  // namespace maths
