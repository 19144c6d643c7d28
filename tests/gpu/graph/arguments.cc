// SPDX-License-Identifier: Apache-2.0

// Typed kernel arguments: what a launch computes from values and Buffers that only the graph holds,
// new values while a launch runs, and what is refused.
#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

constexpr LaunchConfig kLaunch{kCount / 64, 64};

void only_the_graph_holds() {
  Check check("a launch with typed arguments computes from buffers that only the graph holds");
  std::weak_ptr<const void> module;
  std::weak_ptr<const void> first;
  std::weak_ptr<const void> second;
  CUdeviceptr result = 0;
  Exec exec;
  Stream stream;
  {
    Graph graph;
    CALL(check, Graph::create(&graph));
    const Kernel kernel = load("add");
    const Buffer from = filled(4);
    const Buffer to = filled(0);
    module = kernel.module();
    first = from.allocation();
    second = to.allocation();
    result = to.address();
    int value = 3;
    CUgraphNode node = nullptr;
    CALL(check,
         add_kernel(graph, {}, kernel_node(kernel, kLaunch, to, from, value, int{kCount}), &node));
    value = 100;  // the node has its own copy
    CALL(check,
         add_kernel(graph, {node}, kernel_node(kernel, kLaunch, to, to, 5, int{kCount}), nullptr));
    CALL(check, Exec::instantiate(graph, &exec));
  }
  settle();
  EXPECT(check, !module.expired() && !first.expired() && !second.expired());
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, result, 12);
  CALL(check, exec.destroy());
  EXPECT(check,
         eventually([&] { return module.expired() && first.expired() && second.expired(); }));
}

void other_owners() {
  Check check("typed arguments keep a shared_ptr, and the owner beside an address");
  const Buffer to = filled(0);
  std::weak_ptr<const void> from;
  std::weak_ptr<int> beside;
  Exec exec;
  Stream stream;
  {
    Graph graph;
    CALL(check, Graph::create(&graph));
    const Buffer memory = filled(6);
    from = memory.allocation();
    const std::shared_ptr<int> pointer(memory.allocation(),
                                       reinterpret_cast<int*>(memory.address()));  // NOLINT
    auto owner = std::make_shared<int>(1);
    beside = owner;
    CALL(check, add_kernel(graph, {},
                           kernel_node(load("add"), kLaunch, with_owner(to.address(), owner),
                                       std::const_pointer_cast<const int>(pointer), 1, int{kCount}),
                           nullptr));
    CALL(check, Exec::instantiate(graph, &exec));
  }
  settle();
  EXPECT(check, !from.expired() && !beside.expired());
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, to.address(), 7);
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return from.expired() && beside.expired(); }));
}

void new_values() {
  Check check("new typed arguments of a node: in the graph, and in the executable graph");
  const Buffer to = filled(0);
  const Kernel& kernel = shared_kernel("add");
  Graph graph;
  Exec exec;
  Stream stream;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&graph));
  const auto of = [&](const Buffer& from, int value) {
    return kernel_node(kernel, kLaunch, to, from, value, int{kCount});
  };
  CALL(check, add_kernel(graph, {}, of(filled(1), 1), &node));
  CALL(check, set_kernel(graph, node, of(filled(10), 1)));
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, to.address(), 11);
  for (int round = 0; round < 100; ++round) {
    CALL(check, exec.set_kernel(node, of(filled(round), 1000)));
    CALL(check, exec.launch(stream));
  }
  DRIVER(check, stream.wait());
  expect_all(check, to.address(), 1099);
}

// Nothing is made of what is refused.
void refused(const char* words, const KernelNode& node) {
  Check check(std::string("refused: ") + words);
  Graph graph;
  CUgraphNode made = nullptr;
  CALL(check, Graph::create(&graph));
  EQUAL(check, add_kernel(graph, {}, node, &made), CUDA_ERROR_INVALID_VALUE);
  const std::string why = last_error();
  if (why.find(words) == std::string::npos) check.fail("the sentence is \"" + why + "\"");
  EXPECT(check, made == nullptr);
  EQUAL(check, node_count(graph), 0U);
}

void wrong_arguments() {
  const Kernel& kernel = shared_kernel("add");
  const Buffer memory = filled(0);
  Buffer closed = filled(0);
  closed.close();
  refused("kernel argument 1: the Buffer is empty or closed",
          kernel_node(kernel, kLaunch, memory, closed, 1, 1));
  if (driver_version() < 12040) return;
  refused("3 are given, and the kernel takes 4", kernel_node(kernel, kLaunch, memory, memory, 1));
  refused("5 are given, and the kernel takes 4",
          kernel_node(kernel, kLaunch, memory, memory, 1, 1, 1));
  refused("0 are given, and the kernel takes 4", kernel_node(kernel, kLaunch));
  refused("kernel argument 2: a value of 8 bytes is given, and the kernel takes 4 bytes",
          kernel_node(kernel, kLaunch, memory, memory, 1.0, 1));
}

void raw_arguments() {
  Check check("memory of raw arguments that the node does not keep is found");
  if (driver_version() < 12040) return;
  const Buffer to = filled(0);
  const Buffer from = filled(0);
  Add add(to.address(), from.address() + 4, 1);
  KernelNode node = add.node();
  EQUAL(check, check_argument_owners(node), CUDA_ERROR_INVALID_VALUE);
  node.argument_buffers = {to};
  EQUAL(check, check_argument_owners(node), CUDA_ERROR_INVALID_VALUE);
  check.detail(last_error());
  node.argument_buffers = {to, from};
  CALL(check, check_argument_owners(node));
  CALL(check, check_argument_owners(kernel_node(node.kernel, kLaunch, to, from, 1, int{kCount})));
}

}  // namespace

void arguments() {
  only_the_graph_holds();
  other_owners();
  new_values();
  wrong_arguments();
  raw_arguments();
}

}  // namespace gputest
