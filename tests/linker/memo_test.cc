// SPDX-License-Identifier: Apache-2.0

// An answer that is computed once.
#include "linker/memo.h"

#include <gtest/gtest.h>

#include <stdexcept>

using anycuda::linker::Memo;

namespace {

const auto kForget = [](int) { return false; };

TEST(Memo, IsComputedOnceUntilAReset) {
  Memo<int> memo;
  int asked = 0;
  const auto ask = [&asked] { return ++asked; };
  EXPECT_EQ(memo.get(ask), 1);
  EXPECT_EQ(memo.get(ask), 1);
  EXPECT_EQ(asked, 1);
  memo.reset(kForget);
  EXPECT_EQ(memo.get(ask), 2);
}

TEST(Memo, PermanentAnswersStay) {
  Memo<int> memo;
  EXPECT_EQ(memo.get([] { return 1; }), 1);
  memo.reset([](int answer) { return answer == 1; });
  EXPECT_EQ(memo.get([] { return 2; }), 1);
}

TEST(Memo, AFailureIsNotKept) {
  Memo<int> memo;
  EXPECT_THROW(memo.get([]() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(memo.get([] { return 7; }), 7);
}

// A library's constructor may ask while it is opened for the answer: the first to know wins.
TEST(Memo, AskingMayAsk) {
  Memo<int> memo;
  EXPECT_EQ(memo.get([&memo] { return memo.get([] { return 1; }) + 1; }), 1);
}

TEST(Memo, AnswerDuringAReset_IsNotKept) {
  Memo<int> memo;
  const auto reset = [&memo] {
    memo.reset(kForget);
    return 1;
  };
  EXPECT_EQ(memo.get(reset), 1);
  EXPECT_EQ(memo.get([] { return 2; }), 2);
}

}  // namespace
