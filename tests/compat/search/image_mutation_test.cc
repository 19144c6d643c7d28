// SPDX-License-Identifier: Apache-2.0

// A real library with bytes changed at random, always the same ones: the answer is always a state,
// never a crash. Run it under AddressSanitizer to see reads beyond a buffer.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/compat/search/read_image_of.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

constexpr int kRounds = 10000;

class Mutations {
 public:
  explicit Mutations(std::string original) : original_(std::move(original)) {}

  std::string next() {
    std::string bytes = original_;
    const int changes = 1 + below(6);
    for (int i = 0; i < changes; ++i) change(&bytes);
    if (below(8) == 0) bytes.resize(below(static_cast<int>(bytes.size())));
    return bytes;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  // Values that sit at the edge of some check are worth more than just any.
  void change(std::string* bytes) {
    static const std::uint64_t edges[] = {0,
                                          1,
                                          8,
                                          0x7f,
                                          0xff,
                                          0x1000,
                                          0x7fffffff,
                                          0xffffffff,
                                          0x7fffffffffffffff,
                                          0xffffffffffffffff};
    // Half of the changes hit the headers, where most of the meaning is.
    const int size = static_cast<int>(bytes->size());
    const int at = below(2) == 0 ? below(std::min(size, 0x300)) : below(size);
    if (below(2) == 0) {
      (*bytes)[static_cast<std::size_t>(at)] = static_cast<char>(random_());
      return;
    }
    const std::uint64_t value = edges[below(10)];
    const std::size_t width = std::size_t{1} << below(4);
    if (static_cast<std::size_t>(at) + width > bytes->size()) return;
    std::memcpy(&(*bytes)[static_cast<std::size_t>(at)], &value, width);
  }

  std::string original_;
  std::mt19937 random_{20240229};
};

void expect_answers(const std::string& original) {
  ASSERT_EQ(unit::facts_of(original).state, FileState::usable) << "the original must be sound";
  int states[kStateCount] = {};
  Mutations mutations(original);
  for (int i = 0; i < kRounds; ++i) {
    const ImageFacts facts = unit::facts_of(mutations.next());
    ASSERT_LT(static_cast<int>(facts.state), kStateCount);
    ++states[static_cast<int>(facts.state)];
    if (facts.detail != nullptr) {
      ASSERT_LT(std::strlen(facts.detail), 64u);
    }
  }
  // The mutations reach into the reading code, and do not all end at the first check.
  EXPECT_GT(states[static_cast<int>(FileState::usable)], 0);
  EXPECT_GT(states[static_cast<int>(FileState::truncated)], 0);
  EXPECT_GT(states[static_cast<int>(FileState::other_library)], 0);
  EXPECT_GT(states[static_cast<int>(FileState::required_symbol_missing)], 0);
}

TEST(ImageMutation, OfALinkedLibraryIsAlwaysAnswered) {
  expect_answers(unit::read_file(unit::fake_library("libtest.so.12")));
}

TEST(ImageMutation, OfADenseImageIsAlwaysAnswered) {
  unit::ElfImage image;
  image.hash = unit::Hash::both;
  image.exports = {"testAdded", "testCore", "testMajor"};
  image.imports = {"malloc"};
  expect_answers(image.bytes());
}

}  // namespace
}  // namespace anycuda
