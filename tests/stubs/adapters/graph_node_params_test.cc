// SPDX-License-Identifier: Apache-2.0

// Parameters of nodes of any type, set and read by one function, on runtimes with a function per
// type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/node_kinds.h"
#include "tests/support/case_names.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;
using DriverParams = driver::CUgraphNodeParams_st;
using DriverKernel = driver::CUDA_KERNEL_NODE_PARAMS_v2_st;

const Node kNode = handle<Node>(40);
const Exec kExec = handle<Exec>(41);
const auto kContext = handle<driver::CUcontext>(60);
unsigned type_in_graph;
std::string driver_got;
DriverKernel kernel_got;

unsigned get_type(Node node, unsigned* type) {
  if (node == nullptr) return 1;
  return *type = type_in_graph, 0;
}
unsigned set_by_driver(Node, DriverParams* params) {
  driver_got = "node " + bytes_of(*params);
  if (params->type == 10) params->alloc.dptr = 99 * 16;
  return node_answer;
}
unsigned set_exec_by_driver(Exec, Node, DriverParams* params) {
  driver_got = "exec " + bytes_of(*params);
  return node_answer;
}
unsigned get_kernel_of_driver(Node, DriverKernel* params) {
  *params = kernel_got;
  return node_answer;
}

class NodeParameters : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    node_call = {};
    node_answer = 0;
    driver_got = "";
    for (const Kind& kind : kKinds) kind.fake_all(kind);
    fake_driver("cuGraphNodeGetType", get_type);
    fake_driver(
        "cuCtxGetCurrent", +[](driver::CUcontext* to) -> unsigned { return *to = kContext, 0; });
    fake(
        "cudaGetFuncBySymbol", +[](v11::cudaFunction_t*, const void*) -> unsigned { return 98; });
  }
};

class ParametersOf : public NodeParameters, public ::testing::WithParamInterface<Kind> {};

TEST_P(ParametersOf, AreSetByTheTypesRuntimeFunctionOrTheDriver) {
  fake_driver("cuGraphNodeSetParams", set_by_driver);
  const Kind& kind = GetParam();
  NodeParams params = filled(kind);
  ASSERT_EQ(adapt_graph_node_set_of_13(kNode, &params), 0U);
  if (kind.set == nullptr) {
    EXPECT_EQ(driver_got, "node " + bytes_of(filled(kind)));
    EXPECT_EQ(node_call.times, 0);
  } else {
    EXPECT_EQ(node_call.function, kind.set);
    EXPECT_EQ(node_call.node, kNode);
    EXPECT_EQ(given(kind), kind.sample());
  }
  params = filled(kind);
  EXPECT_EQ(adapt_graph_node_set(kNode, view<v12::cudaGraphNodeParams>(&params)), 0U);
  EXPECT_EQ(node_call.times, kind.set == nullptr ? 0 : 2);
}

TEST_P(ParametersOf, AreSetInExecutableGraphsTheSame) {
  fake_driver("cuGraphExecNodeSetParams", set_exec_by_driver);
  const Kind& kind = GetParam();
  NodeParams params = filled(kind);
  ASSERT_EQ(adapt_graph_exec_node_set_of_13(kExec, kNode, &params), 0U);
  if (kind.set_exec == nullptr) {
    EXPECT_EQ(driver_got, "exec " + bytes_of(filled(kind)));
  } else {
    EXPECT_EQ(node_call.function, kind.set_exec);
    EXPECT_EQ(node_call.exec, kExec);
    EXPECT_EQ(node_call.node, kNode);
    EXPECT_EQ(given(kind), kind.sample());
  }
  EXPECT_EQ(adapt_graph_exec_node_set(kExec, kNode, view<v12::cudaGraphNodeParams>(&params)), 0U);
}

TEST_P(ParametersOf, ErrorsPass) {
  fake_driver("cuGraphNodeSetParams", set_by_driver);
  fake_driver("cuGraphExecNodeSetParams", set_exec_by_driver);
  node_answer = 1;
  NodeParams params = filled(GetParam());
  EXPECT_EQ(adapt_graph_node_set_of_13(kNode, &params), 1U);
  EXPECT_EQ(adapt_graph_exec_node_set_of_13(nullptr, kNode, &params), 1U);
  EXPECT_EQ(bytes_of(params), bytes_of(filled(GetParam())));
}

TEST_P(ParametersOf, UseTheFunctionsOf12IfPresent) {
  static std::string got;
  fake(
      "cudaGraphNodeSetParams", +[](Node, v12::cudaGraphNodeParams* params) -> unsigned {
        return got = bytes_of(*params), 0;
      });
  fake(
      "cudaGraphExecNodeSetParams", +[](Exec, Node, v12::cudaGraphNodeParams* params) -> unsigned {
        return got = "exec" + bytes_of(*params), 0;
      });
  NodeParams params = filled(GetParam());
  EXPECT_EQ(adapt_graph_node_set_of_13(kNode, &params), 0U);
  EXPECT_EQ(got, bytes_of(params));
  EXPECT_EQ(adapt_graph_exec_node_set_of_13(kExec, kNode, &params), 0U);
  EXPECT_EQ(got, "exec" + bytes_of(params));
  EXPECT_EQ(node_call.times, 0);
}

TEST_P(ParametersOf, AreReadByTheTypesRuntimeFunction) {
  const Kind& kind = GetParam();
  type_in_graph = kind.type;
  Guarded<NodeParams> params;
  ASSERT_EQ(adapt_graph_node_get(kNode, params.get()), 0U);
  NodeParams wanted = filled(kind);
  if (kind.type == 0) wanted.kernel.functionType = v13::cudaKernelFunctionTypeDeviceEntry;
  if (kind.type == 4) {
    wanted.graph.ownership =
        static_cast<decltype(wanted.graph.ownership)>(v13::cudaGraphChildGraphOwnershipInvalid);
  }
  EXPECT_EQ(bytes_of(*params), bytes_of(wanted));
  EXPECT_TRUE(params.intact());
}

TEST_P(ParametersOf, FailedGet_LeavesTheOutputUntouched) {
  if (GetParam().get == nullptr) return;  // an empty node has none that could fail
  type_in_graph = GetParam().type;
  node_answer = 400;
  Guarded<NodeParams> params;
  EXPECT_EQ(adapt_graph_node_get(kNode, params.get()), 400U);
  EXPECT_TRUE(params.untouched());
}

INSTANTIATE_TEST_SUITE_P(All, ParametersOf, ::testing::ValuesIn(kKinds), test::kPrintedName);

TEST_F(NodeParameters, NoneAreInvalid) {
  EXPECT_EQ(adapt_graph_node_set_of_13(kNode, nullptr), 1U);
  EXPECT_EQ(adapt_graph_exec_node_set_of_13(kExec, kNode, nullptr), 1U);
  EXPECT_EQ(adapt_graph_node_get(kNode, nullptr), 1U);
  EXPECT_EQ(remembered(), 1U);
  Guarded<NodeParams> params;
  EXPECT_EQ(adapt_graph_node_get(nullptr, params.get()), 1U);
  EXPECT_TRUE(params.untouched());
}

TEST_F(NodeParameters, AnOlderDriverSetsNoneOfSuchTypes) {
  NodeParams params = filled(kKinds[5]);
  EXPECT_EQ(adapt_graph_node_set_of_13(kNode, &params), 801U);
  EXPECT_EQ(adapt_graph_exec_node_set_of_13(kExec, kNode, &params), 801U);
  const std::string reason =
      ": setting the parameters of nodes of this type needs a driver of CUDA 12.2 or later";
  EXPECT_THAT(refused(), ElementsAre("cudaGraphNodeSetParams" + reason,
                                     "cudaGraphExecNodeSetParams" + reason));
}

TEST_F(NodeParameters, AConditionalNodesAreSetInTheThreadsContext) {
  fake_driver("cuGraphNodeSetParams", set_by_driver);
  NodeParams params{};
  params.type = v13::cudaGraphNodeTypeConditional;
  ASSERT_EQ(adapt_graph_node_set_of_13(kNode, &params), 0U);
  DriverParams got;
  std::memcpy(&got, driver_got.data() + 5, sizeof got);
  EXPECT_EQ(got.conditional.ctx, kContext);
  EXPECT_EQ(params.conditional.ctx, nullptr);
}

TEST_F(NodeParameters, AKernelOfTheDriversIsSetByTheDriver) {
  fake_driver(
      "cuGraphKernelNodeSetParams_v2",
      +[](Node, const DriverKernel* got) -> unsigned { return kernel_got = *got, 0; });
  fake_driver(
      "cuGraphExecKernelNodeSetParams_v2", +[](Exec, Node, const DriverKernel* got) -> unsigned {
        kernel_got = *got;
        return 910;
      });
  NodeParams params = filled(kKinds[0]);
  params.kernel.functionType = v13::cudaKernelFunctionTypeKernel;
  ASSERT_EQ(adapt_graph_node_set_of_13(kNode, &params), 0U);
  EXPECT_EQ(kernel_got.kern, handle<driver::CUkernel>(1));
  params.kernel.functionType = v13::cudaKernelFunctionTypeFunction;
  EXPECT_EQ(adapt_graph_exec_node_set_of_13(kExec, kNode, &params), 910U);
  EXPECT_EQ(kernel_got.func, handle<driver::CUfunction>(1));
  EXPECT_EQ(remembered(), 910U);
}

TEST_F(NodeParameters, KernelUnknownToTheRuntimeGoesToTheDriver) {
  fake(
      "cudaGraphKernelNodeGetParams", +[](Node, v11::cudaKernelNodeParams*) -> unsigned {
        set_library_error(98);
        return 98;
      });
  type_in_graph = 0;
  Guarded<NodeParams> params;
  EXPECT_EQ(adapt_graph_node_get(kNode, params.get()), 98U) << "an older driver";
  EXPECT_TRUE(params.untouched());
  fake_driver("cuGraphKernelNodeGetParams_v2", get_kernel_of_driver);
  kernel_got = {nullptr,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                handle<void**>(9),
                handle<void**>(10),
                handle<driver::CUkernel>(1),
                kContext};
  set_library_error(7);
  ASSERT_EQ(adapt_graph_node_get(kNode, params.get()), 0U);
  NodeParams wanted = filled(kKinds[0]);
  wanted.kernel.functionType = v13::cudaKernelFunctionTypeKernel;
  EXPECT_EQ(bytes_of(*params), bytes_of(wanted));
  EXPECT_EQ(library_error(), 7U);
  kernel_got.kern = nullptr;
  kernel_got.func = handle<driver::CUfunction>(1);
  ASSERT_EQ(adapt_graph_node_get(kNode, params.get()), 0U);
  wanted.kernel.functionType = v13::cudaKernelFunctionTypeFunction;
  EXPECT_EQ(bytes_of(*params), bytes_of(wanted));
}

TEST_F(NodeParameters, ConditionalNode_NewDriverIsQueried) {
  type_in_graph = driver::CU_GRAPH_NODE_TYPE_CONDITIONAL;
  Guarded<NodeParams> params;
  EXPECT_EQ(adapt_graph_node_get(kNode, params.get()), 801U);
  EXPECT_THAT(refused(), ElementsAre("cudaGraphNodeGetParams: a conditional node's parameters need "
                                     "a driver of CUDA 13.2 or later"));
  EXPECT_TRUE(params.untouched());
  fake_driver(
      "cuGraphNodeGetParams", +[](Node, DriverParams* to) -> unsigned {
        to->conditional = {1UL << 40, 1, 2, handle<Graph*>(3), kContext};
        return 0;
      });
  ASSERT_EQ(adapt_graph_node_get(kNode, params.get()), 0U);
  EXPECT_EQ(params->type, 13U);
  EXPECT_EQ(params->conditional.handle, 1ULL << 40);
  EXPECT_EQ(params->conditional.type, 1U);
  EXPECT_EQ(params->conditional.size, 2U);
  EXPECT_EQ(params->conditional.phGraph_out, handle<Graph*>(3));
  EXPECT_EQ(params->conditional.ctx, nullptr);
}

TEST_F(NodeParameters, UnknownTypesAreRefused) {
  type_in_graph = 12;
  Guarded<NodeParams> params;
  EXPECT_EQ(adapt_graph_node_get(kNode, params.get()), 801U);
  EXPECT_THAT(refused(), ElementsAre("cudaGraphNodeGetParams: this runtime does not know the "
                                     "parameters of nodes of this type"));
  EXPECT_TRUE(params.untouched());
}

TEST_F(NodeParameters, TheTypeIsTheDriversAsFarAs13NamesIt) {
  for (unsigned type = 0; type < 20; ++type) {
    type_in_graph = type;
    Guarded<unsigned> got;
    const bool named = type < 12 || type == 13 || type == 14 || type == 16 || type == 17;
    EXPECT_EQ(adapt_graph_node_type(kNode, got.get()), named ? 0U : 999U) << type;
    EXPECT_TRUE(got.intact());
    EXPECT_TRUE(named ? *got == type : got.untouched()) << type;
  }
  EXPECT_EQ(remembered(), 999U);
  EXPECT_EQ(adapt_graph_node_type(kNode, nullptr), 1U);
  Guarded<unsigned> got;
  EXPECT_EQ(adapt_graph_node_type(nullptr, got.get()), 1U);
  EXPECT_TRUE(got.untouched());
}

}  // namespace
}  // namespace anycuda
