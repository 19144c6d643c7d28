// SPDX-License-Identifier: Apache-2.0

// The owners of an executable graph's updated nodes: how long each of them stays.
#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

class UpdatedOwners : public OnFakeDriver {
 protected:
  void SetUp() override {
    OnFakeDriver::SetUp();
    ASSERT_EQ(add_host(graph_, {}, host(of_graph_.take()), &node_), kOk);
    ASSERT_EQ(Exec::instantiate(graph_, &exec_), kOk);
  }
  void TearDown() override {
    driver().finish_launches();
    EXPECT_EQ(exec_.destroy(), kOk);
    EXPECT_EQ(graph_.destroy(), kOk);
    OnFakeDriver::TearDown();
  }
  static HostNode host(OpaqueHandle owner) {
    HostNode made;
    made.function = do_nothing;
    made.data_owner = std::move(owner);
    return made;
  }
  void set(Watched* owner) {
    ASSERT_EQ(exec_.set_host(node_, host(owner->take())), kOk) << last_error();
  }
  static CUstream new_stream() { return static_cast<CUstream>(driver().new_stream()); }
  void launch(CUstream stream = nullptr) { ASSERT_EQ(exec_.launch(stream), kOk) << last_error(); }

  Watched of_graph_;
  Graph graph_ = graph();
  CUgraphNode node_ = nullptr;
  Exec exec_;
};

TEST_F(UpdatedOwners, WithoutALaunchOnlyTheLastStays) {
  std::vector<Watched> owners(1000);
  for (Watched& owner : owners) set(&owner);
  for (std::size_t at = 0; at + 1 < owners.size(); ++at) ASSERT_FALSE(owners[at].alive()) << at;
  EXPECT_TRUE(owners.back().alive());
  EXPECT_TRUE(of_graph_.alive());
  EXPECT_EQ(exec_.destroy(), kOk);
  EXPECT_FALSE(owners.back().alive());
}

TEST_F(UpdatedOwners, OfChildGraphsToo) {
  Graph parent = graph();
  CUgraphNode outer = nullptr;
  ASSERT_EQ(add_child(parent, {}, graph_, &outer), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(parent, &exec), kOk);
  std::vector<Watched> owners(1000);
  for (Watched& owner : owners) {
    Graph child = graph();
    ASSERT_EQ(add_host(child, {}, host(owner.take()), nullptr), kOk);
    ASSERT_EQ(exec.set_child(outer, child), kOk) << last_error();
  }
  std::size_t alive = 0;
  for (const Watched& owner : owners) alive += owner.alive() ? 1 : 0;
  EXPECT_EQ(alive, 1U);
  EXPECT_TRUE(owners.back().alive());
}

TEST_F(UpdatedOwners, OfALaunchStayUntilItHasEnded) {
  Watched owners[3];
  set(&owners[0]);
  driver().hold_launches(true);
  launch();
  set(&owners[1]);
  set(&owners[2]);
  EXPECT_TRUE(owners[0].alive()) << "the launch uses it";
  EXPECT_FALSE(owners[1].alive()) << "no launch has ever used it";
  driver().finish_launches();
  EXPECT_TRUE(owners[0].alive()) << "nobody has asked";
  Watched next;
  set(&next);
  EXPECT_FALSE(owners[0].alive());
}

TEST_F(UpdatedOwners, AreReleasedByALaunchThatComesAfterTheEnd) {
  Watched owners[2];
  set(&owners[0]);
  driver().hold_launches(true);
  launch();
  set(&owners[1]);
  launch();
  EXPECT_TRUE(owners[0].alive());
  driver().finish_launches();
  launch();
  EXPECT_FALSE(owners[0].alive());
  EXPECT_TRUE(owners[1].alive());
}

TEST_F(UpdatedOwners, OfManyLaunchesGoOneByOne) {
  std::vector<Watched> owners(6);
  driver().hold_launches(true);
  for (Watched& owner : owners) {
    set(&owner);
    launch();
  }
  for (const Watched& owner : owners) EXPECT_TRUE(owner.alive());
  for (std::size_t ended = 1; ended < owners.size(); ++ended) {
    driver().finish_oldest_launch();
    ASSERT_EQ(exec_.set_host(node_, host(nullptr)), kOk);
    for (std::size_t at = 0; at < owners.size(); ++at) {
      EXPECT_EQ(owners[at].alive(), at >= ended) << at << " after " << ended;
    }
  }
  EXPECT_LE(driver().live().events, owners.size() + 1);
}

TEST_F(UpdatedOwners, DriverSomeLaunchesBehind_AreReleasedSteadily) {
  std::vector<Watched> owners(100);
  driver().hold_launches(true);
  for (Watched& owner : owners) {
    set(&owner);
    launch();
    if (&owner - owners.data() >= 3) driver().finish_oldest_launch();
  }
  std::size_t alive = 0;
  for (const Watched& owner : owners) alive += owner.alive() ? 1 : 0;
  EXPECT_LE(alive, 5U);
  EXPECT_LE(driver().live().events, 6U);
}

TEST_F(UpdatedOwners, NewParametersWithoutOwnersReleaseTheFormer) {
  Watched owner;
  set(&owner);
  ASSERT_EQ(exec_.set_host(node_, host(nullptr)), kOk);
  EXPECT_FALSE(owner.alive());
}

// Host nodes have their own reason for events: running_execs_test.cc.
TEST_F(UpdatedOwners, NothingToRelease_LaunchesRecordNoEvent) {
  Graph one = graph();
  MemsetNode fill;
  fill.destination.address = 0x1000;
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_memset(one, {}, fill, &made), kOk);
  ASSERT_EQ(Exec::instantiate(one, &exec_), kOk);
  launch();
  Watched owners[3];
  driver().fail_function("cuGraphExecMemsetNodeSetParams", 1, 719);
  fill.destination.owner = owners[0].take();
  EXPECT_EQ(exec_.set_memset(made, fill), status(719));
  launch();
  fill.destination.owner = owners[1].take();
  ASSERT_EQ(exec_.set_memset(made, fill), kOk);
  fill.destination.owner = nullptr;
  ASSERT_EQ(exec_.set_memset(made, fill), kOk);
  launch();
  EXPECT_EQ(driver().calls("cuEventRecord"), 0U);
  fill.destination.owner = owners[2].take();
  ASSERT_EQ(exec_.set_memset(made, fill), kOk);
  launch();
  EXPECT_EQ(driver().calls("cuEventRecord"), 1U);
}

TEST_F(UpdatedOwners, OfAnotherNodeStay) {
  CUgraphNode second = nullptr;
  ASSERT_EQ(add_host(graph_, {}, host(nullptr), &second), kOk);
  ASSERT_EQ(Exec::instantiate(graph_, &exec_), kOk);
  Watched one;
  Watched other;
  set(&one);
  ASSERT_EQ(exec_.set_host(second, host(other.take())), kOk);
  ASSERT_EQ(exec_.set_host(second, host(nullptr)), kOk);
  EXPECT_TRUE(one.alive());
  EXPECT_FALSE(other.alive());
}

TEST_F(UpdatedOwners, AFailedUpdateReleasesNothing) {
  Watched owners[3];
  set(&owners[0]);
  for (const bool launched : {false, true}) {
    if (launched) launch();
    driver().fail_function("cuGraphExecHostNodeSetParams", 1, 719);
    EXPECT_EQ(exec_.set_host(node_, host(owners[launched ? 1 : 2].take())), status(719));
    EXPECT_TRUE(owners[0].alive());
  }
  EXPECT_FALSE(owners[1].alive());
  EXPECT_FALSE(owners[2].alive());
}

// Anybody may launch by the handle, now and later.
TEST_F(UpdatedOwners, StayOnceTheHandleIsGiven) {
  Watched before;
  Watched owners[3];
  set(&before);
  set(&owners[0]);
  EXPECT_FALSE(before.alive());
  CUgraphExec handle = exec_.get();
  driver().hold_launches(true);
  ASSERT_EQ(api::cuGraphLaunch(handle, nullptr), 0U);
  set(&owners[1]);
  set(&owners[2]);
  driver().finish_launches();
  launch();
  ASSERT_EQ(exec_.set_host(node_, host(nullptr)), kOk);
  for (const Watched& owner : owners) EXPECT_TRUE(owner.alive());

  ASSERT_EQ(exec_.update(graph_), kOk);
  driver().finish_launches();
  for (const Watched& owner : owners) EXPECT_FALSE(owner.alive());
  Watched after[2];
  set(&after[0]);
  set(&after[1]);
  EXPECT_TRUE(after[0].alive()) << "the handle is the same";
}

TEST_F(UpdatedOwners, StayOnceAFunctionOfTheCallerHadTheHandle) {
  Watched owners[2];
  CUgraphExec kept = nullptr;
  ASSERT_EQ(exec_.set_with_owners({},
                                  [&](CUgraphExec handle) {
                                    kept = handle;
                                    return kOk;
                                  }),
            kOk);
  set(&owners[0]);
  driver().hold_launches(true);
  ASSERT_EQ(api::cuGraphLaunch(kept, nullptr), 0U);
  set(&owners[1]);
  EXPECT_TRUE(owners[0].alive());
}

TEST_F(UpdatedOwners, AskingWhetherThereIsOneGivesNoHandle) {
  Watched owners[2];
  set(&owners[0]);
  EXPECT_TRUE(exec_);
  set(&owners[1]);
  EXPECT_FALSE(owners[0].alive());
  EXPECT_FALSE(Exec());
}

TEST_F(UpdatedOwners, OfALaunchThatWasCapturedStayUntilTheEnd) {
  const CUstream stream = new_stream();
  Watched owners[4];
  set(&owners[0]);
  Capture capture;
  ASSERT_EQ(Capture::begin(stream, CaptureMode::relaxed, &capture), kOk);
  launch(stream);
  EXPECT_EQ(driver().calls("cuEventRecord"), 0U) << "an event would become part of the capture";
  set(&owners[1]);
  set(&owners[2]);
  Graph captured;
  ASSERT_EQ(capture.end(&captured), kOk) << last_error();
  launch();
  set(&owners[3]);
  EXPECT_TRUE(owners[0].alive()) << "the captured graph may use it at any time";
  EXPECT_FALSE(owners[1].alive());
  EXPECT_FALSE(owners[2].alive());
}

TEST_F(UpdatedOwners, AreReleasedWithoutHarmToACapture) {
  const CUstream stream = new_stream();
  Buffer buffers[2];
  for (Buffer& buffer : buffers) ASSERT_EQ(Buffer::allocate(16, &buffer), kOk);
  ASSERT_EQ(exec_.set_host(node_, host(buffers[0].allocation())), kOk);
  driver().hold_launches(true);
  launch();
  ASSERT_EQ(exec_.set_host(node_, host(buffers[1].allocation())), kOk);
  for (Buffer& buffer : buffers) buffer.close();
  Capture capture;
  ASSERT_EQ(Capture::begin(stream, CaptureMode::global, &capture), kOk);
  driver().finish_launches();
  ASSERT_EQ(exec_.set_host(node_, host(nullptr)), kOk);
  EXPECT_EQ(driver().live().memory, 0U);
  Graph captured;
  EXPECT_EQ(capture.end(&captured), kOk) << last_error();
}

// Without host nodes a launch needs no event: a later launch is ordered behind it.
TEST_F(UpdatedOwners, LaunchWithoutAnEvent_StayUntilALaterLaunchEnds) {
  Graph one = graph();
  CUgraphNode made = nullptr;
  MemsetNode fill;
  fill.destination.address = 0x1000;
  ASSERT_EQ(add_memset(one, {}, fill, &made), kOk);
  const auto set_fill = [&](Watched* owner) {
    fill.destination.owner = owner->take();
    ASSERT_EQ(exec_.set_memset(made, fill), kOk) << last_error();
    fill.destination.owner = nullptr;
  };
  for (const char* call : {"cuEventCreate", "cuEventRecord", "cuStreamGetCtx", "cuEventQuery"}) {
    Watched owners[2];
    EXPECT_EQ(exec_.destroy(), kOk);
    ASSERT_EQ(Exec::instantiate(one, &exec_), kOk);
    set_fill(&owners[0]);
    driver().fail_function(call, 1, 999);
    launch();
    set_fill(&owners[1]);
    EXPECT_TRUE(driver().failed()) << call;
    EXPECT_TRUE(owners[0].alive()) << call;
    launch();
    EXPECT_FALSE(owners[0].alive()) << call;
  }
  Watched owners[2];
  set_fill(&owners[0]);
  driver().fail_function("cuStreamIsCapturing", 1, 999);
  launch();
  set_fill(&owners[1]);
  launch();
  EXPECT_TRUE(owners[0].alive()) << "it may have been captured";
}

TEST_F(UpdatedOwners, LaunchWithoutAnEvent_StayAfterThePreviousLaunch) {
  Watched owners[2];
  driver().hold_launches(true);
  set(&owners[0]);
  launch();
  driver().fail_function("cuEventRecord", 1, 999);
  launch();
  driver().finish_oldest_launch();
  set(&owners[1]);
  EXPECT_TRUE(owners[0].alive()) << "the second launch runs";
}

// A stream's end is that of all earlier launches of the same executable graph.
TEST_F(UpdatedOwners, LaunchesInTwoStreams_AreReleasedAfterTheLater) {
  const CUstream streams[] = {new_stream(), new_stream()};
  Watched owners[4];
  driver().hold_launches(true);
  set(&owners[0]);
  for (const CUstream stream : streams) launch(stream);
  set(&owners[1]);
  EXPECT_TRUE(owners[0].alive());
  ASSERT_EQ(api::cuStreamSynchronize(streams[0]), 0U);
  set(&owners[2]);
  EXPECT_TRUE(owners[0].alive()) << "the later launch runs";
  launch(streams[0]);
  ASSERT_EQ(api::cuStreamSynchronize(streams[0]), 0U);
  set(&owners[3]);
  EXPECT_FALSE(owners[0].alive());
  EXPECT_EQ(exec_.destroy(), kOk);
  EXPECT_EQ(graph_.destroy(), kOk);
  EXPECT_FALSE(of_graph_.alive()) << "every launch has ended";
}

TEST_F(UpdatedOwners, DoNotWaitForLaunchesOfADestroyedExecutable) {
  const CUstream streams[] = {new_stream(), new_stream()};
  Watched owners[3];
  Watched of_destroyed;
  driver().hold_launches(true);
  set(&of_destroyed);
  launch(streams[0]);
  EXPECT_EQ(exec_.destroy(), kOk);
  ASSERT_EQ(Exec::instantiate(graph_, &exec_), kOk);  // at the same address
  set(&owners[0]);
  launch(streams[1]);
  set(&owners[1]);
  EXPECT_TRUE(owners[0].alive());
  ASSERT_EQ(api::cuStreamSynchronize(streams[1]), 0U);
  set(&owners[2]);
  EXPECT_FALSE(owners[0].alive());
  EXPECT_TRUE(of_destroyed.alive()) << "the launch of the destroyed executable runs";
}

TEST_F(UpdatedOwners, OfALaunchThatFailedAreReleased) {
  Watched owners[2];
  set(&owners[0]);
  driver().fail_function("cuGraphLaunch", 1, 719);
  EXPECT_EQ(exec_.launch(nullptr), status(719));
  set(&owners[1]);
  EXPECT_FALSE(owners[0].alive());
}

TEST_F(UpdatedOwners, AreReleasedAfterAWholeUpdateAndDestruction) {
  Watched owners[4];
  driver().hold_launches(true);
  set(&owners[0]);
  launch();
  set(&owners[1]);
  Exec moved = std::move(exec_);
  ASSERT_EQ(moved.update(graph_), kOk);
  EXPECT_TRUE(owners[0].alive());
  EXPECT_TRUE(owners[1].alive()) << "one list has both";
  driver().finish_launches();
  EXPECT_FALSE(owners[0].alive());
  EXPECT_FALSE(owners[1].alive());
  ASSERT_EQ(moved.set_host(node_, host(owners[2].take())), kOk);
  ASSERT_EQ(moved.launch(nullptr), kOk);
  ASSERT_EQ(moved.set_host(node_, host(owners[3].take())), kOk);
  EXPECT_EQ(moved.destroy(), kOk);
  EXPECT_TRUE(owners[2].alive());
  driver().finish_launches();
  EXPECT_FALSE(owners[2].alive());
  EXPECT_FALSE(owners[3].alive());
}

TEST_F(UpdatedOwners, ADeleterMayCallTheLibrary) {
  Graph other = graph();
  std::size_t calls = 0;
  const OpaqueHandle owner(&calls, [&](const void*) {
    EXPECT_EQ(add_host(other, {}, host(std::make_shared<int>(1)), nullptr), kOk);
    drain();
    ++calls;
  });
  ASSERT_EQ(exec_.set_host(node_, host(owner)), kOk);
  const_cast<OpaqueHandle&>(owner).reset();
  ASSERT_EQ(exec_.set_host(node_, host(nullptr)), kOk);
  EXPECT_EQ(calls, 1U);
}

}  // namespace
}  // namespace anycuda::graph
