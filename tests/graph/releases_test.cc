// SPDX-License-Identifier: Apache-2.0

// Releases that fail: nobody reads their status, so the library records them.
#include <new>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FailedReleases : public OnFakeDriver {
 protected:
  std::size_t before_ = failed_releases();

  std::string newest() const {
    EXPECT_GT(failed_releases(), before_);
    return failed_release(failed_releases() - 1);
  }
};

TEST_F(FailedReleases, StatusOfTheDriver) {
  { const Buffer memory = Buffer::allocate(64); }
  { const Event event = Event::create(0); }
  { const Kernel kernel = Kernel::load("image", "k"); }
  EXPECT_EQ(failed_releases(), before_);
  Buffer memory = Buffer::allocate(64);
  const CUdeviceptr address = memory.address();
  driver().fail_function("cuMemFree_v2", 1, 700);
  memory = Buffer();
  EXPECT_EQ(failed_releases(), before_ + 1);
  EXPECT_EQ(newest(), "cuMemFree_v2: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  EXPECT_EQ(api::cuMemFree_v2(address), 0U);
  Event event = Event::create(0);
  const CUevent raw = event.event();
  driver().fail_function("cuEventDestroy_v2", 1, 709);
  event = Event();
  EXPECT_THAT(newest(), StartsWith("cuEventDestroy_v2: "));
  EXPECT_EQ(api::cuEventDestroy_v2(raw), 0U);
  Kernel kernel = Kernel::load("image", "k");
  auto* const module = reinterpret_cast<CUmod_st*>(kernel.function());
  driver().fail_function("cuModuleUnload", 1, 709);
  kernel = Kernel();
  EXPECT_THAT(newest(), StartsWith("cuModuleUnload: "));
  EXPECT_EQ(api::cuModuleUnload(module), 0U);
}

TEST_F(FailedReleases, ExecThatWaitedForItsLaunch) {
  Graph one = graph();
  one.add([] {});
  Exec exec = Exec::instantiate(one);
  driver().hold_launches(true);
  ASSERT_EQ(exec.launch(nullptr), kOk);
  const CUgraphExec handle = exec.get();
  ASSERT_EQ(exec.destroy(), kOk);
  driver().fail_function("cuGraphExecDestroy", 1, 709);
  driver().finish_launches();
  settle();
  EXPECT_THAT(newest(), StartsWith("cuGraphExecDestroy: "));
  EXPECT_EQ(api::cuGraphExecDestroy(handle), 0U);
}

TEST_F(FailedReleases, OnReleaseReportsErrorsAndExceptions) {
  int calls = 0;
  {
    Graph one = graph();
    node(one, on_release([&calls] { ++calls; }));
    node(one, on_release([&calls, moved = std::make_unique<int>(1)] { calls += *moved; }));
    node(one, on_release([&calls] {
           ++calls;
           return CUDA_SUCCESS;
         }));
  }
  settle();
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(failed_releases(), before_);
  {
    const OpaqueHandle owner = on_release([] { return CUDA_ERROR_INVALID_VALUE; });
  }
  EXPECT_EQ(newest(), "on_release: CUDA_ERROR_INVALID_VALUE (1)");
  {
    const OpaqueHandle owner = on_release([] { throw std::runtime_error("the socket is gone"); });
  }
  EXPECT_EQ(newest(), "the socket is gone");
  {
    const OpaqueHandle owner = on_release([] { throw 1; });
  }
  EXPECT_EQ(newest(), "an exception that is not a std::exception");
  EXPECT_EQ(failed_releases(), before_ + 3);
  OpaqueHandle copy;
  {
    const OpaqueHandle owner = on_release([&calls] { ++calls; });
    copy = owner;
  }
  EXPECT_EQ(calls, 3);
  copy = nullptr;
  EXPECT_EQ(calls, 4);
}

TEST_F(FailedReleases, OfTheProgram) {
  record_failed_release("the cache", CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(newest(), "the cache: CUDA_ERROR_INVALID_VALUE (1)");
  record_failed_release(nullptr);
  EXPECT_EQ(newest(), "");
  record_failed_release(std::string(1000, 'a').c_str());
  EXPECT_EQ(newest(), std::string(255, 'a'));
  const std::size_t first = failed_releases() - 1;
  for (int one = 0; one < 16; ++one) record_failed_release("more");
  EXPECT_STREQ(failed_release(first), "") << "only the newest 16 are kept";
  EXPECT_STREQ(failed_release(first + 1), "more");
  EXPECT_STREQ(failed_release(failed_releases()), "");
}

// A failed release leaves the message of the last call.
TEST_F(FailedReleases, LastErrorStays) {
  EXPECT_EQ(add_empty(GraphView(), {}, nullptr), CUDA_ERROR_INVALID_VALUE);
  record_failed_release("the cache", CUDA_ERROR_UNKNOWN);
  EXPECT_THAT(last_error(), HasSubstr("the graph is null"));
}

}  // namespace
}  // namespace anycuda::graph
