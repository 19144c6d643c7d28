// SPDX-License-Identifier: Apache-2.0

// Other drivers, no driver, and the end of a process: each in a separate process, on a machine
// that has just that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/artifacts.h"
#include "tests/support/case_names.h"
#include "tests/support/machine.h"

namespace anycuda::graph {
namespace {

using test::Artifacts;
using test::Machine;
using test::ProcessResult;
using testing::AllOf;
using testing::HasSubstr;

const char kStatuses[] = ANYCUDA_BINARY_DIR "/graph_statuses";
const char kExit[] = ANYCUDA_BINARY_DIR "/graph_exit";

std::string starts(const char* call, const char* status) {
  return std::string(call) + ": " + status + " ";
}

// Nothing works without an initialised driver.
void expect_nothing_made(const ProcessResult& result) {
  EXPECT_EQ(result.status, 0) << result.describe();
  for (const char* call :
       {"create", "capture", "Buffer::allocate", "Event::create", "Kernel::load"}) {
    EXPECT_THAT(result.out, HasSubstr(starts(call, "3"))) << result.describe();
  }
  EXPECT_THAT(result.out, HasSubstr("owners: 1\n"));
}

void expect_owner_statuses(const ProcessResult& result, const char* with_owners,
                           const char* without) {
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr(starts("add_empty", without)), HasSubstr(starts("add_host", without)),
            HasSubstr(starts("graph_set_owner", with_owners)),
            HasSubstr(starts("graph_set_owner of nothing", "0")),
            HasSubstr(starts("graph_set_owner of null", "1")),
            HasSubstr(starts("add_host with an owner", with_owners)), HasSubstr("owners: 1\n")))
      << result.describe();
}

TEST(Process, WithoutADriver) {
  Machine machine;
  const ProcessResult result = machine.run({kStatuses, "handles"});
  expect_nothing_made(result);
  expect_owner_statuses(result, "801", "3");
  EXPECT_THAT(result.out, HasSubstr("graph_set_owner: 801 cuUserObjectCreate: no usable CUDA "
                                    "driver was found, and owners need one"));
}

class OnDriver : public testing::TestWithParam<int> {};

// They are real ones, without a GPU: cuInit fails, so nothing is initialised.
TEST_P(OnDriver, ThatIsNotInitialised) {
  const std::string missing =
      Artifacts::of_this_build().why_missing("driver-" + std::to_string(GetParam()));
  if (!missing.empty()) GTEST_SKIP() << missing;
  Machine machine;
  machine.driver(GetParam());
  const ProcessResult result = machine.run({kStatuses});
  expect_nothing_made(result);
  EXPECT_THAT(result.out, HasSubstr(std::string("add_conditional: 801 cuGraphAddNode with an else "
                                                "or a switch needs a driver of CUDA 12.8 or "
                                                "later; this one is of CUDA ") +
                                    (GetParam() == 535 ? "12.2" : "12.4")));
  EXPECT_EQ(result.err, "");
}

INSTANTIATE_TEST_SUITE_P(Real, OnDriver, testing::Values(535, 550), test::kPrintedName);

// The functions are not there (and the stub says so, once), or the driver's version tells before.
class WithoutUserObjects : public testing::TestWithParam<const char*> {};

TEST_P(WithoutUserObjects, OwnersAreNotSupportedAndTheRestWorks) {
  Machine machine;
  machine.env("ANYCUDA_CUDA", FAKE_WITHOUT_USER_OBJECTS).env("FAKE_DRIVER_VERSION", GetParam());
  const ProcessResult result = machine.run({kStatuses});
  EXPECT_EQ(result.status, 0) << result.describe();
  expect_owner_statuses(result, "801", "0");
  EXPECT_THAT(result.out,
              HasSubstr("graph_set_owner: 801 cuUserObjectCreate needs a driver of CUDA "
                        "11.3 or later"));
  if (std::string(GetParam()) == "11020") {
    EXPECT_EQ(result.err, "") << "nothing was called that is not there";
    EXPECT_THAT(result.out, AllOf(HasSubstr("instantiate: 801 cuGraphInstantiateWithFlags needs"),
                                  HasSubstr("add_mem_alloc: 801 cuGraphAddMemAllocNode needs"),
                                  HasSubstr("capture: 801 cuStreamGetCaptureInfo_v2 needs")));
  } else {
    EXPECT_THAT(result.out, AllOf(HasSubstr("instantiate: 0 "), HasSubstr("add_mem_alloc: 0 "),
                                  HasSubstr("set_with_owners: 801 an executable graph can keep "
                                            "owners only with a driver of CUDA 11.3")));
  }
}

INSTANTIATE_TEST_SUITE_P(Fake, WithoutUserObjects, testing::Values("13000", "11020"),
                         test::kPrintedName);

class Ends : public testing::TestWithParam<const char*> {};

TEST_P(Ends, WhileGraphsLive) {
  Machine machine;
  machine.env("ANYCUDA_CUDA", FAKE_DRIVER);
  const ProcessResult result = machine.run({kExit, GetParam()});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, 0) << result.describe();
  EXPECT_EQ(result.out, "ends\n");
  EXPECT_EQ(result.err, "");
}

TEST(Process, EndsWithoutADriver) {
  Machine machine;
  const ProcessResult result = machine.run({kExit, "static"});
  EXPECT_EQ(result.status, 0) << result.describe();
}

INSTANTIATE_TEST_SUITE_P(Process, Ends, testing::Values("static", "leaked", "threads"),
                         test::kPrintedName);

}  // namespace
}  // namespace anycuda::graph
