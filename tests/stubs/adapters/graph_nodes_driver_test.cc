// SPDX-License-Identifier: Apache-2.0

// Additions of nodes that the driver must make because the runtime is too old: conditional nodes,
// graphs given away, kernels by the driver's handles, edge data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/node_kinds.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;
using Data = v13::cudaGraphEdgeData;
using DriverParams = driver::CUgraphNodeParams_st;
using DriverKernel = driver::CUDA_KERNEL_NODE_PARAMS_v2_st;

const Node kBefore[] = {handle<Node>(50), handle<Node>(51)};
const Data kEdges[] = {{}, {1, 0, 1, {}}};
const auto kContext = handle<driver::CUcontext>(60);
Graph bodies[] = {handle<Graph>(61)};

driver::CUcontext current;
DriverParams driver_got;
const void* driver_data;
std::string linked;
unsigned link_answer;
Node destroyed;
DriverKernel kernel_got;

unsigned get_context(driver::CUcontext* context) { return *context = current, 0; }
unsigned make_context(void*) { return current = kContext, 0; }
unsigned add_by_driver(Node* node, Graph, const Node*, const driver::CUgraphEdgeData_st* data,
                       std::size_t, DriverParams* params) {
  driver_got = *params;
  driver_data = data;
  if (node_answer != 0) return node_answer;
  if (params->type == driver::CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    params->conditional.phGraph_out = bodies;
  }
  *node = handle<Node>(79);
  return 0;
}
unsigned link(Graph, const Node* from, const Node* to, const driver::CUgraphEdgeData_st* data,
              std::size_t count) {
  linked += std::to_string(reinterpret_cast<std::size_t>(*from) / 16) + ">" +
            std::to_string(reinterpret_cast<std::size_t>(*to) / 16) + ":" +
            std::to_string(data->type) + "x" + std::to_string(count) + " ";
  return data->type == 0 ? 0 : link_answer;
}
unsigned destroy(Node node) { return destroyed = node, 0; }
// The program has one kernel, at 1.
unsigned get_function(v11::cudaFunction_t* function, const void* symbol) {
  if (symbol != handle<void*>(1)) {
    set_library_error(98);
    return 98;
  }
  return *function = handle<v11::cudaFunction_t>(30), 0;
}
unsigned add_kernel(Node* node, Graph, const Node* before, std::size_t count,
                    const DriverKernel* params) {
  node_call = {node_call.times + 1, "driver", nullptr, nullptr, nullptr, before, count, ""};
  kernel_got = *params;
  if (node_answer == 0) *node = handle<Node>(80);
  return node_answer;
}

class DriverNode : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    node_call = {};
    node_answer = 0;
    current = kContext;
    driver_got = {};
    driver_data = nullptr;
    linked = "";
    link_answer = 0;
    destroyed = nullptr;
    kernel_got = {};
    for (const Kind& kind : kKinds) kind.fake_all(kind);
    fake("cudaFree", make_context);
    fake("cudaGraphDestroyNode", destroy);
    fake("cudaGetFuncBySymbol", get_function);
    fake_driver("cuCtxGetCurrent", get_context);
  }
  unsigned add(NodeParams* params, const Data* data = nullptr) {
    return adapt_graph_add_node_of_13(node.get(), handle<Graph>(3), kBefore, data, 2, params);
  }
  Guarded<Node> node;
};

NodeParams conditional() {
  NodeParams params{};
  params.type = v13::cudaGraphNodeTypeConditional;
  params.conditional.handle = 1ULL << 40;
  params.conditional.type = 1;
  params.conditional.size = 1;
  return params;
}

TEST_F(DriverNode, AConditionalNodeIsMadeInTheThreadsContext) {
  fake_driver("cuGraphAddNode_v2", add_by_driver);
  Guarded<NodeParams> params;
  *params = conditional();
  ASSERT_EQ(add(params.get(), kEdges), 0U);
  EXPECT_EQ(driver_got.type, 13U);
  EXPECT_EQ(driver_got.conditional.handle, 1UL << 40);
  EXPECT_EQ(driver_got.conditional.type, 1U);
  EXPECT_EQ(driver_got.conditional.size, 1U);
  EXPECT_EQ(driver_got.conditional.ctx, kContext);
  EXPECT_EQ(driver_data, kEdges);
  EXPECT_EQ(params->conditional.phGraph_out, bodies);
  EXPECT_EQ(params->conditional.ctx, nullptr) << "the caller named none";
  EXPECT_EQ(*node, handle<Node>(79));
  EXPECT_TRUE(node.intact() && params.intact());
}

TEST_F(DriverNode, AContextIsMadeIfTheThreadHasNone) {
  fake_driver("cuGraphAddNode_v2", add_by_driver);
  current = nullptr;
  NodeParams params = conditional();
  ASSERT_EQ(add(&params), 0U);
  EXPECT_EQ(driver_got.conditional.ctx, kContext);
}

TEST_F(DriverNode, DriverErrorIsRememberedWithoutOutput) {
  fake_driver("cuGraphAddNode_v2", add_by_driver);
  node_answer = 801;
  NodeParams params = conditional();
  EXPECT_EQ(add(&params), 801U);
  EXPECT_EQ(remembered(), 801U);
  EXPECT_TRUE(node.untouched());
  EXPECT_EQ(params.conditional.phGraph_out, nullptr);
}

TEST_F(DriverNode, AnOlderDriverHasNoConditionalNodes) {
  NodeParams params = conditional();
  EXPECT_EQ(add(&params), 801U);
  EXPECT_THAT(
      refused(),
      ElementsAre("cudaGraphAddNode: a conditional node needs a driver of CUDA 12.3 or later"));
}

TEST_F(DriverNode, AnOlderDriverMovesNoGraphIntoItsNode) {
  NodeParams params = filled(kKinds[4]);
  params.graph.ownership = 1;
  EXPECT_EQ(add(&params), 801U);
  EXPECT_THAT(refused(), ElementsAre("cudaGraphAddNode: a child graph that moves into its node "
                                     "needs a driver of CUDA 12.9 or later"));
}

TEST_F(DriverNode, AGraphIsGivenAwayByTheDriver) {
  fake_driver("cuGraphAddNode_v2", add_by_driver);
  NodeParams params = filled(kKinds[4]);
  params.graph.ownership = 1;
  ASSERT_EQ(add(&params), 0U);
  EXPECT_EQ(driver_got.type, 4U);
  EXPECT_EQ(driver_got.graph.graph, handle<Graph>(1));
  EXPECT_EQ(static_cast<int>(driver_got.graph.ownership), 1);
  EXPECT_EQ(node_call.times, 0);
}

TEST_F(DriverNode, EdgeDataIsGivenAfterTheNode) {
  fake_driver("cuGraphAddDependencies_v2", link);
  for (const Kind& kind : kKinds) {
    if (kind.type == 10 || kind.type == 11) continue;
    linked = "";
    NodeParams params = filled(kind);
    ASSERT_EQ(add(&params, kEdges), 0U) << kind.name;
    EXPECT_EQ(node_call.function, kind.add);
    EXPECT_EQ(node_call.count, 0U);
    EXPECT_EQ(linked, "50>77:0x1 51>77:1x1 ");
    EXPECT_EQ(*node, handle<Node>(77));
  }
  EXPECT_EQ(destroyed, nullptr);
}

TEST_F(DriverNode, NodeWithRefusedEdgesIsRemoved) {
  fake_driver("cuGraphAddDependencies_v2", link);
  link_answer = 1;
  NodeParams params = filled(kKinds[0]);
  EXPECT_EQ(add(&params, kEdges), 1U);
  EXPECT_EQ(destroyed, handle<Node>(77));
  EXPECT_EQ(remembered(), 1U);
  EXPECT_TRUE(node.untouched());
}

TEST_F(DriverNode, NodeThatCannotBeRemovedGetsNoEdgeData) {
  fake_driver("cuGraphAddDependencies_v2", link);
  for (const int type : {10, 11}) {
    NodeParams params = filled(kKinds[type]);
    EXPECT_EQ(add(&params, kEdges), 801U);
  }
  EXPECT_EQ(node_call.times, 0);
  const char* const reason =
      "cudaGraphAddNode: this runtime has no edge data for nodes that allocate or free memory";
  EXPECT_THAT(refused(), ElementsAre(reason, reason));
}

TEST_F(DriverNode, AnOlderDriverHasNoEdgeData) {
  NodeParams params = filled(kKinds[0]);
  EXPECT_EQ(add(&params, kEdges), 801U);
  EXPECT_EQ(node_call.times, 0);
  EXPECT_THAT(
      refused(),
      ElementsAre("cudaGraphAddNode: non-zero edge data needs a driver of CUDA 12.3 or later"));
}

TEST_F(DriverNode, EdgeDataWithoutOutputsOrNodes_IsInvalid) {
  fake_driver("cuGraphAddDependencies_v2", link);
  NodeParams params = filled(kKinds[0]);
  EXPECT_EQ(adapt_graph_add_node_of_13(nullptr, nullptr, kBefore, kEdges, 2, &params), 1U);
  EXPECT_EQ(adapt_graph_add_node_of_13(node.get(), nullptr, nullptr, kEdges, 2, &params), 1U);
  EXPECT_EQ(node_call.times, 0);
}

TEST_F(DriverNode, DriverKernelGoesToTheDriver) {
  fake_driver("cuGraphAddKernelNode_v2", add_kernel);
  for (const unsigned type : {2U, 3U}) {
    NodeParams params = filled(kKinds[0]);
    params.kernel.func = handle<void*>(20);
    params.kernel.functionType = type;
    set_library_error(7);
    ASSERT_EQ(add(&params), 0U);
    EXPECT_EQ(kernel_got.kern, type == 2 ? handle<driver::CUkernel>(20) : nullptr);
    EXPECT_EQ(kernel_got.func, type == 3 ? handle<driver::CUfunction>(20) : nullptr);
    EXPECT_EQ(kernel_got.gridDimX, 2U);
    EXPECT_EQ(kernel_got.gridDimY, 3U);
    EXPECT_EQ(kernel_got.gridDimZ, 4U);
    EXPECT_EQ(kernel_got.blockDimX, 5U);
    EXPECT_EQ(kernel_got.blockDimY, 6U);
    EXPECT_EQ(kernel_got.blockDimZ, 7U);
    EXPECT_EQ(kernel_got.sharedMemBytes, 8U);
    EXPECT_EQ(kernel_got.kernelParams, handle<void**>(9));
    EXPECT_EQ(kernel_got.extra, handle<void**>(10));
    EXPECT_EQ(kernel_got.ctx, nullptr);
    EXPECT_EQ(node_call.dependencies, kBefore);
    EXPECT_EQ(*node, handle<Node>(80));
    EXPECT_EQ(params.kernel.functionType, type) << "the caller's";
    EXPECT_EQ(library_error(), 7U) << "asking what the handle is leaves no error behind";
  }
}

TEST_F(DriverNode, DriverKernelGoesToTheDriverOn12Too) {
  fake_driver("cuGraphAddKernelNode_v2", add_kernel);
  fake(
      "cudaGraphAddNode_v2",
      +[](Node*, Graph, const Node*, const Data*, std::size_t,
          v12::cudaGraphNodeParams*) -> unsigned { return 1; });
  NodeParams params = filled(kKinds[0]);
  params.kernel.functionType = v13::cudaKernelFunctionTypeFunction;
  EXPECT_EQ(add(&params), 0U);
}

TEST_F(DriverNode, ProgramKernelGoesToTheRuntime) {
  for (const unsigned type : {0U, 1U, 2U}) {
    NodeParams params = filled(kKinds[0]);
    params.kernel.functionType = type;
    ASSERT_EQ(add(&params), 0U);
    EXPECT_EQ(node_call.function, "cudaGraphAddKernelNode");
    EXPECT_EQ(given(kKinds[0]), kKinds[0].sample());
  }
}

TEST_F(DriverNode, HandlesOfConditionalNodesAreTheDrivers) {
  fake_driver(
      "cuGraphConditionalHandleCreate",
      +[](unsigned long* made, Graph graph, driver::CUcontext context, unsigned value,
          unsigned flags) -> unsigned {
        EXPECT_EQ(context, kContext);
        if (graph == nullptr) return 1;
        return *made = 1UL << 40 | value << 4 | flags, 0;
      });
  Guarded<unsigned long long> made;
  current = nullptr;
  EXPECT_EQ(adapt_graph_conditional_handle(made.get(), handle<Graph>(3), 2, 1), 0U);
  EXPECT_EQ(*made, (1ULL << 40) + 0x21);
  EXPECT_EQ(adapt_graph_conditional_handle_v2(made.get(), handle<Graph>(3), nullptr, 3, 0), 0U);
  EXPECT_EQ(*made, (1ULL << 40) + 0x30);
  EXPECT_EQ(adapt_graph_conditional_handle(made.get(), nullptr, 2, 1), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(adapt_graph_conditional_handle_v2(made.get(), handle<Graph>(3),
                                              handle<v13::cudaExecutionContext_t>(5), 3, 0),
            801U);
  EXPECT_THAT(
      refused(),
      ElementsAre("cudaGraphConditionalHandleCreate_v2: this runtime has no execution contexts"));
  EXPECT_EQ(*made, (1ULL << 40) + 0x30);
  EXPECT_TRUE(made.intact());
}

TEST_F(DriverNode, WithoutTheDriversFunctionHandlesAreAbsent) {
  Guarded<unsigned long long> made;
  EXPECT_EQ(adapt_graph_conditional_handle(made.get(), handle<Graph>(3), 2, 1), 302U);
  EXPECT_TRUE(made.untouched());
}

}  // namespace
}  // namespace anycuda
