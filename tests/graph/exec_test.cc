// SPDX-License-Identifier: Apache-2.0

// Executable graphs: owners of updated nodes, whole updates, running launches.
#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class Execs : public OnFakeDriver {
 protected:
  static HostNode host(OpaqueHandle owner) {
    HostNode made;
    made.function = do_nothing;
    made.data_owner = std::move(owner);
    return made;
  }
};

TEST_F(Execs, AFailedUpdateAddsNothing) {
  Watched owner;
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host(nullptr), &made), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  driver().fail_function("cuGraphExecHostNodeSetParams", 1, 719);
  EXPECT_EQ(exec.set_host(made, host(owner.take())), status(719));
  EXPECT_FALSE(owner.alive());
  EXPECT_EQ(exec.set_with_owners({std::make_shared<int>(1)}, nullptr), CUDA_ERROR_INVALID_VALUE);
  const auto throws = [](CUgraphExec) -> CUresult { throw 1; };
  Watched other;
  EXPECT_EQ(exec.set_with_owners({other.take()}, throws), CUDA_ERROR_UNKNOWN);
  EXPECT_FALSE(other.alive());
}

TEST_F(Execs, EveryKindOfNodeIsUpdated) {
  Graph one = graph();
  KernelNode kernel;
  kernel.function = reinterpret_cast<CUfunction>(0x100);
  MemcpyNode copy;
  copy.destination.address = 0x1000;
  copy.source.address = 0x2000;
  MemsetNode set;
  set.destination.address = 0x1000;
  EventNode event;
  event.raw = reinterpret_cast<CUevent>(0x200);
  Graph child = graph();
  Watched inner;
  node(child, inner.take());
  CUgraphNode nodes[6] = {};
  ASSERT_EQ(add_kernel(one, {}, kernel, &nodes[0]), kOk);
  ASSERT_EQ(add_memcpy(one, {}, copy, &nodes[1]), kOk);
  ASSERT_EQ(add_memset(one, {}, set, &nodes[2]), kOk);
  ASSERT_EQ(add_event_record(one, {}, event, &nodes[3]), kOk);
  ASSERT_EQ(add_event_wait(one, {}, event, &nodes[4]), kOk);
  ASSERT_EQ(add_child(one, {}, child, &nodes[5]), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);

  Watched owners[7];
  kernel.argument_owner = owners[0].take();
  copy.source.owner = owners[1].take();
  set.destination.owner = owners[2].take();
  event.owner = owners[3].take();
  EXPECT_EQ(exec.set_kernel(nodes[0], kernel), kOk) << last_error();
  EXPECT_EQ(exec.set_memcpy(nodes[1], copy), kOk) << last_error();
  EXPECT_EQ(exec.set_memset(nodes[2], set), kOk) << last_error();
  EXPECT_EQ(exec.set_event_record(nodes[3], event), kOk) << last_error();
  event.owner = owners[4].take();
  EXPECT_EQ(exec.set_event_wait(nodes[4], event), kOk) << last_error();
  Graph other = graph();
  node(other, owners[5].take());
  EXPECT_EQ(exec.set_child(nodes[5], other), kOk) << last_error();
  EXPECT_EQ(exec.set_with_owners({owners[6].take()}, [](CUgraphExec) { return kOk; }), kOk);
  EXPECT_EQ(other.destroy(), kOk);
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_EQ(child.destroy(), kOk);
  kernel = KernelNode();
  copy = MemcpyNode();
  set = MemsetNode();
  event = EventNode();
  for (const Watched& owner : owners) EXPECT_TRUE(owner.alive());
  EXPECT_FALSE(inner.alive());  // only the former child had it
  EXPECT_EQ(exec.destroy(), kOk);
  for (const Watched& owner : owners) EXPECT_FALSE(owner.alive());
}

TEST_F(Execs, AWholeUpdateTakesTheOwnersOfTheNewGraph) {
  Watched former;
  Watched single;
  Watched fresh;
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host(former.take()), &made), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(exec.set_host(made, host(single.take())), kOk);
  EXPECT_EQ(one.destroy(), kOk);
  Graph two = graph();
  ASSERT_EQ(add_host(two, {}, host(fresh.take()), &made), kOk);
  int why = -1;
  ASSERT_EQ(exec.update(two, nullptr, &why), kOk) << last_error();
  EXPECT_EQ(why, 0);
  EXPECT_FALSE(former.alive());
  EXPECT_FALSE(single.alive());
  EXPECT_EQ(two.destroy(), kOk);
  EXPECT_TRUE(fresh.alive());
  // It still takes owners.
  Watched late;
  ASSERT_EQ(exec.set_with_owners({late.take()}, [](CUgraphExec) { return kOk; }), kOk);
  EXPECT_TRUE(late.alive());
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(fresh.alive());
  EXPECT_FALSE(late.alive());
}

TEST_F(Execs, AWholeUpdateThatFailsLeavesAllAsBefore) {
  Watched former;
  Watched single;
  Watched other;
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host(former.take()), &made), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(exec.set_host(made, host(single.take())), kOk);
  Graph two = graph();
  node(two, other.take());
  int why = 0;
  CUgraphNode wrong = made;
  EXPECT_EQ(exec.update(two, &wrong, &why), status(910));
  EXPECT_EQ(static_cast<UpdateResult>(why), UpdateResult::topology_changed);
  EXPECT_STREQ(last_error(),
               "cuGraphExecUpdate: the graph does not fit the executable graph: topology_changed");
  EXPECT_STREQ(name_of(UpdateResult::attributes_changed), "attributes_changed");
  EXPECT_STREQ(name_of(UpdateResult::success), "success");
  for (const int none : {-1, 9}) EXPECT_STREQ(name_of(static_cast<UpdateResult>(none)), "unknown");
  EXPECT_EQ(two.destroy(), kOk);
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_TRUE(former.alive());
  EXPECT_TRUE(single.alive());
  EXPECT_FALSE(other.alive());
}

TEST_F(Execs, OwnersOfARunningLaunchStayUntilItEnds) {
  Watched former;
  Watched single;
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host(former.take()), &made), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(exec.set_host(made, host(single.take())), kOk);
  driver().hold_launches(true);
  ASSERT_EQ(exec.launch(nullptr), kOk);
  Graph two = graph();
  ASSERT_EQ(add_host(two, {}, host(nullptr), nullptr), kOk);
  ASSERT_EQ(exec.update(two), kOk);
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_TRUE(former.alive());
  EXPECT_TRUE(single.alive());
  driver().finish_launches();
  EXPECT_FALSE(former.alive());
  EXPECT_FALSE(single.alive());

  Watched last;
  ASSERT_EQ(exec.set_with_owners({last.take()}, [](CUgraphExec) { return kOk; }), kOk);
  ASSERT_EQ(exec.launch(nullptr), kOk);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_TRUE(last.alive());
  driver().finish_launches();
  EXPECT_FALSE(last.alive());
}

// After a raw update this object is the last that has the owners.
TEST_F(Execs, LastReferencesAreReleasedWithoutInvalidatingACapture) {
  auto* const stream = static_cast<CUstream>(driver().new_stream());
  Graph one = graph();
  Exec exec;
  for (const bool whole : {false, true}) {
    Buffer buffer;
    ASSERT_EQ(Buffer::allocate(16, &buffer), kOk);
    ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
    ASSERT_EQ(exec.set_with_owners({buffer.allocation()}, [](CUgraphExec) { return kOk; }), kOk);
    buffer.close();
    CUgraphNode wrong = nullptr;
    unsigned why = 0;
    ASSERT_EQ(api::cuGraphExecUpdate(exec.get(), one.get(), &wrong, &why), 0U);
    settle();
    EXPECT_EQ(driver().live().memory, 1U);
    Capture capture;
    ASSERT_EQ(Capture::begin(stream, CaptureMode::global, &capture), kOk);
    EXPECT_EQ(whole ? exec.update(one) : exec.destroy(), kOk) << last_error();
    EXPECT_EQ(driver().live().memory, 0U);
    Graph captured;
    EXPECT_EQ(capture.end(&captured), kOk) << last_error();
  }
}

TEST_F(Execs, EnablingAttachesNothing) {
  Graph one = graph();
  KernelNode kernel;
  kernel.function = reinterpret_cast<CUfunction>(0x100);
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_kernel(one, {}, kernel, &made), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  const std::size_t before = driver().live().user_objects;
  EXPECT_EQ(exec.set_enabled(made, false), kOk);
  bool is = true;
  EXPECT_EQ(exec.enabled(made, &is), kOk);
  EXPECT_FALSE(is);
  EXPECT_EQ(exec.set_enabled(made, true), kOk);
  EXPECT_EQ(exec.enabled(made, &is), kOk);
  EXPECT_TRUE(is);
  EXPECT_EQ(driver().live().user_objects, before);
  EXPECT_EQ(exec.enabled(made, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Execs, NullGraph_ReturnsErrors) {
  Exec exec;
  const GraphView none;
  EXPECT_EQ(exec.launch(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("the Exec is empty"));
  EXPECT_EQ(exec.upload(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(exec.update(none), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(exec.set_host(nullptr, host(nullptr)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(exec.set_enabled(nullptr, true), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(exec.set_child(nullptr, none), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(exec.destroy(), kOk);
  Graph one = graph();
  EXPECT_EQ(Exec::instantiate(one, nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  EXPECT_EQ(exec.upload(nullptr), kOk);
  Exec moved = std::move(exec);
  EXPECT_EQ(exec.get(), nullptr);
  EXPECT_NE(moved.get(), nullptr);
  moved = Exec();
  EXPECT_EQ(driver().live().execs, 0U);
}

}  // namespace
}  // namespace anycuda::graph
