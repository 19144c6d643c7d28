// SPDX-License-Identifier: Apache-2.0
#include "compat/base/environment.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

#include "compat/search/policy.h"
#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using unit::ScopedVariable;

TEST(Environment, EmptyVariableIsUnset) {
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

TEST(Environment, IsCopiedOnceForTheStubs) {
  const ScopedVariable before("ANYCUDA_UNIT", "before");
  unit::in_child([] {
    keep_environment();
    setenv("ANYCUDA_UNIT", "after", 1);
    setenv("ANYCUDA_UNIT_NEW", "new", 1);
    keep_environment();
    EXPECT_STREQ(environment_variable("ANYCUDA_UNIT"), "before");
    EXPECT_EQ(environment_variable("ANYCUDA_UNIT_NEW"), nullptr);
    clearenv();
    EXPECT_STREQ(environment_variable("ANYCUDA_UNIT"), "before");
  });
}

TEST(Environment, ThatIsEmptyIsCopied) {
  unit::in_child([] {
    clearenv();
    EXPECT_EQ(environment_variable("ANYCUDA_UNIT"), nullptr);
    keep_environment();
    setenv("ANYCUDA_UNIT", "late", 1);
    EXPECT_EQ(environment_variable("ANYCUDA_UNIT"), nullptr);
  });
}

// With no memory for a copy each variable is read as it is, and copied later.
TEST(Environment, IsReadInPlaceWithoutMemoryForACopy) {
  unit::in_child([] {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    const rlim_t most = limit.rlim_cur;
    limit.rlim_cur = 1;
    setrlimit(RLIMIT_AS, &limit);
    keep_environment();
    limit.rlim_cur = most;
    setrlimit(RLIMIT_AS, &limit);
    setenv("ANYCUDA_UNIT", "short", 1);
    EXPECT_STREQ(environment_variable("ANYCUDA_UNIT"), "short");
    keep_environment();
    unsetenv("ANYCUDA_UNIT");
    EXPECT_STREQ(environment_variable("ANYCUDA_UNIT"), "short");
  });
}

class PolicyVariables : public testing::Test {
 protected:
  // What is read with this text in a variable and the others unset.
  static Policy read(const char* variable = nullptr, const char* text = nullptr) {
    const ScopedVariable mode(kModeVariable, nullptr);
    const ScopedVariable stub_mode(kStubModeVariable, nullptr);
    const ScopedVariable cross_major(kCrossMajorVariable, nullptr);
    const ScopedVariable driver(kDriverCompatVariable, nullptr);
    if (variable == nullptr) return read_policy();
    const ScopedVariable set(variable, text);
    return read_policy();
  }
};

TEST_F(PolicyVariables, UnsetOrEmptyAreTheDefaults) {
  for (const char* variable : {static_cast<const char*>(nullptr), kModeVariable, kStubModeVariable,
                               kCrossMajorVariable, kDriverCompatVariable}) {
    const Policy policy = read(variable, "");
    EXPECT_EQ(policy.mode, Mode::best_effort);
    EXPECT_EQ(policy.cross_major, CrossMajor::adapt);
    EXPECT_FALSE(policy.forward_compatibility);
    EXPECT_EQ(policy.wrong_count, 0);
  }
}

TEST_F(PolicyVariables, EachValueIsUnderstood) {
  EXPECT_EQ(read("ANYCUDA_COMPAT", "strict").mode, Mode::strict);
  EXPECT_EQ(read("ANYCUDA_COMPAT", "best_effort").mode, Mode::best_effort);
  EXPECT_EQ(read("ANYCUDA_COMPAT", "off").mode, Mode::off);
  EXPECT_EQ(read("ANYCUDA_CROSS_MAJOR", "adapt").cross_major, CrossMajor::adapt);
  EXPECT_EQ(read("ANYCUDA_CROSS_MAJOR", "reject").cross_major, CrossMajor::reject);
  EXPECT_TRUE(read("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat").forward_compatibility);
  for (const char* value : {"strict", "best_effort", "off"}) {
    EXPECT_EQ(read("ANYCUDA_COMPAT", value).wrong_count, 0) << value;
    EXPECT_EQ(read("ANYCUDA_STUB_COMPAT", value).wrong_count, 0) << value;
  }
}

TEST_F(PolicyVariables, InvalidValueIsReportedWithItsDefaultAndAllowsNothing) {
  const Policy mode = read("ANYCUDA_COMPAT", "Strict");
  ASSERT_EQ(mode.wrong_count, 1);
  EXPECT_STREQ(mode.wrong[0].variable, "ANYCUDA_COMPAT");
  EXPECT_STREQ(mode.wrong[0].value, "Strict");
  EXPECT_STREQ(mode.wrong[0].fallback, "best_effort");
  const Policy cross_major = read("ANYCUDA_CROSS_MAJOR", "Reject");
  ASSERT_EQ(cross_major.wrong_count, 1);
  EXPECT_STREQ(cross_major.wrong[0].value, "Reject");
  EXPECT_EQ(cross_major.cross_major, CrossMajor::reject);
  const Policy driver = read("ANYCUDA_DRIVER_COMPAT", "yes");
  ASSERT_EQ(driver.wrong_count, 1);
  EXPECT_STREQ(driver.wrong[0].variable, "ANYCUDA_DRIVER_COMPAT");
  EXPECT_FALSE(driver.forward_compatibility);
}

TEST_F(PolicyVariables, TheStubsVariableOverrulesTheCommonOne) {
  const ScopedVariable stubs("ANYCUDA_STUB_COMPAT", "off");
  for (const char* common : {static_cast<const char*>(nullptr), "", "strict", "off"}) {
    const ScopedVariable variable("ANYCUDA_COMPAT", common);
    const Policy policy = read_policy();
    EXPECT_EQ(policy.mode, Mode::off);
    EXPECT_STREQ(policy.mode_variable, "ANYCUDA_STUB_COMPAT");
    EXPECT_EQ(policy.wrong_count, 0);
  }
}

TEST_F(PolicyVariables, AnEmptyStubsVariableLeavesTheCommonOneInForce) {
  for (const char* empty : {static_cast<const char*>(nullptr), ""}) {
    const ScopedVariable stubs("ANYCUDA_STUB_COMPAT", empty);
    const ScopedVariable variable("ANYCUDA_COMPAT", "strict");
    EXPECT_EQ(read_policy().mode, Mode::strict);
    EXPECT_STREQ(read_policy().mode_variable, "ANYCUDA_COMPAT");
  }
}

TEST_F(PolicyVariables, TheModeOfTheApiSteersNoStub) {
  const ScopedVariable api("ANYCUDA_API_COMPAT", "nonsense");
  EXPECT_EQ(read().mode, Mode::best_effort);
  EXPECT_EQ(read().wrong_count, 0);
}

TEST_F(PolicyVariables, InvalidOverruledCommonModeIsReported) {
  const ScopedVariable stubs("ANYCUDA_STUB_COMPAT", "off");
  const ScopedVariable common("ANYCUDA_COMPAT", "on");
  const Policy policy = read_policy();
  ASSERT_EQ(policy.wrong_count, 1);
  EXPECT_STREQ(policy.wrong[0].variable, "ANYCUDA_COMPAT");
}

TEST_F(PolicyVariables, InvalidStubModeIsReportedWithTheDefault) {
  const Policy plain = read("ANYCUDA_STUB_COMPAT", "on");
  ASSERT_EQ(plain.wrong_count, 1);
  EXPECT_STREQ(plain.wrong[0].variable, "ANYCUDA_STUB_COMPAT");
  EXPECT_STREQ(plain.wrong[0].value, "on");
  EXPECT_STREQ(plain.wrong[0].fallback, "best_effort");
  const ScopedVariable common("ANYCUDA_COMPAT", "strict");
  const ScopedVariable stubs("ANYCUDA_STUB_COMPAT", "on");
  ASSERT_EQ(read_policy().wrong_count, 1);
  EXPECT_STREQ(read_policy().wrong[0].fallback, "strict");
}

TEST_F(PolicyVariables, AllThatAreWrongAreNamed) {
  const ScopedVariable mode("ANYCUDA_COMPAT", "on");
  const ScopedVariable stubs("ANYCUDA_STUB_COMPAT", "on");
  const ScopedVariable cross_major("ANYCUDA_CROSS_MAJOR", "on");
  const ScopedVariable driver("ANYCUDA_DRIVER_COMPAT", "on");
  EXPECT_EQ(read_policy().wrong_count, 4);
}

}  // namespace
}  // namespace anycuda
