// SPDX-License-Identifier: Apache-2.0

// Which of two texts such as "12.9.79" is the newer file version.
#include "compat/base/dotted_order.h"

#include <gtest/gtest.h>

#include <ostream>

namespace anycuda {
namespace {

struct OrderCase {
  const char* a;
  const char* b;
  int order;  // its sign
};
void PrintTo(const OrderCase& c, std::ostream* out) {
  *out << '"' << c.a << "\" beside \"" << c.b << '"';
}

class DottedOrder : public testing::TestWithParam<OrderCase> {};

int sign(int order) { return (order > 0) - (order < 0); }

TEST_P(DottedOrder, IsThis) {
  const OrderCase& c = GetParam();
  EXPECT_EQ(sign(compare_dotted(c.a, c.b)), c.order);
  EXPECT_EQ(sign(compare_dotted(c.b, c.a)), -c.order) << "and the other way round";
  EXPECT_EQ(compare_dotted(c.a, c.a), 0);
}

INSTANTIATE_TEST_SUITE_P(Table, DottedOrder,
                         testing::Values(OrderCase{"", "", 0}, OrderCase{"12.9.79", "12.9.37", 1},
                                         OrderCase{"12.10", "12.9", 1},
                                         OrderCase{"12.9.1", "12.9", 1}, OrderCase{"1", "", 1},
                                         OrderCase{"13", "12.9.79", 1},
                                         // Leading zeros do not count, and no number is 0.
                                         OrderCase{"012", "12", 0}, OrderCase{"12.0", "12", 0},
                                         OrderCase{"12.0.1", "12", 1}, OrderCase{"0.10", ".9", 1},
                                         OrderCase{"0.9", ".10", -1},
                                         // The rest is compared letter by letter.
                                         OrderCase{"12.1b", "12.1a", 1},
                                         OrderCase{"12.1", "12a", 1}, OrderCase{"a", "0", 1},
                                         OrderCase{"a2", "a10", 1}));

}  // namespace
}  // namespace anycuda
