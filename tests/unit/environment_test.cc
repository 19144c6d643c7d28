#include "loader/environment.h"

#include <gtest/gtest.h>

#include "tests/unit/surroundings.h"

namespace anycuda {
namespace {

using unit::ScopedVariable;

TEST(Environment, AnEmptyVariableIsNone) {
  const ScopedVariable unset("ANYCUDA_UNIT", nullptr);
  EXPECT_EQ(environment_variable("ANYCUDA_UNIT"), nullptr);
  const ScopedVariable empty("ANYCUDA_UNIT", "");
  EXPECT_EQ(environment_variable("ANYCUDA_UNIT"), nullptr);
  const ScopedVariable set("ANYCUDA_UNIT", "x");
  EXPECT_STREQ(environment_variable("ANYCUDA_UNIT"), "x");
}

TEST(Environment, TheSystemRootIsAnAbsoluteFolder) {
  const ScopedVariable unset("ANYCUDA_SYSTEM_ROOT", nullptr);
  EXPECT_STREQ(system_root(), "");
  const ScopedVariable relative("ANYCUDA_SYSTEM_ROOT", "image");
  EXPECT_STREQ(system_root(), "");
  const ScopedVariable absolute("ANYCUDA_SYSTEM_ROOT", "/image");
  EXPECT_STREQ(system_root(), "/image");
}

TEST(Environment, CrossMajorIsAdaptUnlessSaidOtherwise) {
  const ScopedVariable unset("ANYCUDA_CROSS_MAJOR", nullptr);
  EXPECT_EQ(cross_major_setting().value, CrossMajor::adapt);
  const ScopedVariable adapt("ANYCUDA_CROSS_MAJOR", "adapt");
  EXPECT_EQ(cross_major_setting().value, CrossMajor::adapt);
  EXPECT_EQ(cross_major_setting().wrong, nullptr);
  const ScopedVariable reject("ANYCUDA_CROSS_MAJOR", "reject");
  EXPECT_EQ(cross_major_setting().value, CrossMajor::reject);
  EXPECT_EQ(cross_major_setting().wrong, nullptr);
}

TEST(Environment, AWrongCrossMajorIsNamedAndAllowsNothing) {
  const ScopedVariable wrong("ANYCUDA_CROSS_MAJOR", "Reject");
  EXPECT_EQ(cross_major_setting().value, CrossMajor::reject);
  EXPECT_STREQ(cross_major_setting().wrong, "Reject");
}

}  // namespace
}  // namespace anycuda
