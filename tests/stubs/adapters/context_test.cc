// SPDX-License-Identifier: Apache-2.0

// Calls of the driver before the runtime has made its context.
#include "stubs/cudart/adapters/context.h"

#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"
#include "tests/support/case_names.h"

namespace anycuda {
namespace {

using namespace test;

class Context : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    made = 0;
    answer = 0;
    calls = 0;
    fake("cudaFree", make);
  }
  static unsigned make(void* pointer) {
    EXPECT_EQ(pointer, nullptr);
    ++made;
    set_library_error(answer);
    return answer;
  }
  static int made;
  static unsigned answer;
  static int calls;
};
int Context::made;
unsigned Context::answer;
int Context::calls;

TEST_F(Context, IsNotMadeForACallThatWorks) {
  EXPECT_EQ(in_context([] { return 0U; }), 0U);
  EXPECT_EQ(made, 0);
}

class MissingContext : public Context, public ::testing::WithParamInterface<unsigned> {};
TEST_P(MissingContext, IsCreatedByTheRuntimeAndTheCallIsRepeated) {
  EXPECT_EQ(in_context([] { return calls++ == 0 ? GetParam() : 0U; }), 0U);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(remembered(), 0U);
}
INSTANTIATE_TEST_SUITE_P(Driver, MissingContext, ::testing::Values(3U, 201U, 709U),
                         test::kPrintedName);

TEST_F(Context, OfTheSecondCallTheAnswerCounts) {
  EXPECT_EQ(in_context([] { return calls++ == 0 ? 201U : 1U; }), 1U);
  EXPECT_EQ(remembered(), 1U);
}

TEST_F(Context, ThatCannotBeMadeGivesTheRuntimesReason) {
  set_library_error(98);
  answer = 100;
  EXPECT_EQ(in_context([] { return ++calls, 201U; }), 100U);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(remembered(), 100U);
  EXPECT_EQ(library_error(), 98U);
}

TEST_F(Context, IsNotTheReasonOfOtherErrors) {
  EXPECT_EQ(in_context([] { return ++calls, 1U; }), 1U);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(remembered(), 1U);
}

}  // namespace
}  // namespace anycuda
