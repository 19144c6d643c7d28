// SPDX-License-Identifier: Apache-2.0

// cuRAND: its host generators make numbers without a GPU (calls.h).
#include <curand.h>

#include "calls.h"

namespace {

using calls::digest;
using calls::line;

constexpr std::size_t kCount = 1000;
constexpr int kTypes[] = {0, 77, 100, 101, 121, 141, 142, 161, 200, 201, 202, 203, 204};

void version() {
  int value = -1;
  line("version", curandGetVersion(&value), value);
  calls::properties("property", curandGetProperty);
}

void create() {
  for (const int type : kTypes) {
    curandGenerator_t generator = nullptr;
    line("create " + std::to_string(type),
         curandCreateGenerator(&generator, curandRngType_t(type)));
  }
}

// A generation's status, and its numbers as one.
template <typename Number, typename Generate>
void numbers(const std::string& name, Generate generate) {
  std::vector<Number> all(kCount);
  const curandStatus_t status = generate(all.data());
  const std::uint64_t sum = digest(all);
  line(name, status, sum, all.front(), all.back());
}

void generate(const std::string& name, curandGenerator_t of) {
  numbers<unsigned>(name + " bits", [&](auto* to) { return curandGenerate(of, to, kCount); });
  numbers<unsigned long long>(name + " long bits",
                              [&](auto* to) { return curandGenerateLongLong(of, to, kCount); });
  numbers<float>(name + " uniform",
                 [&](auto* to) { return curandGenerateUniform(of, to, kCount); });
  numbers<double>(name + " uniform double",
                  [&](auto* to) { return curandGenerateUniformDouble(of, to, kCount); });
  numbers<float>(name + " normal",
                 [&](auto* to) { return curandGenerateNormal(of, to, kCount, 1.5f, 0.25f); });
  numbers<double>(name + " normal double",
                  [&](auto* to) { return curandGenerateNormalDouble(of, to, kCount, 1.5, 0.25); });
  numbers<float>(name + " log normal",
                 [&](auto* to) { return curandGenerateLogNormal(of, to, kCount, 1.5f, 0.25f); });
  numbers<double>(name + " log normal double", [&](auto* to) {
    return curandGenerateLogNormalDouble(of, to, kCount, 1.5, 0.25);
  });
  numbers<unsigned>(name + " poisson",
                    [&](auto* to) { return curandGeneratePoisson(of, to, kCount, 12.5); });
}

void host() {
  for (const int type : kTypes) {
    const std::string name = "host " + std::to_string(type);
    curandGenerator_t generator = nullptr;
    line(name, curandCreateGeneratorHost(&generator, curandRngType_t(type)), generator);
    if (generator == nullptr) continue;
    line(name + " seed", curandSetPseudoRandomGeneratorSeed(generator, 1234));
    line(name + " offset", curandSetGeneratorOffset(generator, 16));
    line(name + " order", curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DEFAULT));
    line(name + " quasi order",
         curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT));
    line(name + " dimensions", curandSetQuasiRandomGeneratorDimensions(generator, 2));
    line(name + " stream", curandSetStream(generator, nullptr));
    line(name + " seeds", curandGenerateSeeds(generator));
    generate(name, generator);
    line(name + " destroy", curandDestroyGenerator(generator));
  }
}

void constants() {
  curandDirectionVectors32_t* vectors = nullptr;
  curandDirectionVectors64_t* wide_vectors = nullptr;
  unsigned* scrambles = nullptr;
  unsigned long long* wide_scrambles = nullptr;
  line("vectors", curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
       vectors);
  if (vectors != nullptr) line("vector", vectors[1][3]);
  line("wide vectors",
       curandGetDirectionVectors64(&wide_vectors, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
       wide_vectors);
  if (wide_vectors != nullptr) line("wide vector", wide_vectors[1][3]);
  line("scrambles", curandGetScrambleConstants32(&scrambles), scrambles);
  if (scrambles != nullptr) line("scramble", scrambles[5]);
  line("wide scrambles", curandGetScrambleConstants64(&wide_scrambles), wide_scrambles);
  if (wide_scrambles != nullptr) line("wide scramble", wide_scrambles[5]);
}

void without_generator() {
  curandDiscreteDistribution_t distribution = nullptr;
  unsigned bits[4] = {};
  float uniform[4] = {};
  line("null seed", curandSetPseudoRandomGeneratorSeed(nullptr, 1));
  line("null offset", curandSetGeneratorOffset(nullptr, 1));
  line("null order", curandSetGeneratorOrdering(nullptr, CURAND_ORDERING_PSEUDO_DEFAULT));
  line("null dimensions", curandSetQuasiRandomGeneratorDimensions(nullptr, 1));
  line("null stream", curandSetStream(nullptr, nullptr));
  line("null bits", curandGenerate(nullptr, bits, 4));
  line("null uniform", curandGenerateUniform(nullptr, uniform, 4));
  line("null normal", curandGenerateNormal(nullptr, uniform, 4, 0, 1));
  line("null poisson", curandGeneratePoisson(nullptr, bits, 4, 1.5));
  line("null seeds", curandGenerateSeeds(nullptr));
  line("null destroy", curandDestroyGenerator(nullptr));
  line("distribution", curandCreatePoissonDistribution(12.5, &distribution), distribution);
  line("destroy distribution", curandDestroyDistribution(nullptr));
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"create", create},
                      {"host", host},
                      {"constants", constants},
                      {"without-generator", without_generator}});
}
