// SPDX-License-Identifier: Apache-2.0

// Clusters, cooperative launches, priorities and programmatic dependent launch, in nodes and on
// streams.
#include "anycuda/graph/stream_launch.h"
#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

LaunchConfig config(const LaunchAttributes& attributes) { return {8, 32, 0, attributes}; }

LaunchAttributes all() {
  LaunchAttributes made;
  made.cluster = {4, 1, 1};
  made.cooperative = true;
  made.priority = -2;
  return made;
}

std::vector<unsigned> sides(const Dim3& of) { return {of.begin(), of.end()}; }

int version() {
  int version = 0;
  EXPECT_EQ(api::cuDriverGetVersion(&version), 0U);
  return version;
}

class LaunchAttributesOfNodes : public OnFakeDriver {
 protected:
  Graph graph_ = Graph::create();
  Kernel kernel_ = Kernel::load("image", "takes_4");

  void TearDown() override {
    graph_ = Graph();
    kernel_ = Kernel();
    OnFakeDriver::TearDown();
  }
  LaunchAttributes of(CUgraphNode node) {
    KernelNode read;
    EXPECT_EQ(get_kernel(graph_, node, &read), kOk) << last_error();
    return read.attributes;
  }
  static void expect_all(const LaunchAttributes& is) {
    EXPECT_THAT(sides(is.cluster), ElementsAre(4U, 1U, 1U));
    EXPECT_TRUE(is.cooperative);
    EXPECT_EQ(is.priority, -2);
  }
  static void expect_none(const LaunchAttributes& is) {
    EXPECT_THAT(sides(is.cluster), ElementsAre(1U, 1U, 1U));
    EXPECT_FALSE(is.cooperative);
    EXPECT_EQ(is.priority, std::nullopt);
    EXPECT_FALSE(is.programmatic);
  }
};

TEST_F(LaunchAttributesOfNodes, AddedReadBackAndInThePicture) {
  const CUgraphNode plain = graph_.add(kernel_, {8, 32}, 1);
  EXPECT_EQ(driver().calls("cuGraphKernelNodeSetAttribute"), 0U);
  expect_none(of(plain));
  EXPECT_THAT(graph_.dot(), Not(HasSubstr("clusters")));
  const CUgraphNode node = graph_.add({plain}, kernel_, config(all()), 1);
  expect_all(of(node));
  EXPECT_THAT(graph_.dot(), HasSubstr("8x1x1 blocks of 32x1x1\\nclusters of 4x1x1 blocks\\n"
                                      "cooperative\\npriority -2\\nowners"));
  expect_none(of(plain));
  KernelNode like;
  ASSERT_EQ(get_kernel(graph_, node, &like), kOk);
  expect_all(of(graph_.add(like)));
  const Graph copy = graph_.clone();
  ASSERT_EQ(get_kernel(copy, twin(node, copy), &like), kOk);
  expect_all(like.attributes);
}

TEST_F(LaunchAttributesOfNodes, SetReplacesAllOfThem) {
  const CUgraphNode node = graph_.add(kernel_, config(all()), 1);
  ASSERT_EQ(set_kernel(graph_, node, kernel_node(kernel_, {8, 32}, 1)), kOk) << last_error();
  expect_none(of(node));
  ASSERT_EQ(set_kernel(graph_, node, kernel_node(kernel_, config(all()), 1)), kOk) << last_error();
  expect_all(of(node));
}

// If one attribute or the parameters cannot be set, all are as before.
TEST_F(LaunchAttributesOfNodes, FailureLeavesTheNodeAsItWas) {
  const CUgraphNode node = graph_.add(kernel_, {8, 32}, 1);
  const KernelNode wanted = kernel_node(kernel_, {config(all()).grid, 64, 0, all()}, 1);
  for (std::size_t nth = 1; nth <= 3; ++nth) {
    driver().fail_function("cuGraphKernelNodeSetAttribute", nth, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(set_kernel(graph_, node, wanted), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(last_error(), HasSubstr("cuGraphKernelNodeSetAttribute of a "));
    expect_none(of(node));
    driver().fail_function("cuGraphKernelNodeSetAttribute", nth, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(add_kernel(graph_, {node}, wanted, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(graph_.nodes().size(), 1U) << "the node was removed again";
  }
  driver().fail_function("cuGraphKernelNodeSetParams", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(set_kernel(graph_, node, wanted), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(last_error(), HasSubstr("cuGraphKernelNodeSetParams"));
  expect_none(of(node));
}

// The driver refuses a grid that does not fit the node's cluster, and the other way round.
TEST_F(LaunchAttributesOfNodes, ClusterAndGridChangeTogether) {
  const auto clustered = [&](unsigned blocks, unsigned cluster, int value) {
    LaunchAttributes attributes;
    attributes.cluster = cluster;
    attributes.cooperative = cluster == 3;
    return kernel_node(kernel_, {blocks, 32, 0, attributes}, value);
  };
  const auto grid_and_cluster = [&](CUgraphNode node) {
    KernelNode read;
    EXPECT_EQ(get_kernel(graph_, node, &read), kOk) << last_error();
    return std::vector<unsigned>{read.grid[0], read.attributes.cluster[0]};
  };
  const CUgraphNode node = graph_.add(clustered(8, 4, 1));
  if (version() < 12040) {  // the way back would need the arguments
    EXPECT_EQ(set_kernel(graph_, node, clustered(6, 3, 2)), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_THAT(grid_and_cluster(node), ElementsAre(8U, 4U));
    return;
  }
  for (const auto& [blocks, cluster] :
       {std::pair{6U, 3U}, {1U, 1U}, {5U, 5U}, {10U, 5U}, {8U, 8U}}) {
    ASSERT_EQ(set_kernel(graph_, node, clustered(blocks, cluster, 2)), kOk) << last_error();
    EXPECT_THAT(grid_and_cluster(node), ElementsAre(blocks, cluster));
  }
  ASSERT_EQ(set_kernel(graph_, node, clustered(8, 4, 7)), kOk) << last_error();
  for (const char* function : {"cuGraphKernelNodeSetAttribute", "cuGraphKernelNodeSetParams"}) {
    std::size_t failed = 0;
    for (std::size_t nth = 1;; ++nth) {
      driver().fail_function(function, nth, CUDA_ERROR_OUT_OF_MEMORY);
      if (set_kernel(graph_, node, clustered(6, 3, 2)) == kOk) break;
      ++failed;
      KernelNode read;
      ASSERT_EQ(get_kernel(graph_, node, &read), kOk);
      EXPECT_THAT(grid_and_cluster(node), ElementsAre(8U, 4U)) << function << " " << nth;
      EXPECT_FALSE(read.attributes.cooperative);
      EXPECT_EQ(*static_cast<const int*>(read.arguments[0]), 7);
    }
    EXPECT_GE(failed, 1U) << function;
    driver().fail_function(function, 0, 0);
    ASSERT_EQ(set_kernel(graph_, node, clustered(8, 4, 7)), kOk) << last_error();
  }
}

// During a capture into the graph the driver removes no node: it stays, with its owners.
TEST_F(LaunchAttributesOfNodes, NodeThatStaysAfterAFailureKeepsItsOwners) {
  Watched owner;
  KernelNode node = kernel_node(kernel_, config(all()), 1);
  node.argument_owner = owner.take();
  Capture capture;
  ASSERT_EQ(Capture::begin_to_graph(static_cast<CUstream>(driver().new_stream()), graph_, {},
                                    CaptureMode::relaxed, &capture),
            kOk);
  driver().fail_function("cuGraphKernelNodeSetAttribute", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(add_kernel(graph_, {}, node, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  node.argument_owner = nullptr;
  EXPECT_TRUE(owner.alive());
  ASSERT_EQ(capture.end(), kOk) << last_error();
  EXPECT_EQ(graph_.nodes().size(), 1U);
  ASSERT_EQ(graph_.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(LaunchAttributesOfNodes, WrongClustersAreRefused) {
  LaunchAttributes wrong;
  for (const Dim3& cluster : {Dim3(3), Dim3(16), Dim3(1, 2), Dim3(0), Dim3(-1)}) {
    wrong.cluster = cluster;
    EXPECT_EQ(add_kernel(graph_, {}, kernel_node(kernel_, config(wrong), 1), nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(last_error(), HasSubstr("Every side of the grid must be a multiple"));
    EXPECT_EQ(launch_kernel(nullptr, kernel_node(kernel_, config(wrong), 1)),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(driver().live().nodes, 0U);
}

TEST_F(LaunchAttributesOfNodes, ExecKeepsThoseOfTheInstantiation) {
  const CUgraphNode node = graph_.add(kernel_, config(all()), 1);
  const CUgraphNode plain = graph_.add(kernel_, {8, 32}, 1);
  Exec exec = Exec::instantiate(graph_);
  EXPECT_EQ(exec.set_kernel(node, kernel_node(kernel_, config(all()), 2)), kOk) << last_error();
  EXPECT_EQ(exec.set_kernel(node, kernel_node(kernel_, {8, 32}, 2)), kOk) << last_error();
  EXPECT_EQ(exec.set_kernel(plain, kernel_node(kernel_, config(all()), 2)),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(last_error(), HasSubstr("the launch attribute \"cooperative\" differs"));
  LaunchAttributes other = all();
  other.cluster = {2, 1, 1};
  EXPECT_EQ(exec.set_kernel(node, kernel_node(kernel_, config(other), 2)),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(last_error(), HasSubstr("\"cluster\""));
}

TEST_F(LaunchAttributesOfNodes, ProgrammaticNodesHaveProgrammaticEdgesFromKernels) {
  LaunchAttributes early;
  early.programmatic = true;
  const CUgraphNode first = graph_.add(kernel_, {8, 32}, 1);
  const CUgraphNode empty = graph_.join();
  const CUgraphNode root = graph_.add(kernel_, config(early), 1);
  EXPECT_FALSE(of(root).programmatic) << "it depends on no kernel";
  if (version() < 12030) {
    EXPECT_EQ(add_kernel(graph_, {first}, kernel_node(kernel_, config(early), 1), nullptr),
              CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_THAT(last_error(), HasSubstr("needs a driver of CUDA 12.3"));
    EXPECT_EQ(graph_.nodes().size(), 3U);
    EXPECT_EQ(add_kernel(graph_, {empty}, kernel_node(kernel_, config(early), 1), nullptr), kOk)
        << "not after a kernel";
    return;
  }
  const CUgraphNode node = graph_.add({empty, first}, kernel_, config(early), 1);
  EXPECT_TRUE(of(node).programmatic);
  const std::vector<Edge> edges = graph_.edges();
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].from, empty);
  EXPECT_EQ(edges[0].type, 0);
  EXPECT_EQ(edges[1].from, first);
  EXPECT_EQ(edges[1].from_port, 1);
  EXPECT_EQ(edges[1].type, 1);
  driver().fail_function("cuGraphAddDependencies_v2", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(add_kernel(graph_, {first}, kernel_node(kernel_, config(early), 1), nullptr),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(graph_.nodes().size(), 4U);
}

// Old drivers; the fake says which it is when the process begins.
TEST_F(LaunchAttributesOfNodes, AttributeOfANewerDriverIsNotSupported) {
  if (version() >= 11080) {  // the fake without FAKE_DRIVER_VERSION
    EXPECT_EQ(add_kernel(graph_, {}, kernel_node(kernel_, config(all()), 1), nullptr), kOk);
    return;
  }
  LaunchAttributes cooperative;
  cooperative.cooperative = true;
  EXPECT_TRUE(of(graph_.add(kernel_, config(cooperative), 1)).cooperative);
  LaunchAttributes cluster;
  cluster.cluster = 2;
  EXPECT_EQ(add_kernel(graph_, {}, kernel_node(kernel_, config(cluster), 1), nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(last_error(), HasSubstr("a cluster of blocks needs a driver of CUDA 11.8 or later; "
                                      "this one is of CUDA 11.6"));
  LaunchAttributes first;
  first.priority = 0;
  EXPECT_EQ(add_kernel(graph_, {}, kernel_node(kernel_, config(first), 1), nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(last_error(), HasSubstr("the priority of a kernel needs a driver of CUDA 11.7"));
  EXPECT_EQ(launch_kernel(nullptr, kernel_node(kernel_, config(cooperative), 1)),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(last_error(), HasSubstr("cuLaunchKernelEx needs a driver of CUDA 11.8"));
  EXPECT_EQ(launch_kernel(nullptr, kernel_node(kernel_, {1, 32}, 1)), kOk) << last_error();
}

class LaunchOnStream : public OnFakeDriver {
 protected:
  Kernel kernel_ = Kernel::load("image", "takes_8_4");
  CUstream stream_ = static_cast<CUstream>(driver().new_stream());

  void TearDown() override {
    kernel_ = Kernel();
    OnFakeDriver::TearDown();
  }
};

TEST_F(LaunchOnStream, TypedArguments) {
  const Buffer memory = Buffer::allocate(64);
  launch(stream_, kernel_, {{4, 2}, {32, 2, 2}, 16}, memory, 7);
  const fake::LaunchedKernel is = driver().last_launch();
  EXPECT_THAT(is.grid, ElementsAre(4U, 2U, 1U));
  EXPECT_THAT(is.block, ElementsAre(32U, 2U, 2U));
  EXPECT_EQ(is.shared_bytes, 16U);
  EXPECT_EQ(*static_cast<const CUdeviceptr*>(driver().argument(nullptr, is.node, 0)),
            memory.address());
  EXPECT_EQ(*static_cast<const int*>(driver().argument(nullptr, is.node, 1)), 7);
  EXPECT_EQ(driver().calls("cuLaunchKernelEx"), 0U);
  EXPECT_EQ(memory.allocation().use_count(), 1) << "a launch keeps no owner";
}

TEST_F(LaunchOnStream, Attributes) {
  LaunchAttributes attributes = all();
  attributes.programmatic = true;
  launch(stream_, kernel_, config(attributes), nullptr, 7);
  const fake::LaunchedKernel is = driver().last_launch();
  EXPECT_THAT(is.cluster, ElementsAre(4U, 1U, 1U));
  EXPECT_EQ(is.cooperative, 1);
  EXPECT_EQ(is.priority, -2);
  EXPECT_EQ(is.programmatic, 1);
  attributes = LaunchAttributes();
  attributes.priority = 0;
  launch(stream_, kernel_, config(attributes), nullptr, 7);
  EXPECT_EQ(driver().calls("cuLaunchKernelEx"), 2U) << "0 is not the stream's priority";
}

TEST_F(LaunchOnStream, WrongArgumentsAreRefusedBeforeTheDriver) {
  const std::size_t before = driver().calls("cuLaunchKernel");
  EXPECT_EQ(launch_kernel(stream_, kernel_node(kernel_, {1, 32}, nullptr, 1.0)),
            CUDA_ERROR_INVALID_VALUE);
  if (version() >= 12040) {
    EXPECT_THAT(last_error(), HasSubstr("kernel argument 1: a value of 8 bytes"));
  }
  EXPECT_EQ(launch_kernel(stream_, kernel_node(kernel_, {0, 32}, nullptr, 1)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch_kernel(stream_, kernel_node(kernel_, {1, 32}, Buffer(), 1)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch_kernel(stream_, KernelNode()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().calls("cuLaunchKernel"), before);
  driver().fail_function("cuLaunchKernel", 1, CUDA_ERROR_OUT_OF_MEMORY);
  try {
    launch(stream_, kernel_, {1, 32}, nullptr, 1);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(error.what(), HasSubstr("cuLaunchKernel: "));
  }
}

// In a capture, the captured node keeps the owners.
TEST_F(LaunchOnStream, CapturedLaunchKeepsItsOwners) {
  Watched owner;
  Exec exec;
  {
    Capture capture;
    ASSERT_EQ(Capture::begin(stream_, CaptureMode::relaxed, &capture), kOk) << last_error();
    LaunchAttributes early;
    early.programmatic = true;
    ASSERT_EQ(capture.launch(kernel_node(kernel_, {1, 32}, with_owner(nullptr, owner.take()), 1)),
              kOk)
        << last_error();
    ASSERT_EQ(capture.launch(kernel_node(kernel_, config(early), nullptr, 2)), kOk);
    EXPECT_EQ(capture.launch(kernel_node(kernel_, {0, 32}, nullptr, 2)), CUDA_ERROR_INVALID_VALUE);
    Graph made;
    ASSERT_EQ(capture.end(&made), kOk) << last_error();
    ASSERT_EQ(made.nodes().size(), 2U);
    EXPECT_EQ(made.edges().front().type, 1);
    EXPECT_NE(graph_get_owner(made, made.nodes().front(), OwnerRole::arguments), nullptr);
    kernel_ = Kernel();
    ASSERT_EQ(Exec::instantiate(made, &exec), kOk);
  }
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(driver().live().modules, 1U);
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
  EXPECT_EQ(Capture().launch(KernelNode()), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchOnStream, FailureAfterTheCapturedNodeKeepsTheOwners) {
  Watched owner;
  Graph made;
  Capture capture;
  ASSERT_EQ(Capture::begin(stream_, CaptureMode::relaxed, &capture), kOk);
  driver().capture_then_fail(CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(capture.launch(kernel_node(kernel_, {1, 32}, with_owner(nullptr, owner.take()), 1)),
            CUDA_ERROR_UNKNOWN);
  driver().capture_then_fail(0);
  ASSERT_EQ(capture.end(&made), kOk);
  EXPECT_TRUE(owner.alive());
  ASSERT_EQ(made.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

}  // namespace
}  // namespace anycuda::graph
