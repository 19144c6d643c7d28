// SPDX-License-Identifier: Apache-2.0

// The headers with which anycuda's C++ code calls CUDA, made from the ABI database, against
// NVIDIA's: the compiler's facts about every record, field, constant and function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/api/facts.h"

namespace api_test {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// What the two disagree about, and what only the one has.
template <typename Value>
std::vector<std::string> differences(const std::map<std::string, Value>& ours,
                                     const std::map<std::string, Value>& nvidias) {
  std::vector<std::string> found;
  for (const auto& [name, value] : nvidias) {
    const auto same = ours.find(name);
    if (same == ours.end() || same->second != value) found.push_back(name);
  }
  return found;
}

TEST(ApiHeaders, AgreeWithTheNewestRelease) {
  const Facts mine = ours();
  const Facts theirs = nvidias_13_5();
  EXPECT_GT(theirs.numbers.size(), 1900u);
  EXPECT_GT(theirs.functions.size(), 700u);
  EXPECT_EQ(theirs.numbers.size(), mine.numbers.size());
  EXPECT_THAT(differences(mine.numbers, theirs.numbers), IsEmpty());
  EXPECT_THAT(differences(mine.functions, theirs.functions), IsEmpty());
}

// Programs compiled with these headers must be right on an older driver: no field moved, no
// signature changed. New releases made some records longer (all of them parts of
// CUgraphNodeParams, whose size is fixed, or filled by the driver) and reserved fields shorter.
TEST(ApiHeaders, AgreeWithAnOlderReleaseExceptAdditions) {
  const Facts mine = ours();
  const Facts theirs = nvidias_12_9();
  EXPECT_GT(theirs.numbers.size(), 1600u);
  EXPECT_GT(theirs.functions.size(), 600u);
  EXPECT_THAT(differences(mine.functions, theirs.functions), IsEmpty());
  EXPECT_THAT(
      differences(mine.numbers, theirs.numbers),
      UnorderedElementsAre(
          "CUDA_VERSION", "CU_DEVICE_ATTRIBUTE_MAX", "CU_FUNC_ATTRIBUTE_MAX", "CU_JIT_NUM_OPTIONS",
          "CU_LIMIT_MAX", "CUDA_MEM_ALLOC_NODE_PARAMS_v1_st poolProps.reserved",
          "CUDA_MEM_ALLOC_NODE_PARAMS_v2_st poolProps.reserved",
          "CUcheckpointCheckpointArgs_st reserved", "CUcheckpointRestoreArgs_st reserved",
          "CUgraphNodeParams_st alloc.poolProps.reserved", "CUmemPoolProps_st reserved",
          "alignof CUdevResource_st", "alignof CUtensorMap_st",
          "sizeof CUDA_EVENT_RECORD_NODE_PARAMS_st", "sizeof CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st",
          "sizeof CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st", "sizeof CUDA_HOST_NODE_PARAMS_v2_st",
          "sizeof CUdevSmResource_st"));
}

}  // namespace
}  // namespace api_test
