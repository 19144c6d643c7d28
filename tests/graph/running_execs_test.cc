// SPDX-License-Identifier: Apache-2.0

// Executable graphs that are destroyed during one of their launches.
#include <atomic>
#include <thread>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class RunningExecs : public OnFakeDriver {
 protected:
  void SetUp() override {
    OnFakeDriver::SetUp();
    driver().hold_launches(true);
  }
  void TearDown() override {
    driver().finish_launches();
    settle();
    OnFakeDriver::TearDown();
  }
  static void add_callback(const GraphView& graph, OpaqueHandle owner = nullptr) {
    HostNode node;
    node.function = do_nothing;
    node.data_owner = std::move(owner);
    ASSERT_EQ(add_host(graph, {}, node, nullptr), kOk) << last_error();
  }
  static Exec launched(const GraphView& graph, CUstream stream = nullptr) {
    Exec exec;
    EXPECT_EQ(Exec::instantiate(graph, &exec), kOk) << last_error();
    EXPECT_EQ(exec.launch(stream), kOk) << last_error();
    return exec;
  }
  // How many executable graphs the driver has, after the library has had the chance to destroy
  // some.
  static std::size_t execs() {
    settle();
    return driver().live().execs;
  }
};

TEST_F(RunningExecs, WithHostNodesAreDestroyedWhenTheLaunchHasEnded) {
  Watched owner;
  Graph one = graph();
  add_callback(one, owner.take());
  Exec exec = launched(one);
  ASSERT_EQ(one.destroy(), kOk);
  EXPECT_EQ(exec.destroy(), kOk) << last_error();
  EXPECT_FALSE(exec);
  EXPECT_EQ(execs(), 1U);
  EXPECT_TRUE(owner.alive());
  driver().finish_launches();
  EXPECT_EQ(execs(), 0U);
  EXPECT_FALSE(owner.alive());
}

TEST_F(RunningExecs, WithoutHostNodesAreTheDriversToKeep) {
  Graph one = graph();
  node(one, nullptr);
  Exec exec = launched(one);
  EXPECT_EQ(exec.destroy(), kOk) << last_error();
  EXPECT_EQ(driver().live().execs, 0U);
  EXPECT_EQ(driver().calls("cuEventRecord"), 0U) << "a launch costs nothing more";
}

TEST_F(RunningExecs, WhoseLaunchHasEndedAreDestroyedAtOnce) {
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  driver().finish_launches();
  EXPECT_EQ(exec.destroy(), kOk) << last_error();
  EXPECT_EQ(driver().live().execs, 0U);
}

TEST_F(RunningExecs, HostNodesMayLieInChildGraphs) {
  Graph inner = graph();
  add_callback(inner);
  Graph middle = graph();
  node(middle, nullptr);
  ASSERT_EQ(add_child(middle, {}, inner, nullptr), kOk);
  Graph outer = graph();
  ASSERT_EQ(add_child(outer, {}, middle, nullptr), kOk);
  launched(outer);
  EXPECT_EQ(execs(), 1U);
  driver().finish_launches();
  EXPECT_EQ(execs(), 0U);
}

TEST_F(RunningExecs, HostNodesMayBeAddedByTheDriversOwnCalls) {
  Graph one = graph();
  const api::CUDA_HOST_NODE_PARAMS_st call{do_nothing, nullptr};
  CUgraphNode made = nullptr;
  ASSERT_EQ(api::cuGraphAddHostNode(&made, one.get(), nullptr, 0, &call), 0U);
  launched(one);
  EXPECT_EQ(execs(), 1U);
}

TEST_F(RunningExecs, AnUpdateDoesNotForgetTheLaunch) {
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  Graph other = graph();
  add_callback(other);
  ASSERT_EQ(exec.update(other), kOk) << last_error();
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_EQ(execs(), 1U);
  driver().finish_launches();
  EXPECT_EQ(execs(), 0U);
}

TEST_F(RunningExecs, UpdateKeepsWatching) {
  Graph one = graph();
  add_callback(one);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(exec.update(one), kOk) << last_error();
  ASSERT_EQ(exec.launch(nullptr), kOk);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_EQ(execs(), 1U);
}

TEST_F(RunningExecs, ReplacedByMoveToo) {
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  exec = Exec();
  EXPECT_EQ(execs(), 1U);
}

TEST_F(RunningExecs, EachWaitsForItsOwnLaunch) {
  Graph one = graph();
  add_callback(one);
  for (int made = 0; made < 3; ++made) launched(one, static_cast<CUstream>(driver().new_stream()));
  EXPECT_EQ(execs(), 3U);
  driver().finish_oldest_launch();
  EXPECT_EQ(execs(), 2U);
  driver().finish_oldest_launch();
  EXPECT_EQ(execs(), 1U);
  driver().finish_oldest_launch();
  EXPECT_EQ(execs(), 0U);
}

TEST_F(RunningExecs, TheLastLaunchCounts) {
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  driver().finish_launches();
  ASSERT_EQ(exec.launch(nullptr), kOk);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_EQ(execs(), 1U);
}

TEST_F(RunningExecs, AreDestroyedAlsoInACapture) {
  Graph one = graph();
  add_callback(one);
  launched(one);
  Capture capture;
  const auto stream = static_cast<CUstream>(driver().new_stream());
  ASSERT_EQ(Capture::begin(stream, CaptureMode::thread_local_, &capture), kOk) << last_error();
  driver().finish_launches();
  drain();
  EXPECT_EQ(driver().live().execs, 0U);
  Graph captured;
  EXPECT_EQ(capture.end(&captured), kOk) << last_error();
}

// Driver 580 damages memory if a thread destroys an executable graph while another one uses a graph
// of the same origin.
TEST_F(RunningExecs, AreLeftToTheirThread) {
  {
    Graph one = graph();
    add_callback(one);
    launched(one);
  }
  driver().finish_launches();
  std::thread([] {
    Graph other = graph();
    EXPECT_EQ(execs(), 1U);
    EXPECT_EQ(pending(), 0U) << "of this thread";
  }).join();
  EXPECT_EQ(pending(), 1U);
  EXPECT_EQ(execs(), 0U);
}

TEST_F(RunningExecs, OfAThreadThatHasEnded_AreDestroyedByDrainOnly) {
  Graph one = graph();
  add_callback(one);
  for (int ended = 0; ended < 3; ++ended) std::thread([&one] { launched(one); }).join();
  driver().finish_oldest_launch();
  EXPECT_EQ(graph_get_owner(one, nullptr, OwnerRole::extra), nullptr);
  EXPECT_EQ(driver().live().execs, 3U) << "a call that the program does not expect to destroy";
  EXPECT_EQ(pending(), 3U);
  EXPECT_EQ(execs(), 2U);
  driver().finish_launches();
  EXPECT_EQ(execs(), 0U);
  EXPECT_EQ(pending(), 0U);
}

TEST_F(RunningExecs, OfOtherThreads_DoNotDelayThoseOfThisThread) {
  Graph one = graph();
  add_callback(one);
  for (int made = 0; made < 5; ++made) launched(one);
  std::thread([] {
    Graph other = graph();
    add_callback(other);
    launched(other);
    EXPECT_EQ(driver().live().execs, 6U);
    driver().finish_launches();
    EXPECT_EQ(graph_get_owner(other, nullptr, OwnerRole::extra), nullptr);
    EXPECT_EQ(driver().live().execs, 5U);
  }).join();
}

TEST_F(RunningExecs, LostContext_AreKept) {
  Watched owner;
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  const CUgraphExec raw = exec.get();
  EXPECT_EQ(exec.destroy(), kOk);
  driver().fail_function("cuEventQuery", 1, api::CUDA_ERROR_CONTEXT_IS_DESTROYED);
  drain();
  EXPECT_TRUE(driver().failed());
  driver().finish_launches();
  EXPECT_EQ(execs(), 1U) << "nobody asks again";
  EXPECT_EQ(api::cuGraphExecDestroy(raw), 0U);
}

// Nothing would tell when it has ended.
TEST_F(RunningExecs, AreNotLaunchedWithoutAnEvent) {
  Graph one = graph();
  add_callback(one);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  for (const char* call : {"cuEventCreate", "cuStreamGetCtx"}) {
    driver().fail_function(call, 1, 2);
    EXPECT_EQ(exec.launch(nullptr), status(2)) << call;
    EXPECT_THAT(last_error(), HasSubstr(call));
  }
  EXPECT_EQ(driver().calls("cuGraphLaunch"), 0U);
  EXPECT_EQ(exec.launch(nullptr), kOk) << last_error();
}

TEST_F(RunningExecs, AreDestroyedAtOnceWhereTheContextHasFailed) {
  Graph one = graph();
  add_callback(one);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  driver().fail_function("cuEventRecord", 1, 700);
  EXPECT_EQ(exec.launch(nullptr), kOk);
  driver().finish_launches();
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_EQ(driver().live().execs, 0U);
}

TEST_F(RunningExecs, CapturedLaunchDoesNotHideTheRunningOne) {
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  Capture capture;
  const auto stream = static_cast<CUstream>(driver().new_stream());
  ASSERT_EQ(Capture::begin(stream, CaptureMode::relaxed, &capture), kOk);
  ASSERT_EQ(exec.launch(stream), kOk) << last_error();
  Graph captured;
  ASSERT_EQ(capture.end(&captured), kOk);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_EQ(execs(), 1U);
}

TEST_F(RunningExecs, AFailedUpdateDoesNotForgetTheLaunch) {
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  Graph other = graph();
  node(other, nullptr);
  node(other, nullptr);
  ASSERT_NE(exec.update(other), kOk);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_EQ(execs(), 1U);
}

TEST_F(RunningExecs, OfTwoLaunchesBothMustHaveEnded) {
  Graph one = graph();
  add_callback(one);
  Exec exec = launched(one);
  ASSERT_EQ(exec.launch(nullptr), kOk);
  EXPECT_EQ(exec.destroy(), kOk);
  driver().finish_oldest_launch();
  EXPECT_EQ(execs(), 1U);
  driver().finish_oldest_launch();
  EXPECT_EQ(execs(), 0U);
}

TEST_F(RunningExecs, OfTwoContexts) {
  Graph one = graph();
  add_callback(one);
  for (const std::uintptr_t device : {0x100, 0x200}) {
    ASSERT_EQ(api::cuCtxSetCurrent(reinterpret_cast<CUcontext>(device)), 0U);
    launched(one, static_cast<CUstream>(driver().new_stream()));
  }
  ASSERT_EQ(api::cuCtxSetCurrent(reinterpret_cast<CUcontext>(0x100)), 0U);
  EXPECT_EQ(execs(), 2U);
  driver().finish_launches();
  EXPECT_EQ(execs(), 0U);
}

TEST_F(RunningExecs, DrainReturnsWithAllOfThisThreadDestroyed) {
  Graph one = graph();
  add_callback(one);
  std::atomic<bool> ended{false};
  std::thread other([&ended] {
    while (!ended) drain();
  });
  for (int round = 0; round < 200; ++round) {
    for (int made = 0; made < 4; ++made) launched(one);
    EXPECT_NE(pending(), 0U);
    driver().finish_launches();
    drain();
    EXPECT_EQ(driver().live().execs, 0U) << round;
  }
  ended = true;
  other.join();
}

TEST_F(RunningExecs, MayBeDestroyedByADeleter) {
  Graph one = graph();
  add_callback(one);
  auto exec = std::make_shared<Exec>(launched(one));
  bool over = false;
  Graph holder = graph();
  node(holder, OpaqueHandle(&over, [exec = std::move(exec), &over](const void*) mutable {
         EXPECT_EQ(exec->destroy(), kOk);
         drain();
         over = true;
       }));
  EXPECT_EQ(holder.destroy(), kOk);
  EXPECT_EQ(execs(), 1U);
  EXPECT_TRUE(over);
  driver().finish_launches();
  EXPECT_EQ(execs(), 0U);
}

TEST_F(RunningExecs, EveryCallPollsOne) {
  Graph one = graph();
  add_callback(one);
  for (int made = 0; made < 3; ++made) launched(one, static_cast<CUstream>(driver().new_stream()));
  const auto call = [&one] { EXPECT_EQ(graph_get_owner(one, nullptr, OwnerRole::extra), nullptr); };
  const std::size_t before = driver().calls("cuEventQuery");
  call();
  EXPECT_EQ(driver().calls("cuEventQuery"), before + 1);
  driver().finish_launches();
  for (std::size_t left = 3; left != 0; --left) {
    EXPECT_EQ(driver().live().execs, left);
    call();
  }
  EXPECT_EQ(driver().live().execs, 0U);
}

}  // namespace
}  // namespace anycuda::graph
