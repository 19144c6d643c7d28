// SPDX-License-Identifier: Apache-2.0

// A program compiled for a newer CUDA than its driver: each name leads only to the function of that
// name, and cuGetProcAddress returns what the driver's returns.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DriverNames : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact : {"driver-535", "driver-550"}) REQUIRE_ARTIFACT(artifact);
    REQUIRE_PROGRAM(linked("driver_entry_point_cuda"));
  }
  std::vector<std::string> run(std::vector<std::string> steps) {
    steps.insert(steps.begin(), linked("driver_entry_point_cuda"));
    result_ = machine_.run(steps);
    return answers(result_);
  }
  Machine machine_;
  ProcessResult result_;
};

// The driver itself returns 3, since cuInit was not called: whose function it was shows by
// that.
TEST_F(DriverNames, MissingFunctionReturns302WithoutAnOlderForm) {
  machine_.driver(535);  // CUDA 12.2
  EXPECT_THAT(run({"context", "elapsed", "add-node", "green-context"}),
              ElementsAre("context: 302 null", "elapsed: 302", "add-node: 302 null",
                          "green-context: 302 null"));
  EXPECT_THAT(result_.err, ContainsRegex("cuCtxCreate_v4 .*libcuda.so.1"));
}

TEST_F(DriverNames, RequestedOlderFormIsTheDrivers) {
  machine_.driver(535);
  EXPECT_THAT(run({"older-context", "advise"}),
              ElementsAre("older-context: 3 untouched", "advise: 1"));
  EXPECT_EQ(result_.err, "");
}

TEST_F(DriverNames, ANewerDriverHasMoreOfThem) {
  machine_.driver(550);  // CUDA 12.4
  EXPECT_THAT(run({"context", "elapsed", "add-node", "green-context"}),
              ElementsAre("context: 302 null", "elapsed: 302", "add-node: 1 untouched",
                          "green-context: 3 untouched"));
}

TEST_F(DriverNames, AddressesAreThoseOfTheRequestedVersion) {
  machine_.driver(535);
  EXPECT_THAT(
      run({"address:cuMemAlloc,2000", "address:cuMemAlloc,3020", "address:cuMemAdvise,12000",
           "address:cuMemAdvise,12020", "address:cuGraphAddNode,12020",
           "address:cuGetProcAddress,11030", "address:cuGetProcAddress,12000"}),
      ElementsAre(
          HasSubstr("0 cuMemAlloc of libcuda.so."), HasSubstr("0 cuMemAlloc_v2 of libcuda.so."),
          HasSubstr("0 cuMemAdvise of libcuda.so."), HasSubstr("0 cuMemAdvise_v2 of libcuda.so."),
          HasSubstr("0 cuGraphAddNode of libcuda.so."),
          HasSubstr("0 cuGetProcAddress of libcuda.so."),
          HasSubstr("0 cuGetProcAddress_v2 of libcuda.so.")));
  EXPECT_EQ(result_.err, "");
}

TEST_F(DriverNames, NotFound_StatusIsTheDrivers) {
  machine_.driver(535);
  EXPECT_THAT(run({"address:cuGreenCtxCreate,12040", "address:cuMemAlloc_v2,12000",
                   "address:cuMemAlloc,0"}),
              ElementsAre("address: 0 null 1", "address: 0 null 1", "address: 0 null 2"));
  EXPECT_EQ(result_.err, "");
}

TEST_F(DriverNames, WithoutADriverNothingIsFound) {
  EXPECT_THAT(run({"address:cuMemAlloc,12000", "context"}),
              ElementsAre("address: 3 null 77", "context: 3 null"));
}

}  // namespace
}  // namespace anycuda::test
