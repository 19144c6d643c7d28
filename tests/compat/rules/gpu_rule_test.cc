// SPDX-License-Identifier: Apache-2.0

// Which CUDA has code for a machine's GPUs, and for which libraries that matters.
#include "compat/rules/gpu_rule.h"

#include <gtest/gtest.h>

#include "compat/rules/preference.h"
#include "tests/compat/rules/verdicts.h"

namespace anycuda {
namespace {

TEST(GpuRule, VoltaHasCodeIn12AndNoneIn13) {
  EXPECT_TRUE(has_code_for(70, 12));
  EXPECT_FALSE(has_code_for(70, 13));
  EXPECT_TRUE(has_code_for(75, 13));
  EXPECT_TRUE(has_code_for(90, 12));
  EXPECT_FALSE(has_code_for(37, 12));
  EXPECT_TRUE(has_code_for(37, 11));
}

TEST(GpuRule, UnknownGpus_AllCudasAreAccepted) {
  for (const int major : {11, 12, 13, 14}) EXPECT_TRUE(has_code_for(0, major)) << major;
  EXPECT_TRUE(has_code_for(50, 14)) << "what a new major dropped is not known";
}

TEST(GpuRule, OnlyTheLastDriverForOldGpus_IsQueried) {
  EXPECT_TRUE(gpus_decide(driver_of(13000, 580), 12, 13));
  EXPECT_TRUE(gpus_decide(driver_of(13000), 13, 11));
  EXPECT_FALSE(gpus_decide(driver_of(13000), 13, 13));
  EXPECT_FALSE(gpus_decide(driver_of(13000), 11, 12));
  EXPECT_FALSE(gpus_decide(driver_of(13010), 12, 13)) << "branch 590 has no old GPUs";
  EXPECT_FALSE(gpus_decide(driver_of(12040), 12, 13)) << "13 is refused there";
  EXPECT_FALSE(gpus_decide({}, 12, 13));
}

TEST(GpuRule, CudaWithCodeForTheGpusComesFirst) {
  PreferenceContext context;
  context.driver = driver_of(13000, 580);
  LibraryRules library{13, true, false};
  const auto goes_first = [&](Version a, Version b) {
    return preference(rank_of(library, a, context), rank_of(library, b, context));
  };
  context.oldest_gpu = 90;
  EXPECT_EQ(goes_first({13, 0}, {12, 9}), Preference::newest);
  context.oldest_gpu = 70;
  EXPECT_EQ(goes_first({12, 9}, {13, 0}), Preference::gpu);
  EXPECT_EQ(goes_first({13, 0}, {12, 9}), Preference::none);
  EXPECT_EQ(goes_first({12, 9}, {11, 8}), Preference::newest);
  context.process_major = 13;
  EXPECT_EQ(goes_first({12, 9}, {13, 0}), Preference::gpu) << "before the runtime's major";
  context.mode = Mode::off;
  context.process_major = 0;
  EXPECT_EQ(goes_first({13, 0}, {12, 9}), Preference::newest);
  context.mode = Mode::best_effort;
  library.driver_bound = false;
  EXPECT_EQ(goes_first({13, 0}, {12, 9}), Preference::newest);
}

}  // namespace
}  // namespace anycuda
