// SPDX-License-Identifier: Apache-2.0

// The registrations of nvcc's objects at load reach the runtime when it is opened: all of them, in
// order, without those that were undone before. A runtime that prints its registrations shows it.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Registration : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { REQUIRE_PROGRAM(kernels(GetParam())); }

  // Lines of the runtime and of the program, in the order in which they came.
  std::vector<std::string> run(std::vector<std::string> steps) {
    Machine machine;
    machine.env("ANYCUDA_CUDART", fake("recording"));
    steps.insert(steps.begin(), {native("host"), "import:" + stub("cudart").string()});
    return answers(machine.run(steps));
  }
  std::string import() const { return "import:" + kernels(GetParam()).string(); }

  // The lines that register one copy of kernels.cu, whose two kernels and two variables come in
  // the compiler's order.
  static void expect_registered(std::vector<std::string>& lines, int number) {
    const std::string of = " of " + std::to_string(number);
    ASSERT_GE(lines.size(), 6u) << ::testing::PrintToString(lines);
    EXPECT_EQ(lines.front(), "fat binary " + std::to_string(number));
    const std::vector<std::string> inside(lines.begin() + 1, lines.begin() + 5);
    EXPECT_THAT(inside,
                ::testing::UnorderedElementsAre(HasSubstr("function _Z3addPf" + of + ", limit -1"),
                                                HasSubstr("function _Z5clearv" + of + ", limit -1"),
                                                HasSubstr("variable scale" + of + ", 0 4 1 0"),
                                                HasSubstr("variable total" + of + ", 0 4 0 0")));
    EXPECT_EQ(lines[5], "end " + std::to_string(number));
    lines.erase(lines.begin(), lines.begin() + 6);
  }
};

TEST_P(Registration, ComesWithTheFirstCall) {
  std::vector<std::string> lines = run({import(), "call:device_count", "call:device_count"});
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines[0], "import: yes");
  EXPECT_EQ(lines[1], "import: yes");
  lines.erase(lines.begin(), lines.begin() + 2);
  expect_registered(lines, 0);
  EXPECT_THAT(lines, ElementsAre("call: 4242", "call: 4242", "unregister 0"));  // at the exit
}

TEST_P(Registration, UnloadedBefore_IsNotReplayed) {
  EXPECT_THAT(run({import(), "close", "call:cudaPeekAtLastError"}),
              ElementsAre("import: yes", "import: yes", "close: gone", "call: 4242"));
}

TEST_P(Registration, AfterTheFirstCall_GoesDirectlyToTheLibrary) {
  std::vector<std::string> lines = run({"call:cudaPeekAtLastError", import(), "close"});
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines[1], "call: 4242");
  lines.erase(lines.begin(), lines.begin() + 2);
  expect_registered(lines, 0);
  EXPECT_THAT(lines, ElementsAre("import: yes", "unregister 0", "close: gone"));
}

TEST_P(Registration, IsUndoneWhenItsObjectIsUnloaded) {
  std::vector<std::string> lines = run({import(), "call:device_count", "close"});
  ASSERT_GE(lines.size(), 2u);
  lines.erase(lines.begin(), lines.begin() + 2);
  expect_registered(lines, 0);
  EXPECT_THAT(lines, ElementsAre("call: 4242", "unregister 0", "close: gone"));
}

INSTANTIATE_TEST_SUITE_P(Real, Registration, ::testing::Values("11.8", "12.4", "13.0"),
                         [](const auto& info) { return "nvcc" + info.param.substr(0, 2); });

}  // namespace
}  // namespace anycuda::test
