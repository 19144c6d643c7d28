// SPDX-License-Identifier: Apache-2.0

// The layer that throws, move-only callables, and dependencies from any container.
#include <array>
#include <memory>
#include <vector>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class Layers : public OnFakeDriver {
 protected:
  // The status and the text of what `call` throws.
  template <typename Call>
  static void throws(CUresult status, const char* words, const Call& call) {
    try {
      call();
      ADD_FAILURE() << "nothing was thrown: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(words));
      EXPECT_THAT(error.what(), HasSubstr(error.name()));
    }
  }
};

TEST_F(Layers, GraphOfEveryKindIsBuiltAndRun) {
  auto seen = std::make_unique<int>(5);
  int result = 0;
  Exec exec;
  {
    const Graph one = Graph::create();
    const Kernel kernel = Kernel::load("image", "takes_8_4");
    const Buffer memory = Buffer::allocate(64);
    const Event event = Event::create(0);
    MemsetNode fill;
    fill.destination.buffer = memory;
    fill.width = 64;
    MemcpyNode copy;
    copy.destination.buffer = memory;
    copy.source.buffer = memory;
    copy.width = 8;
    const CUgraphNode filled = one.add(fill);
    const CUgraphNode copied = one.add({filled}, copy);
    const CUgraphNode launched = one.add({copied}, kernel, {1, 32}, memory, 3);
    const CUgraphNode recorded = one.record({launched}, event);
    const CUgraphNode waited = one.wait({recorded}, event);
    const CUgraphNode joined = one.join({filled, waited});
    const Graph inner = Graph::create();
    inner.add(kernel, {1, 32}, memory, 4);
    const CUgraphNode embedded = one.embed({joined}, inner);
    one.add({embedded}, [seen = std::move(seen), &result] { result += *seen; });
    EXPECT_EQ(driver().live().nodes, 10U);  // and the child's copy of its node
    exec = Exec::instantiate(one.clone());
  }
  settle();
  EXPECT_EQ(driver().live().memory, 1U);
  EXPECT_EQ(driver().live().modules, 1U);
  throw_if_failed(exec.launch(nullptr));
  EXPECT_EQ(result, 5);
}

TEST_F(Layers, MemoryAndConditionalNodes) {
  const Graph one = Graph::create();
  MemAllocNode memory;
  memory.bytes = 8;
  const CUgraphNode allocated = one.allocate({}, &memory);
  one.free({allocated}, memory.address);
  ConditionalNode node;
  ASSERT_EQ(create_conditional(one, 1, true, &node.handle), kOk);
  std::vector<GraphView> bodies;
  EXPECT_NE(one.branch({}, node, &bodies), nullptr);
  ASSERT_EQ(bodies.size(), 1U);
  EXPECT_NE(bodies[0].join(), nullptr);
}

TEST_F(Layers, ErrorsAreThrownWithTheirNames) {
  const Graph one = Graph::create();
  const Kernel kernel = Kernel::load("image", "takes_4");
  throws(CUDA_ERROR_INVALID_VALUE, "kernel argument 0: a value of 8 bytes is given", [&] {
    one.add(kernel, {1, 32}, 1.0);
  });
  throws(CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE (1): ", [&] {
    one.add(kernel, {0, 32}, 1);
  });
  throws(CUDA_ERROR_INVALID_VALUE, "the graph is null", [] { GraphView().join(); });
  throws(CUDA_ERROR_INVALID_VALUE, "0 bytes", [] { static_cast<void>(Buffer::allocate(0)); });
  throws(status(500), "CUDA_ERROR_NOT_FOUND",
         [] { static_cast<void>(Kernel::load("image", "missing")); });
  throws(CUDA_ERROR_INVALID_VALUE, "null", [] { static_cast<void>(Exec::instantiate({})); });
  throws(CUDA_ERROR_INVALID_VALUE, "null", [] { static_cast<void>(Graph().clone()); });
  driver().fail_function("cuGraphCreate", 1, CUDA_ERROR_OUT_OF_MEMORY);
  throws(CUDA_ERROR_OUT_OF_MEMORY, "cuGraphCreate: CUDA_ERROR_OUT_OF_MEMORY",
         [] { static_cast<void>(Graph::create()); });
  EXPECT_EQ(driver().live().nodes, 0U);
}

TEST_F(Layers, StatusOfAnotherCallHasNoSentenceOfAnEarlierOne) {
  throws(CUDA_ERROR_INVALID_VALUE, "null", [] { GraphView().join(); });
  throws(CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED (801)",
         [] { throw_if_failed(CUDA_ERROR_NOT_SUPPORTED); });
  EXPECT_STREQ(Error(CUDA_ERROR_NOT_SUPPORTED).what(), "CUDA_ERROR_NOT_SUPPORTED (801)");
  EXPECT_STREQ(name_of(status(1234)), "CUDA_ERROR_FAKE") << "the driver knows it";
  EXPECT_NO_THROW(throw_if_failed(CUDA_SUCCESS));
}

TEST_F(Layers, MoveOnlyCallableIsKeptByEachNodeOfIt) {
  Watched owner;
  int calls = 0;
  Exec exec;
  {
    Graph one = graph();
    HostNode node = host_node([kept = std::make_unique<OpaqueHandle>(owner.take()), &calls] {
      calls += *kept != nullptr ? 1 : 100;
    });
    ASSERT_EQ(add_host(one, {}, node, nullptr), kOk) << last_error();
    ASSERT_EQ(add_host(one, {}, node, nullptr), kOk) << last_error();
    ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  }
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(exec.launch(nullptr), kOk);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Layers, EmptyCallableIsRefused) {
  const Graph one = Graph::create();
  throws(CUDA_ERROR_INVALID_VALUE, "host function: neither a callable",
         [&] { one.add(std::function<void()>()); });
  throws(CUDA_ERROR_INVALID_VALUE, "host function: neither a callable",
         [&] { one.add(static_cast<void (*)()>(nullptr)); });
}

// A container that only has data() and size(), as std::span.
struct Span {
  CUgraphNode* first;
  std::size_t count;
  CUgraphNode* data() const { return first; }
  std::size_t size() const { return count; }
};

TEST_F(Layers, DependenciesFromAnyContainer) {
  const Graph one = Graph::create();
  const CUgraphNode first = one.join();
  const CUgraphNode second = one.join({first});
  CUgraphNode array[] = {first, second};
  const std::array<CUgraphNode, 2> standard{first, second};
  const std::vector<CUgraphNode> vector{first, second};
  for (const Dependencies& after :
       {Dependencies(array), Dependencies(standard), Dependencies(vector),
        Dependencies(Span{array, 2}), Dependencies({first, second}), Dependencies(array, 2)}) {
    ASSERT_EQ(after.count(), 2U);
    EXPECT_EQ(after.nodes()[0], first);
    EXPECT_EQ(after.nodes()[1], second);
    CUgraphNode made = nullptr;
    EXPECT_EQ(add_empty(one, after, &made), kOk) << last_error();
  }
  EXPECT_NE(one.join(array), nullptr);
  EXPECT_NE(one.join(Span{array, 0}), nullptr);
}

}  // namespace
}  // namespace anycuda::graph
