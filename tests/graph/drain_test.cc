// SPDX-License-Identifier: Apache-2.0

// Deferred release: the driver's thread only reports; owners are released at safe points.
#include <pthread.h>

#include <atomic>
#include <thread>
#include <vector>

#include "graph/attachment.h"
#include "tests/graph/fixture.h"
#include "tests/graph/memory_faults.h"

namespace anycuda::graph {
namespace {

class Drain : public OnFakeDriver {
 protected:
  template <typename Deleter>
  static OpaqueHandle with(Deleter deleter) {
    return {static_cast<const void*>(&kSomething), [deleter](const void*) { deleter(); }};
  }
  static constexpr int kSomething = 0;
};

TEST_F(Drain, DeletersRunWhereTheLibraryIsCalled) {
  std::thread::id deleted;
  Graph one = graph();
  node(one, with([&] { deleted = std::this_thread::get_id(); }));
  EXPECT_EQ(one.destroy(), kOk);
  driver().flush();
  EXPECT_EQ(pending(), 1U);
  EXPECT_EQ(deleted, std::thread::id());
  one = graph();
  EXPECT_EQ(deleted, std::this_thread::get_id());
  EXPECT_EQ(pending(), 0U);
}

TEST_F(Drain, LateReleasesAreNotLost) {
  Watched owner;
  driver().hold_destructors(true);
  Graph one = graph();
  node(one, owner.take());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_EQ(drain(), 0U);
  driver().hold_destructors(false);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Drain, ADeleterMayCallTheLibrary) {
  Watched inner_owner;
  auto inner = std::make_shared<Graph>(graph());
  node(*inner, inner_owner.take());
  std::size_t nested = 77;
  Graph outer = graph();
  node(outer, with([&nested, inner = std::move(inner)] {
         EXPECT_EQ(inner->destroy(), kOk);
         driver().flush();
         nested = drain();
         Graph another;
         EXPECT_EQ(Graph::create(&another), kOk);
       }));
  EXPECT_EQ(outer.destroy(), kOk);
  settle();
  EXPECT_EQ(nested, 0U) << "the drain that runs the deleter goes on";
  EXPECT_FALSE(inner_owner.alive());
}

TEST_F(Drain, NestedDrainReturnsAtOnceAndTheOuterCountsAll) {
  std::vector<std::size_t> counts;
  Graph one = graph();
  for (int at = 0; at < 5; ++at) node(one, with([&] { counts.push_back(drain()); }));
  EXPECT_EQ(one.destroy(), kOk);
  driver().flush();
  EXPECT_EQ(drain(), 5U);
  EXPECT_THAT(counts, testing::ElementsAre(0U, 0U, 0U, 0U, 0U));
  EXPECT_EQ(pending(), 0U);
}

// As the driver hands them over, all at once; each deleter drains. The thread has the least stack
// that a thread may have, and what the sanitizers need beside it.
TEST_F(Drain, ManyDeletersThatDrainNeedNoMoreStackThanOne) {
  constexpr std::size_t kOwners = 70000;
  std::size_t deleted = 0;
  for (std::size_t at = 0; at < kOwners; ++at) {
    anycuda_graph_retire(Attachment::make({with([&] {
      ++deleted;
      drain();
    })}));
  }
  EXPECT_EQ(pending(), kOwners);
  std::size_t count = 0;
  const auto run = [](void* out) -> void* {
    *static_cast<std::size_t*>(out) = drain();
    return nullptr;
  };
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 256UL * 1024), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &small, run, &count), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&small);
  EXPECT_EQ(count, kOwners);
  EXPECT_EQ(deleted, kOwners);
  EXPECT_EQ(pending(), 0U);
}

TEST_F(Drain, GraphsThatOwnGraphs) {
  constexpr int kDepth = 200;
  Watched last;
  OpaqueHandle owner = last.take();
  for (int depth = 0; depth < kDepth; ++depth) {
    auto one = std::make_shared<Graph>(graph());
    node(*one, std::move(owner));
    owner = std::move(one);
  }
  EXPECT_TRUE(last.alive());
  owner = nullptr;
  for (int depth = 0; depth < kDepth; ++depth) settle();
  EXPECT_FALSE(last.alive());
}

// Threads that make graphs, and so drain, while the driver's thread pushes.
TEST_F(Drain, ManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kGraphs = 40;
  constexpr int kNodes = 10;
  std::atomic<int> deleted{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int at = 0; at < kGraphs; ++at) {
        Graph one = graph();
        Graph copy;
        for (int count = 0; count < kNodes; ++count) node(one, with([&] { ++deleted; }));
        EXPECT_EQ(one.clone(&copy), kOk);
        Exec exec;
        EXPECT_EQ(Exec::instantiate(one, &exec), kOk);
        drain();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  settle();
  EXPECT_EQ(deleted, kThreads * kGraphs * kNodes);
}

TEST_F(Drain, OfNothing) {
  EXPECT_EQ(drain(), 0U);
  EXPECT_EQ(pending(), 0U);
}

TEST_F(Drain, ErrorsAreEachThreadsOwn) {
  EXPECT_NE(Graph::create(nullptr), kOk);
  EXPECT_STREQ(last_error(), "out is null");
  std::thread([] { EXPECT_STREQ(last_error(), ""); }).join();
  Graph one = graph();
  EXPECT_STREQ(last_error(), "out is null") << "of the last call that failed";
}

// The mode is the process's: back to the default after each test.
class OnlyInDrain : public Drain {
 protected:
  void SetUp() override {
    Drain::SetUp();
    set_release_mode(ReleaseMode::only_in_drain);
  }
  void TearDown() override {
    driver().finish_launches();
    set_release_mode(ReleaseMode::any_call);
    Drain::TearDown();
  }
  static HostNode host(OpaqueHandle owner) {
    HostNode made;
    made.function = do_nothing;
    made.data_owner = std::move(owner);
    return made;
  }
  // Calls of the library that would release retired owners.
  static void make_calls() {
    driver().flush();
    Graph other = graph();
    node(other, nullptr);
    EXPECT_EQ(other.destroy(), kOk);
  }
};

TEST_F(OnlyInDrain, OwnersOfNodesWait) {
  std::weak_ptr<int> watch;
  Graph one = graph();
  {
    auto owner = std::make_shared<int>(1);
    watch = owner;
    node(one, std::move(owner));
  }
  EXPECT_EQ(one.destroy(), kOk);
  make_calls();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(pending(), 1U);
  EXPECT_EQ(drain(), 1U);
  EXPECT_TRUE(watch.expired());
}

TEST_F(OnlyInDrain, OwnersOfUpdatedNodesWait) {
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host(nullptr), &made), kOk);
  Exec exec = Exec::instantiate(one);
  std::weak_ptr<int> watch[3];
  for (std::weak_ptr<int>& each : watch) {
    auto owner = std::make_shared<int>(1);
    each = owner;
    ASSERT_EQ(exec.set_host(made, host(std::move(owner))), kOk) << last_error();
    make_calls();
  }
  EXPECT_FALSE(watch[0].expired()) << "replaced, but not drained";
  EXPECT_EQ(drain(), 2U);
  EXPECT_TRUE(watch[0].expired());
  EXPECT_TRUE(watch[1].expired());
  EXPECT_FALSE(watch[2].expired()) << "in use";
  EXPECT_EQ(exec.destroy(), kOk);
  make_calls();
  EXPECT_FALSE(watch[2].expired());
  EXPECT_NE(drain(), 0U);
  EXPECT_TRUE(watch[2].expired());
}

// After a raw update only the Exec holds the owners of updated nodes.
TEST_F(OnlyInDrain, OwnersThatOnlyTheExecHoldsWait) {
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host(nullptr), &made), kOk);
  Exec exec = Exec::instantiate(one);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owner;
  ASSERT_EQ(exec.set_host(made, host(std::move(owner))), kOk) << last_error();
  CUgraphNode wrong = nullptr;
  unsigned why = 0;
  ASSERT_EQ(api::cuGraphExecUpdate(exec.get(), one.get(), &wrong, &why), 0U);
  settle();
  EXPECT_EQ(exec.destroy(), kOk);
  make_calls();
  EXPECT_FALSE(watch.expired());
  settle();
  EXPECT_TRUE(watch.expired());
}

TEST_F(OnlyInDrain, WithoutMemoryTheExecsOwnersAreReleasedAtOnce) {
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host(nullptr), &made), kOk);
  Exec exec = Exec::instantiate(one);
  Watched owner;
  ASSERT_EQ(exec.set_host(made, host(owner.take())), kOk) << last_error();
  fail_allocation(1);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_TRUE(allocation_failed());
  fail_allocation(0);
  EXPECT_FALSE(owner.alive());
}

TEST_F(OnlyInDrain, ExecutableGraphsThatRunWait) {
  Graph one = graph();
  ASSERT_EQ(add_host(one, {}, host(nullptr), nullptr), kOk);
  driver().hold_launches(true);
  Exec exec = Exec::instantiate(one);
  ASSERT_EQ(exec.launch(nullptr), kOk);
  ASSERT_EQ(exec.destroy(), kOk);
  driver().finish_launches();
  make_calls();
  EXPECT_EQ(driver().live().execs, 1U);
  EXPECT_NE(pending(), 0U);
  drain();
  EXPECT_EQ(driver().live().execs, 0U);
}

}  // namespace
}  // namespace anycuda::graph
