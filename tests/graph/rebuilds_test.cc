// SPDX-License-Identifier: Apache-2.0

// A graph that is built, launched and destroyed again and again: nothing stays.
#include <malloc.h>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

class Rebuilds : public OnFakeDriver {
 protected:
  // As in examples/graph/kernels_over_buffers.cc.
  static Exec build(const Kernel& kernel, int* calls) {
    const Graph graph = Graph::create();
    const Buffer memory = Buffer::allocate(4096);
    const CUgraphNode ones = graph.add(MemsetNode{{memory}, 1, 4, 1024});
    const CUgraphNode three = graph.add({ones}, kernel, {4, 256}, memory, 3.0F);
    LaunchConfig config{4, 256};
    config.attributes.priority = -1;
    const CUgraphNode six = graph.add({three}, kernel, config, memory, 2.0F);
    graph.add({six}, [calls, data = std::make_unique<int>(1)] { *calls += *data; });
    return Exec::instantiate(graph);
  }
  static std::size_t heap() { return mallinfo2().uordblks; }
};

TEST_F(Rebuilds, MemoryDoesNotGrow) {
  constexpr int kRounds = 20;
  constexpr int kBuilds = 50;
  const Kernel kernel = Kernel::load("image", "takes_8_4");
  int calls = 0;
  std::size_t after_first = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int number = 0; number < kBuilds; ++number) {
      const Exec exec = build(kernel, &calls);
      ASSERT_EQ(exec.launch(nullptr), kOk) << last_error();
    }
    settle();
    if (round == 1) after_first = heap();
  }
  EXPECT_EQ(calls, kRounds * kBuilds);
  EXPECT_EQ(driver().live().memory, 0U);
  EXPECT_EQ(driver().live().user_objects, 0U);
  EXPECT_LE(heap(), after_first + 4096) << "of " << kRounds * kBuilds << " builds";
}

}  // namespace
}  // namespace anycuda::graph
