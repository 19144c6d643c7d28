// SPDX-License-Identifier: Apache-2.0

// Typed kernel arguments: their values, owners, number and sizes.
#include <cstring>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class TypedArguments : public OnFakeDriver {
 protected:
  static Buffer buffer() {
    Buffer made;
    EXPECT_EQ(Buffer::allocate(256, &made), kOk) << last_error();
    return made;
  }
  static Kernel kernel(const char* name) {
    Kernel made;
    EXPECT_EQ(Kernel::load("image", name, &made), kOk) << last_error();
    return made;
  }
  // The value that the driver has copied.
  template <typename Value>
  static Value value_of(CUgraphNode node, std::size_t number, CUgraphExec exec = nullptr) {
    const void* const bytes = driver().argument(exec, node, number);
    Value value{};
    EXPECT_NE(bytes, nullptr);
    if (bytes != nullptr) std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  static void refused(const KernelNode& node, const char* words) {
    Graph one = graph();
    CUgraphNode made = nullptr;
    EXPECT_EQ(add_kernel(one, {}, node, &made), CUDA_ERROR_INVALID_VALUE) << words;
    EXPECT_THAT(last_error(), HasSubstr(words));
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(driver().live().nodes, 0U);
  }
};

struct Pair {
  int first;
  float second;
};

TEST_F(TypedArguments, ValuesAreCopied) {
  Graph one = graph();
  CUgraphNode made = nullptr;
  const Buffer memory = buffer();
  {
    int count = 3;
    KernelNode node = kernel_node(kernel("takes_8_4_4_8_8"), {{4, 2}, 128, 16}, memory, count, 1.5F,
                                  Pair{7, 2.5F}, nullptr);
    count = 0;
    EXPECT_EQ(node.grid[0], 4U);
    EXPECT_EQ(node.grid[1], 2U);
    EXPECT_EQ(node.grid[2], 1U);
    EXPECT_EQ(node.block[0], 128U);
    EXPECT_EQ(node.shared_bytes, 16U);
    const KernelNode copy = node;  // shares the values
    node = KernelNode();
    ASSERT_EQ(add_kernel(one, {}, copy, &made), kOk) << last_error();
  }
  EXPECT_EQ(value_of<CUdeviceptr>(made, 0), memory.address());
  EXPECT_EQ(value_of<int>(made, 1), 3);
  EXPECT_EQ(value_of<float>(made, 2), 1.5F);
  EXPECT_EQ(value_of<Pair>(made, 3).second, 2.5F);
  EXPECT_EQ(value_of<void*>(made, 4), nullptr);
}

TEST_F(TypedArguments, BuffersAndTheModuleAreKept) {
  Watched shared;
  Watched beside;
  Exec exec;
  {
    Graph one = graph();
    const std::shared_ptr<int> address(shared.take(), reinterpret_cast<int*>(0x500));
    ASSERT_EQ(add_kernel(one, {},
                         kernel_node(kernel("takes_8_8_8"), {1, 32}, buffer(), address,
                                     with_owner(std::uint64_t{0x600}, beside.take())),
                         nullptr),
              kOk)
        << last_error();
    ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  }
  settle();
  EXPECT_EQ(driver().live().memory, 1U);
  EXPECT_EQ(driver().live().modules, 1U);
  EXPECT_TRUE(shared.alive());
  EXPECT_TRUE(beside.alive());
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(shared.alive());
  EXPECT_FALSE(beside.alive());
  EXPECT_EQ(driver().live().memory, 0U);
  EXPECT_EQ(driver().live().modules, 0U);
}

TEST_F(TypedArguments, OwnersOfTheRawWayAreKeptToo) {
  Watched owner;
  Graph one = graph();
  {
    KernelNode node = kernel_node(kernel("takes_8"), {1, 32}, buffer());
    node.argument_owner = owner.take();
    node.argument_buffers = {buffer()};
    ASSERT_EQ(add_kernel(one, {}, node, nullptr), kOk) << last_error();
  }
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(driver().live().memory, 2U);
}

TEST_F(TypedArguments, NewParametersReplaceValuesAndOwners) {
  const Kernel taker = kernel("takes_8_4");
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_kernel(one, {}, kernel_node(taker, {1, 32}, buffer(), 1), &made), kOk);
  ASSERT_EQ(set_kernel(one, made, kernel_node(taker, {1, 32}, buffer(), 2)), kOk) << last_error();
  settle();
  EXPECT_EQ(driver().live().memory, 1U);
  EXPECT_EQ(value_of<int>(made, 1), 2);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  ASSERT_EQ(exec.set_kernel(made, kernel_node(taker, {1, 32}, buffer(), 3)), kOk) << last_error();
  settle();
  EXPECT_EQ(driver().live().memory, 2U);
  EXPECT_EQ(value_of<int>(made, 1, exec.get()), 3);
  EXPECT_EQ(value_of<int>(made, 1), 2);
  EXPECT_EQ(exec.set_kernel(made, kernel_node(taker, {1, 32}, 4)), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TypedArguments, EmptyAndClosedBuffersAreRefusedByNumber) {
  const Kernel taker = kernel("takes_8_8");
  Buffer closed = buffer();
  closed.close();
  refused(kernel_node(taker, {1, 32}, buffer(), closed),
          "kernel argument 1: the Buffer is empty or closed");
  refused(kernel_node(taker, {1, 32}, Buffer(), closed), "kernel argument 0: the Buffer is empty");
  refused(kernel_node(taker, {1, 32}, with_owner(Buffer(), nullptr), buffer()),
          "kernel argument 0: the Buffer is empty");
}

TEST_F(TypedArguments, NumberAndSizesAreChecked) {
  const Kernel taker = kernel("takes_8_4");
  refused(kernel_node(taker, {1, 32}, buffer()),
          "kernel arguments: 1 is given, and the kernel takes 2");
  refused(kernel_node(taker, {1, 32}), "kernel arguments: 0 are given, and the kernel takes 2");
  refused(kernel_node(taker, {1, 32}, buffer(), 1, 2, 3),
          "kernel arguments: 4 are given, and the kernel takes 2");
  refused(kernel_node(taker, {1, 32}, buffer(), 1.0),
          "kernel argument 1: a value of 8 bytes is given, and the kernel takes 4 bytes");
  refused(kernel_node(kernel("takes"), {1, 32}, 1),
          "kernel arguments: 1 is given, and the kernel takes 0");
  Graph one = graph();
  EXPECT_EQ(add_kernel(one, {}, kernel_node(kernel("takes"), {1, 32}), nullptr), kOk)
      << last_error();
}

TEST_F(TypedArguments, DriverThatDoesNotTellParametersIsNotAsked) {
  const Kernel taker = kernel("takes_8_4");
  Graph one = graph();
  driver().fail_function("cuFuncGetParamInfo", 1, 801);
  EXPECT_EQ(add_kernel(one, {}, kernel_node(taker, {1, 32}, buffer(), 1), nullptr), kOk)
      << last_error();
  EXPECT_TRUE(driver().failed());
}

TEST_F(TypedArguments, RawArgumentsBesideValuesAreRefused) {
  KernelNode node = kernel_node(kernel("takes_4"), {1, 32}, 1);
  void* arguments[] = {&node};
  node.arguments = arguments;
  refused(node, "kernel arguments: both values and raw arguments are given");
}

TEST_F(TypedArguments, MemoryOfRawArgumentsThatNothingKeepsIsFound) {
  const Buffer first = buffer();
  const Buffer second = buffer();
  struct {
    int number;
    CUdeviceptr inside;
  } block{7, second.address() + 16};
  CUdeviceptr address = first.address();
  void* arguments[] = {&address, &block};
  KernelNode node;
  node.kernel = kernel("takes_8_16");
  node.arguments = arguments;
  EXPECT_EQ(check_argument_owners(node), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("kernel argument 0: the node does not keep the memory"));
  node.argument_buffers = {first};
  EXPECT_EQ(check_argument_owners(node), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("kernel argument 1: the node does not keep the memory"));
  node.argument_buffers = {first, second};
  EXPECT_EQ(check_argument_owners(node), kOk) << last_error();
  node.argument_buffers.clear();
  node.argument_owner = std::make_shared<int>(1);
  EXPECT_EQ(check_argument_owners(node), kOk) << "an owner may keep anything";
  EXPECT_EQ(check_argument_owners(kernel_node(node.kernel, {1, 1}, first, block)), kOk);
  EXPECT_EQ(check_argument_owners(KernelNode()), CUDA_ERROR_INVALID_VALUE);
  address = 12345;  // a number
  block.inside = 0;
  node.argument_owner = nullptr;
  EXPECT_EQ(check_argument_owners(node), kOk) << last_error();
}

TEST_F(TypedArguments, SidesThatDoNotFitAreRefused) {
  const Kernel taker = kernel("takes");
  refused(kernel_node(taker, {-1, 32}), "kernel grid: 0 x 1 x 1");
  refused(kernel_node(taker, {{1, 1UL << 32}, 32}), "kernel grid: 1 x 0 x 1");
  refused(kernel_node(taker, {1, {32, 1, 0}}), "kernel block: 32 x 1 x 0");
}

}  // namespace
}  // namespace anycuda::graph
