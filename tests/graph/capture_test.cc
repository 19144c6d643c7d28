// SPDX-License-Identifier: Apache-2.0

// Stream capture: callbacks are always kept, other work on request.
#include "tests/graph/fixture.h"
#include "tests/graph/memory_faults.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class Captures : public OnFakeDriver {
 protected:
  CUstream stream_ = static_cast<CUstream>(driver().new_stream());

  Capture begin(CaptureMode mode = CaptureMode::relaxed) {
    Capture made;
    EXPECT_EQ(Capture::begin(stream_, mode, &made), kOk) << last_error();
    return made;
  }
  static HostNode host(OpaqueHandle owner) {
    HostNode made;
    made.function = do_nothing;
    made.data_owner = std::move(owner);
    return made;
  }
  // The node that was captured last.
  CUgraphNode last() const {
    unsigned status = 0;
    unsigned long id = 0;
    CUgraph captured = nullptr;
    const CUgraphNode* nodes = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(api::cuStreamGetCaptureInfo_v2(stream_, &status, &id, &captured, &nodes, &count), 0U);
    return count == 1 ? nodes[0] : nullptr;
  }
};

TEST_F(Captures, CallbacksAreKeptWithTheirNodes) {
  Watched owner;
  Capture capture = begin();
  ASSERT_EQ(capture.call(host(owner.take())), kOk) << last_error();
  const CUgraphNode captured = last();
  EXPECT_TRUE(owner.alive());
  Graph one;
  ASSERT_EQ(capture.end(&one), kOk) << last_error();
  EXPECT_NE(graph_get_owner(one, captured, OwnerRole::data), nullptr);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(remove_node(one, captured), kOk);
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Captures, SplitAndJoin) {
  auto* const second = static_cast<CUstream>(driver().new_stream());
  Capture capture = begin();
  ASSERT_EQ(capture.call(host(nullptr)), kOk);
  Capture fork;
  ASSERT_EQ(capture.split(second, &fork), kOk) << last_error();
  EXPECT_EQ(fork.stream(), second);
  ASSERT_EQ(fork.call(host(nullptr)), kOk) << last_error();
  ASSERT_EQ(capture.call(host(nullptr)), kOk);
  ASSERT_EQ(capture.join(fork), kOk) << last_error();
  ASSERT_EQ(capture.call(host(nullptr)), kOk);
  Graph one;
  ASSERT_EQ(capture.end(&one), kOk) << last_error();
  const std::vector<CUgraphNode> nodes = one.nodes();
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_THAT(one.predecessors(nodes[1]), testing::ElementsAre(nodes[0]));
  EXPECT_THAT(one.predecessors(nodes[2]), testing::ElementsAre(nodes[0]));
  EXPECT_THAT(one.predecessors(nodes[3]), testing::UnorderedElementsAre(nodes[1], nodes[2]));
  EXPECT_EQ(driver().live().events, 0U);
}

TEST_F(Captures, WrongSplitsAndJoinsAreRefused) {
  auto* const second = static_cast<CUstream>(driver().new_stream());
  auto* const third = static_cast<CUstream>(driver().new_stream());
  Capture capture = begin();
  Capture other;
  ASSERT_EQ(Capture::begin(third, CaptureMode::relaxed, &other), kOk);
  Capture fork;
  EXPECT_EQ(capture.split(stream_, &fork), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.split(nullptr, &fork), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.split(third, &fork), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("not captured"));
  EXPECT_EQ(capture.split(second, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.split(second, &capture), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Capture().split(second, &fork), CUDA_ERROR_INVALID_VALUE);
  for (const char* call : {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"}) {
    driver().fail_function(call, 1, CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(capture.split(second, &fork), CUDA_ERROR_UNKNOWN) << call;
    EXPECT_EQ(fork.stream(), nullptr);
    EXPECT_EQ(driver().live().events, 0U);
  }
  ASSERT_EQ(capture.split(second, &fork), kOk) << last_error();
  EXPECT_EQ(capture.join(capture), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.join(other), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.join(Capture()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Capture().join(fork), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.join(fork), kOk) << last_error();
}

TEST_F(Captures, OtherWorkIsKeptWhereAnOwnerIsGiven) {
  Watched whole;
  Watched with_last;
  Watched nobody;
  Capture capture = begin();
  EXPECT_EQ(capture.keep(whole.take()), kOk);
  // Nothing was captured yet, so this is the whole graph's, too.
  EXPECT_EQ(capture.keep_with_last(OwnerRole::extra, nobody.take()), kOk);
  ASSERT_EQ(capture.call(host(nullptr)), kOk);
  EXPECT_EQ(capture.keep_with_last(OwnerRole::extra, with_last.take()), kOk) << last_error();
  EXPECT_EQ(capture.keep(nullptr), kOk);
  Buffer closed = Buffer::wrap(0x1000, 8, nullptr);
  closed.close();
  EXPECT_EQ(capture.keep(closed.allocation()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.keep_with_last(OwnerRole::extra, closed.allocation()),
            CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode captured = last();
  Graph one;
  ASSERT_EQ(capture.end(&one), kOk);
  ASSERT_EQ(remove_node(one, captured), kOk);
  EXPECT_FALSE(with_last.alive());
  EXPECT_TRUE(whole.alive());
  EXPECT_TRUE(nobody.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(whole.alive());
  EXPECT_FALSE(nobody.alive());
}

TEST_F(Captures, RefusedCallbackIsReleased) {
  Watched owner;
  Capture capture = begin();
  driver().fail_function("cuLaunchHostFunc", 1, 719);
  EXPECT_EQ(capture.call(host(owner.take())), status(719));
  EXPECT_THAT(last_error(), HasSubstr("cuLaunchHostFunc"));
  EXPECT_FALSE(owner.alive());
  Graph one;
  EXPECT_EQ(capture.end(&one), kOk);
}

TEST_F(Captures, ANodeThatMayBeThereKeepsItsOwners) {
  Watched owner;
  Capture capture = begin();
  driver().capture_then_fail(719);
  EXPECT_EQ(capture.call(host(owner.take())), status(719));
  EXPECT_TRUE(owner.alive()) << "the node was captured, and cannot be taken out";
  driver().capture_then_fail(0);
  Graph one;
  ASSERT_EQ(capture.end(&one), kOk);
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Captures, AllocationFailure_CapturedNodeKeepsItsOwner) {
  Capture capture = begin();
  ASSERT_EQ(capture.call(host(std::make_shared<int>(1))), kOk) << "there is room for more";
  driver().capture_then_fail(719);
  bool failed = true;
  for (std::size_t nth = 1; failed; ++nth) {
    Watched owner;
    const HostNode callback = host(owner.take());
    const std::size_t nodes = driver().live().nodes;
    fail_allocation(nth);
    const CUresult result = capture.call(callback);
    failed = allocation_failed();
    fail_allocation(0);
    const bool captured = driver().live().nodes != nodes;
    EXPECT_EQ(result, captured ? status(719) : CUDA_ERROR_OUT_OF_MEMORY) << nth;
    settle();
    EXPECT_EQ(callback.data_owner.use_count(), captured ? 2 : 1) << nth;
  }
}

TEST_F(Captures, ANodeThatCannotBeFoundKeepsItsOwners) {
  Watched owner;
  Watched unasked;
  Capture capture = begin();
  driver().capture_two(true);
  EXPECT_EQ(capture.call(host(owner.take())), kOk);
  // The second question, after the callback was captured, has no answer.
  driver().capture_two(false);
  driver().fail_function("cuStreamGetCaptureInfo_v3", 2, 719);
  EXPECT_EQ(capture.call(host(unasked.take())), kOk);
  EXPECT_TRUE(driver().failed());
  Graph one;
  ASSERT_EQ(capture.end(&one), kOk);
  EXPECT_TRUE(owner.alive());
  EXPECT_TRUE(unasked.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
  EXPECT_FALSE(unasked.alive());
}

TEST_F(Captures, NodesOfACaptureCannotBeRemoved) {
  Watched owner;
  Graph body = graph();
  Capture capture;
  ASSERT_EQ(Capture::begin_to_graph(stream_, body, {}, CaptureMode::relaxed, &capture), kOk);
  ASSERT_EQ(capture.call(host(owner.take())), kOk);
  EXPECT_EQ(remove_node(body, last()), status(401));
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(capture.end(), kOk);
}

TEST_F(Captures, InvalidatedCapture_ReleasesAll) {
  Watched owner;
  Capture capture = begin();
  ASSERT_EQ(capture.call(host(owner.take())), kOk);
  driver().invalidate(stream_);
  Watched late;
  EXPECT_EQ(capture.call(host(late.take())), status(901));
  EXPECT_FALSE(late.alive());
  EXPECT_EQ(capture.keep(std::make_shared<int>(1)), status(901));
  EXPECT_FALSE(owner.alive());
  Graph one;
  EXPECT_EQ(capture.end(&one), status(901));
  EXPECT_EQ(one.get(), nullptr);
  GraphView view;
  EXPECT_EQ(capture.view(&view), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture.end(&one), CUDA_ERROR_INVALID_VALUE) << "it has ended";
}

TEST_F(Captures, OneThatIsNotEndedIsEnded) {
  Watched owner;
  {
    Capture capture = begin();
    ASSERT_EQ(capture.call(host(owner.take())), kOk);
    Capture moved = std::move(capture);
    EXPECT_EQ(moved.stream(), stream_);
    EXPECT_EQ(capture.call(host(nullptr)), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_FALSE(owner.alive());
  Capture first = begin();
  Watched other;
  ASSERT_EQ(first.call(host(other.take())), kOk);
  first = Capture();
  EXPECT_FALSE(other.alive());
  EXPECT_EQ(driver().live().graphs, 0U);
}

TEST_F(Captures, ForkSharesTheGraphWithoutAView) {
  Watched owner;
  Capture primary = begin();
  auto* const other = static_cast<CUstream>(driver().new_stream());
  Capture fork;
  EXPECT_EQ(primary.fork(other, &fork), CUDA_ERROR_INVALID_VALUE) << "it has not joined";
  driver().join(other, stream_);
  ASSERT_EQ(primary.fork(other, &fork), kOk) << last_error();
  ASSERT_EQ(fork.call(host(owner.take())), kOk);
  GraphView view;
  EXPECT_EQ(fork.view(&view), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(primary.view(&view), CUDA_ERROR_INVALID_VALUE) << "before its end";
  Graph one;
  EXPECT_EQ(fork.end(&one), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fork.end(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(primary.end(), CUDA_ERROR_INVALID_VALUE) << "it makes a graph";
  ASSERT_EQ(primary.end(&one), kOk) << last_error();
  EXPECT_EQ(fork.call(host(nullptr)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fork.view(&view), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(primary.view(&view), kOk);
  EXPECT_EQ(view, one.view());
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
  EXPECT_EQ(primary.view(&view), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Captures, ForkDoesNotReplaceItsCapture) {
  Watched owner;
  Capture primary = begin();
  ASSERT_EQ(primary.call(host(owner.take())), kOk);
  EXPECT_EQ(primary.fork(stream_, &primary), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("out is the capture that the stream has joined"));
  auto* const other = static_cast<CUstream>(driver().new_stream());
  driver().join(other, stream_);
  Capture fork;
  ASSERT_EQ(primary.fork(other, &fork), kOk);
  EXPECT_EQ(fork.fork(other, &primary), CUDA_ERROR_INVALID_VALUE) << "as a fork of a fork";
  EXPECT_EQ(fork.fork(other, &fork), kOk) << "a fork is nobody's end";
  Graph one;
  ASSERT_EQ(primary.end(&one), kOk) << last_error();
  EXPECT_TRUE(owner.alive());
}

TEST_F(Captures, ABodyHasAViewAfterTheEnd) {
  Watched owner;
  Graph one = graph();
  ConditionalNode node;
  ASSERT_EQ(create_conditional(one, 1, true, &node.handle), kOk);
  node.kind = ConditionalKind::while_loop;
  std::vector<GraphView> bodies;
  ASSERT_EQ(add_conditional(one, {}, node, nullptr, &bodies), kOk);
  Capture capture;
  ASSERT_EQ(Capture::begin_to_graph(stream_, bodies[0], {}, CaptureMode::relaxed, &capture), kOk);
  GraphView view;
  ASSERT_EQ(capture.call(host(owner.take())), kOk);
  EXPECT_EQ(capture.view(&view), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("before the capture has ended"));
  Graph none;
  EXPECT_EQ(capture.end(&none), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(capture.end(), kOk) << last_error();
  ASSERT_EQ(capture.view(&view), kOk);
  EXPECT_EQ(view, bodies[0]);
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_EQ(capture.view(&view), CUDA_ERROR_INVALID_VALUE);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Captures, ErrorsAtTheBeginning) {
  Capture capture;
  driver().fail_function("cuStreamGetCaptureInfo_v3", 1, 719);
  EXPECT_EQ(Capture::begin(stream_, CaptureMode::global, &capture), status(719));
  EXPECT_EQ(driver().live().graphs, 0U) << "what was begun is ended";
  EXPECT_EQ(Capture::begin(stream_, CaptureMode::global, nullptr), CUDA_ERROR_INVALID_VALUE);
  capture = begin();
  Capture second;
  EXPECT_EQ(Capture::begin(stream_, CaptureMode::relaxed, &second), status(900));
  EXPECT_EQ(Capture::begin_to_graph(stream_, GraphView(), {}, CaptureMode::relaxed, &second),
            CUDA_ERROR_INVALID_VALUE);
  Graph one;
  driver().fail_function("cuStreamEndCapture", 1, 908);
  EXPECT_EQ(capture.end(&one), status(908)) << "from a wrong thread: it goes on";
  EXPECT_EQ(capture.end(&one), kOk);
}

TEST_F(Captures, RetiredOwnersCanBeReleasedMeanwhile) {
  Buffer buffer;
  ASSERT_EQ(Buffer::allocate(16, &buffer), kOk);
  Graph other = graph();
  MemsetNode set;
  set.destination.buffer = buffer;
  set.width = 16;
  ASSERT_EQ(add_memset(other, {}, set, nullptr), kOk);
  set = MemsetNode();
  buffer.close();
  Capture capture = begin(CaptureMode::global);
  EXPECT_EQ(other.destroy(), kOk);
  driver().flush();
  EXPECT_EQ(driver().live().memory, 1U);
  ASSERT_EQ(capture.call(host(nullptr)), kOk);
  EXPECT_EQ(driver().live().memory, 0U) << "freed on the way, without harm to the capture";
  Graph one;
  EXPECT_EQ(capture.end(&one), kOk) << last_error();
}

}  // namespace
}  // namespace anycuda::graph
