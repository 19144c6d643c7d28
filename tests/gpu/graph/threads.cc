// SPDX-License-Identifier: Apache-2.0

// Many threads, each with its own graphs, while others drain.
#include <thread>

#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

constexpr int kThreads = 16;

// A thread's work: graphs of all kinds of nodes, copied, launched, changed, destroyed.
void work(Check& check, int rounds, std::atomic<int>* lives, std::atomic<int>* freed) {
  use_device();
  Stream stream;
  for (int round = 0; check && round < rounds; ++round) {
    const auto owner = [&]() -> OpaqueHandle {
      ++*lives;
      return std::shared_ptr<int>(new int(0), [freed](const int* block) {
        delete block;
        ++*freed;
      });
    };
    Graph graph;
    Graph clone;
    Exec exec;
    Buffer out;
    CALL(check, Graph::create(&graph));
    CALL(check, Buffer::allocate(kBytes, &out));
    CUgraphNode last = nullptr;
    MemsetNode zero;
    zero.destination.buffer = out;
    zero.width = kBytes;
    CALL(check, add_memset(graph, {}, zero, &last));
    for (int i = 0; i < 4; ++i) {
      Add add(out.address(), out.address(), round);
      KernelNode node = add.node();
      node.argument_owner = all_of({out.allocation(), owner()});
      CALL(check, add_kernel(graph, {last}, node, &last));
    }
    HostNode host;
    host.call = [kept = owner()] {};
    CALL(check, add_host(graph, {last}, host, &last));
    host = HostNode();
    CALL(check, graph.clone(&clone));
    CALL(check, Exec::instantiate(graph, &exec));
    CALL(check, graph_set_owner(graph, last, OwnerRole::extra, owner()));
    CALL(check, remove_node(graph, last));
    CALL(check, exec.launch(stream));
    if (round % 2 == 0) CALL(check, graph.destroy());
    if (round % 3 == 0) CALL(check, exec.destroy());
    DRIVER(check, stream.wait());
    std::vector<int> got(kCount, -1);
    DRIVER(check, cuMemcpyDtoHAsync(got.data(), out.address(), kBytes, stream));
    DRIVER(check, stream.wait());
    EXPECT(check, got == std::vector<int>(kCount, 4 * round));
  }
}

void many() {
  Check check("threads, each with its own graphs, while others drain");
  std::atomic<int> lives{0};
  std::atomic<int> freed{0};
  std::atomic<bool> over{false};
  shared_kernel("add");  // made by one thread: what all use
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  const int rounds = quick() ? 10 : 100;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] { work(check, rounds, &lives, &freed); });
  }
  std::thread drains[2];
  for (std::thread& thread : drains) {
    thread = std::thread([&] {
      use_device();
      while (!over) drain();
    });
  }
  for (std::thread& thread : threads) thread.join();
  over = true;
  for (std::thread& thread : drains) thread.join();
  EXPECT(check, eventually([&] { return freed == lives; }));
  EQUAL(check, freed.load(), lives.load());
  EXPECT(check, eventually([] { return pending() == 0; }));
  check.detail(show(kThreads) + " threads, " + show(lives.load()) + " owners");
}

// A deleter that uses the library itself, also from within a drain.
void deleters_that_use_the_library() {
  Check check("a deleter may use the library, and drain");
  Life outer;
  Life inner;
  auto second = std::make_shared<Graph>();
  Graph first;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(second.get()));
  CALL(check, kinds()[0].add(*second, inner.owner(), &node));
  CALL(check, Graph::create(&first));
  CALL(check, kinds()[0].add(first, outer.owner_that([second] {
    static_cast<void>(second->destroy());
    drain();
  }),
                             &node));
  second.reset();
  CALL(check, first.destroy());
  EXPECT(check, eventually([&] { return outer.freed() == 1 && inner.freed() == 1; }));
}

void chain_of_owners() {
  Check check("a long chain of graphs, each owned by the next, goes without deep recursion");
  constexpr int kLength = 2000;
  Life last;
  OpaqueHandle owner = last.owner();
  for (int i = 0; check && i < kLength; ++i) {
    auto graph = std::make_shared<Graph>();
    CUgraphNode node = nullptr;
    CALL(check, Graph::create(graph.get()));
    CALL(check, kinds()[0].add(*graph, owner, &node));
    owner = graph;
  }
  owner.reset();
  EXPECT(check, eventually([&] { return last.freed() == 1; }));
}

}  // namespace

void threads() {
  many();
  deleters_that_use_the_library();
  chain_of_owners();
}

}  // namespace gputest
