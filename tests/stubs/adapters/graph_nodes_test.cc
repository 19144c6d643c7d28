// SPDX-License-Identifier: Apache-2.0

// Nodes of any type added by one function, on runtimes with a function per type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/node_kinds.h"
#include "tests/support/case_names.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;
using Data = v13::cudaGraphEdgeData;

const Node kBefore[] = {handle<Node>(50), handle<Node>(51)};

class AddNode : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    node_call = {};
    node_answer = 0;
    for (const Kind& kind : kKinds) kind.fake_all(kind);
  }
  unsigned add(NodeParams* params, const Data* data = nullptr, std::size_t count = 2) {
    return adapt_graph_add_node_of_13(node.get(), handle<Graph>(3), kBefore, data, count, params);
  }
  Guarded<Node> node;
};

class AddNodeOf : public AddNode, public ::testing::WithParamInterface<Kind> {};

TEST_P(AddNodeOf, GoesToTheRuntimesFunctionForTheType) {
  const Kind& kind = GetParam();
  Guarded<NodeParams> params;
  *params = filled(kind);
  ASSERT_EQ(add(params.get()), 0U);
  EXPECT_EQ(node_call.function, kind.add);
  EXPECT_EQ(node_call.graph, handle<Graph>(3));
  EXPECT_EQ(node_call.dependencies, kBefore);
  EXPECT_EQ(node_call.count, 2U);
  EXPECT_EQ(given(kind), kind.sample());
  EXPECT_EQ(*node, handle<Node>(77));
  EXPECT_TRUE(node.intact() && params.intact());
}

TEST_P(AddNodeOf, TakesTheStructOf12TheSame) {
  const Kind& kind = GetParam();
  NodeParams params = filled(kind);
  auto* of_12 = view<v12::cudaGraphNodeParams>(&params);
  ASSERT_EQ(adapt_graph_add_node(node.get(), handle<Graph>(3), kBefore, 1, of_12), 0U);
  EXPECT_EQ(given(kind), kind.sample());
  EXPECT_EQ(node_call.count, 1U);
  const Data none[2] = {};
  ASSERT_EQ(adapt_graph_add_node_v2(node.get(), handle<Graph>(3), kBefore, none, 2, of_12), 0U);
  EXPECT_EQ(node_call.times, 2);
  EXPECT_EQ(node_call.count, 2U);
}

TEST_P(AddNodeOf, PassesAnErrorAndLeavesTheOutputsUntouched) {
  node_answer = 1;
  NodeParams params = filled(GetParam());
  const std::string before = bytes_of(params);
  EXPECT_EQ(add(&params), 1U);
  EXPECT_TRUE(node.untouched());
  EXPECT_EQ(bytes_of(params), before);
}

TEST_P(AddNodeOf, RefusesUnknownBytes) {
  NodeParams params = filled(GetParam());
  params.reserved2 = 1;
  EXPECT_EQ(add(&params), 1U);
  params = filled(GetParam());
  params.reserved0[2] = 1;
  EXPECT_EQ(add(&params), 1U);
  EXPECT_EQ(node_call.times, 0);
  const char* const reason =
      "cudaGraphAddNode: the unused bytes of the node parameters must be zero";
  EXPECT_THAT(refused(), ElementsAre(reason, reason));
}

TEST_P(AddNodeOf, UsesTheFunctionOf12IfPresent) {
  static std::string got;
  fake(
      "cudaGraphAddNode_v2",
      +[](Node* made, Graph, const Node*, const Data* data, std::size_t,
          v12::cudaGraphNodeParams* params) -> unsigned {
        got = bytes_of(*params);
        *made = handle<Node>(78);
        return data != nullptr ? 0 : 1;
      });
  NodeParams params = filled(GetParam());
  const Data data[] = {{1, 0, 1, {}}, {}};
  ASSERT_EQ(add(&params, data), 0U);
  EXPECT_EQ(*node, handle<Node>(78));
  EXPECT_EQ(got, bytes_of(params));
  EXPECT_EQ(node_call.times, 0);
}

INSTANTIATE_TEST_SUITE_P(All, AddNodeOf, ::testing::ValuesIn(kKinds), test::kPrintedName);

TEST_F(AddNode, AnAllocationsAddressComesBack) {
  NodeParams params = filled(kKinds[10]);
  ASSERT_EQ(add(&params), 0U);
  EXPECT_EQ(params.alloc.dptr, handle<void*>(99));
}

TEST_F(AddNode, NoParametersAndUnknownTypesAreInvalid) {
  EXPECT_EQ(add(nullptr), 1U);
  NodeParams params{};
  for (const unsigned type : {12U, 15U, 16U, 17U, 99U}) {
    params.type = type;
    EXPECT_EQ(add(&params), 1U) << type;
  }
  EXPECT_EQ(remembered(), 1U);
  EXPECT_TRUE(node.untouched());
}

TEST_F(AddNode, FieldsOnlyOf13_AreRefused) {
  const auto context = handle<v13::cudaExecutionContext_t>(5);
  NodeParams params = filled(kKinds[0]);
  params.kernel.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[1]);
  params.memcpy.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[2]);
  params.memset.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[3]);
  params.host.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[7]);
  params.eventRecord.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[8]);
  params.extSemSignal.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[9]);
  params.extSemWait.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = {};
  params.type = v13::cudaGraphNodeTypeConditional;
  params.conditional.ctx = context;
  EXPECT_EQ(add(&params), 801U);
  params = {};
  params.type = v13::cudaGraphNodeTypeMemcpyBatch;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[3]);
  params.host.syncMode = 2;
  EXPECT_EQ(add(&params), 801U);
  params = filled(kKinds[0]);
  params.kernel.functionType = 4;
  EXPECT_EQ(add(&params), 801U);
  std::vector<std::string> reasons(8, "cudaGraphAddNode: this runtime has no execution contexts");
  reasons.emplace_back("cudaGraphAddNode: this runtime has no batch copy nodes");
  reasons.emplace_back("cudaGraphAddNode: the syncMode of the host node has an unknown value");
  reasons.emplace_back(
      "cudaGraphAddNode: the functionType of the kernel node has an unknown value");
  EXPECT_EQ(refused(), reasons);
  EXPECT_EQ(node_call.times, 0);
  EXPECT_TRUE(node.untouched());
}

TEST_F(AddNode, FlagsOfACopyAreUnknownBytes) {
  NodeParams params = filled(kKinds[1]);
  params.memcpy.flags = 1;
  EXPECT_EQ(add(&params), 1U);
}

TEST_F(AddNode, HowAHostNodeIsWaitedForIsAHint) {
  NodeParams params = filled(kKinds[3]);
  params.host.syncMode = 1;
  EXPECT_EQ(add(&params), 0U);
  EXPECT_EQ(given(kKinds[3]), kKinds[3].sample());
  EXPECT_EQ(params.host.syncMode, 1U) << "the caller's";
}

// 12's function needs zeros where 13 has its new fields.
TEST_F(AddNode, FunctionOf12_FieldsOf13AreZero) {
  fake(
      "cudaGraphAddNode_v2",
      +[](Node*, Graph, const Node*, const Data*, std::size_t,
          v12::cudaGraphNodeParams* params) -> unsigned {
        return bytes_of(*params) == bytes_of(filled(kKinds[params->type])) ? 0 : 1;
      });
  NodeParams params = filled(kKinds[3]);
  params.host.syncMode = 1;
  EXPECT_EQ(add(&params), 0U);
  params = filled(kKinds[0]);
  params.kernel.functionType = v13::cudaKernelFunctionTypeDeviceEntry;
  EXPECT_EQ(add(&params), 0U);
}

TEST_F(AddNode, WithoutTheRuntimesFunctionTheCallIsAbsent) {
  reset();
  NodeParams params = filled(kKinds[0]);
  EXPECT_EQ(add(&params), 302U);
}

TEST_F(AddNode, On13TheOldFormGivesNoEdgeData) {
  static NodeParams* got;
  fake(
      "cudaGraphAddNode",
      +[](Node* made, Graph graph, const Node* before, const Data* data, std::size_t count,
          NodeParams* params) -> unsigned {
        EXPECT_EQ(data, nullptr);
        EXPECT_EQ(before, kBefore);
        EXPECT_EQ(count, 2U);
        got = params;
        *made = handle<Node>(78);
        return graph == handle<Graph>(3) ? 0 : 1;
      });
  v12::cudaGraphNodeParams params{};
  EXPECT_EQ(adapt_graph_add_node_without_data(node.get(), handle<Graph>(3), kBefore, 2, &params),
            0U);
  EXPECT_EQ(got, view<NodeParams>(&params));
  EXPECT_EQ(*node, handle<Node>(78));
  EXPECT_EQ(adapt_graph_add_node_without_data(node.get(), nullptr, kBefore, 2, nullptr), 1U);
}

}  // namespace
}  // namespace anycuda
