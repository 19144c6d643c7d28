// SPDX-License-Identifier: Apache-2.0

// An answer that is computed once.
#include "linker/kept.h"

#include <gtest/gtest.h>

#include <stdexcept>

using anycuda::linker::Kept;

namespace {

const auto kForget = [](int) { return false; };

TEST(Kept, IsComputedOnceUntilAReset) {
  Kept<int> kept;
  int asked = 0;
  const auto ask = [&asked] { return ++asked; };
  EXPECT_EQ(kept.get(ask), 1);
  EXPECT_EQ(kept.get(ask), 1);
  EXPECT_EQ(asked, 1);
  kept.reset(kForget);
  EXPECT_EQ(kept.get(ask), 2);
}

TEST(Kept, PermanentAnswersStay) {
  Kept<int> kept;
  EXPECT_EQ(kept.get([] { return 1; }), 1);
  kept.reset([](int answer) { return answer == 1; });
  EXPECT_EQ(kept.get([] { return 2; }), 1);
}

TEST(Kept, AFailureIsNotKept) {
  Kept<int> kept;
  EXPECT_THROW(kept.get([]() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(kept.get([] { return 7; }), 7);
}

// A library's constructor may ask while it is opened for the answer: the first to know wins.
TEST(Kept, AskingMayAsk) {
  Kept<int> kept;
  EXPECT_EQ(kept.get([&kept] { return kept.get([] { return 1; }) + 1; }), 1);
}

TEST(Kept, AnswerDuringAReset_IsNotKept) {
  Kept<int> kept;
  const auto reset = [&kept] {
    kept.reset(kForget);
    return 1;
  };
  EXPECT_EQ(kept.get(reset), 1);
  EXPECT_EQ(kept.get([] { return 2; }), 2);
}

}  // namespace
