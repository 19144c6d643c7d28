// SPDX-License-Identifier: Apache-2.0

// Graphs made executable.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using Exec = v13::cudaGraphExec_t;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;
using Stream = v13::cudaStream_t;

template <typename Handle>
Handle handle(std::size_t number) {
  return reinterpret_cast<Handle>(number * 16);
}

class Instantiate : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    answer = 0;
    flags = 0;
    uploaded = nullptr;
    upload_answer = 0;
    destroyed = nullptr;
  }
  static unsigned answer, upload_answer;
  static unsigned long long flags;
  static Stream uploaded;
  static Exec destroyed;

  static unsigned instantiate(Exec* exec, Graph, unsigned long long asked) {
    flags = asked;
    if (answer == 0) *exec = handle<Exec>(7);
    return answer;
  }
  static unsigned upload(Exec, Stream stream) {
    uploaded = stream;
    return upload_answer;
  }
  static unsigned destroy(Exec exec) {
    destroyed = exec;
    return 0;
  }
  static void fake_runtime_of_11() {
    fake("cudaGraphInstantiateWithFlags", instantiate);
    fake("cudaGraphUpload", upload);
    fake("cudaGraphExecDestroy", destroy);
  }
};
unsigned Instantiate::answer, Instantiate::upload_answer;
unsigned long long Instantiate::flags;
Stream Instantiate::uploaded;
Exec Instantiate::destroyed;

// ---- Instantiation with node and log, of programs built for 11

TEST_F(Instantiate, OldCaller_GetsErrorNodeAndLogFromTheDriver) {
  fake_driver(
      "cuGraphInstantiate_v2",
      +[](Exec* exec, Graph graph, Node* node, char* log, std::size_t size) -> unsigned {
        EXPECT_EQ(graph, handle<Graph>(3));
        EXPECT_EQ(size, 8U);
        *exec = nullptr;
        *node = handle<Node>(4);
        std::memcpy(log, "cyclic", 7);
        return 1;
      });
  Guarded<Exec> exec;
  Guarded<Node> node;
  Guarded<char[8]> log;
  EXPECT_EQ(adapt_graph_instantiate_with_log(exec.get(), handle<Graph>(3), node.get(), *log, 8),
            1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(*node, handle<Node>(4));
  EXPECT_STREQ(*log, "cyclic");
  EXPECT_TRUE(exec.intact() && node.intact() && log.intact());
}

TEST_F(Instantiate, NullNodeAndLogArePassedToTheDriver) {
  fake_driver(
      "cuGraphInstantiate_v2",
      +[](Exec*, Graph, Node* node, char* log, std::size_t size) -> unsigned {
        return node == nullptr && log == nullptr && size == 0 ? 0 : 1;
      });
  Exec exec = nullptr;
  EXPECT_EQ(adapt_graph_instantiate_with_log(&exec, nullptr, nullptr, nullptr, 0), 0U);
}

TEST_F(Instantiate, WithoutTheDriversFormTheCallIsAbsent) {
  Exec exec = nullptr;
  EXPECT_EQ(adapt_graph_instantiate_with_log(&exec, nullptr, nullptr, nullptr, 0), 302U);
}

// ---- Instantiation by a struct, on 11

TEST_F(Instantiate, TheDriverInstantiatesByTheCallersStruct) {
  fake_driver(
      "cuGraphInstantiateWithParams",
      +[](Exec* exec, Graph, driver::CUDA_GRAPH_INSTANTIATE_PARAMS_st* params) -> unsigned {
        EXPECT_EQ(params->flags, 8U);
        EXPECT_EQ(params->hUploadStream, handle<Stream>(5));
        params->hErrNode_out = handle<Node>(6);
        params->result_out = 2;
        *exec = handle<Exec>(7);
        return 0;
      });
  Guarded<v13::cudaGraphInstantiateParams_st> params;
  *params = {8, handle<Stream>(5), nullptr, 9};
  Exec exec = nullptr;
  EXPECT_EQ(adapt_graph_instantiate_with_params(&exec, nullptr, params.get()), 0U);
  EXPECT_EQ(exec, handle<Exec>(7));
  EXPECT_EQ(params->errNode_out, handle<Node>(6));
  EXPECT_EQ(params->result_out, 2U);
  EXPECT_TRUE(params.intact());
}

TEST_F(Instantiate, PerThreadForm_UsesTheDriversPerThreadForm) {
  fake_driver(
      "cuGraphInstantiateWithParams_ptsz",
      +[](Exec*, Graph, driver::CUDA_GRAPH_INSTANTIATE_PARAMS_st*) -> unsigned { return 0; });
  v13::cudaGraphInstantiateParams_st params{};
  Exec exec = nullptr;
  EXPECT_EQ(adapt_graph_instantiate_with_params_ptsz(&exec, nullptr, &params), 0U);
}

TEST_F(Instantiate, ADriverOf11InstantiatesByFlagsAndThenUploads) {
  fake_runtime_of_11();
  Guarded<v13::cudaGraphInstantiateParams_st> params;
  *params = {3, handle<Stream>(5), handle<Node>(6), 9};
  Exec exec = nullptr;
  ASSERT_EQ(adapt_graph_instantiate_with_params(&exec, nullptr, params.get()), 0U);
  EXPECT_EQ(exec, handle<Exec>(7));
  EXPECT_EQ(flags, 1U) << "CUDA 11 has no upload flag";
  EXPECT_EQ(uploaded, handle<Stream>(5));
  EXPECT_EQ(params->flags, 3U);
  EXPECT_EQ(params->errNode_out, nullptr);
  EXPECT_EQ(params->result_out, 0U);
  EXPECT_TRUE(params.intact());
}

TEST_F(Instantiate, ADriverOf11UploadsOnlyOnRequest) {
  fake("cudaGraphInstantiateWithFlags", instantiate);
  fake("cudaGraphUpload_ptsz", upload);
  v13::cudaGraphInstantiateParams_st params{1, handle<Stream>(5), nullptr, 9};
  Exec exec = nullptr;
  ASSERT_EQ(adapt_graph_instantiate_with_params_ptsz(&exec, nullptr, &params), 0U);
  EXPECT_EQ(uploaded, nullptr);
  params.flags = 2;
  ASSERT_EQ(adapt_graph_instantiate_with_params_ptsz(&exec, nullptr, &params), 0U);
  EXPECT_EQ(uploaded, handle<Stream>(5));
}

TEST_F(Instantiate, AFailedInstantiationByFlagsIsAnUnexpectedError) {
  fake_runtime_of_11();
  answer = 1;
  Guarded<Exec> exec;
  v13::cudaGraphInstantiateParams_st params{2, nullptr, handle<Node>(6), 9};
  EXPECT_EQ(adapt_graph_instantiate_with_params(exec.get(), nullptr, &params), 1U);
  EXPECT_TRUE(exec.untouched());
  EXPECT_EQ(params.errNode_out, nullptr);
  EXPECT_EQ(params.result_out, 1U);
}

TEST_F(Instantiate, AFailedUploadLeavesNoExecutableGraph) {
  fake_runtime_of_11();
  upload_answer = 400;
  Guarded<Exec> exec;
  v13::cudaGraphInstantiateParams_st params{2, nullptr, nullptr, 9};
  EXPECT_EQ(adapt_graph_instantiate_with_params(exec.get(), nullptr, &params), 400U);
  EXPECT_EQ(destroyed, handle<Exec>(7));
  EXPECT_TRUE(exec.untouched());
  EXPECT_EQ(params.result_out, 1U);
}

TEST_F(Instantiate, NullPointersAreInvalidWithDriver11) {
  fake_runtime_of_11();
  Exec exec = nullptr;
  v13::cudaGraphInstantiateParams_st params{};
  EXPECT_EQ(adapt_graph_instantiate_with_params(&exec, nullptr, nullptr), 1U);
  EXPECT_EQ(adapt_graph_instantiate_with_params(nullptr, nullptr, &params), 1U);
  EXPECT_EQ(remembered(), 1U);
}

}  // namespace
}  // namespace anycuda
