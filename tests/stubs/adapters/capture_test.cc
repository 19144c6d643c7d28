// SPDX-License-Identifier: Apache-2.0

// The state of a stream's capture.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using Data = v13::cudaGraphEdgeData;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;
using Stream = v13::cudaStream_t;

const Stream kStream = reinterpret_cast<Stream>(0x2);  // cudaStreamPerThread: a handle like others
const Graph kGraph = reinterpret_cast<Graph>(0x30);
const Node kNodes[] = {reinterpret_cast<Node>(0x40), reinterpret_cast<Node>(0x50)};
const Data kData[] = {{}, {1, 0, 1, {}}};

// What the fake function got and what it answers.
struct Call {
  int times = 0;
  Stream stream;
  const void* nodes;
  const void* data;
};
Call called;
unsigned answer;

unsigned info(Stream stream, unsigned* status, void* id, Graph* graph, const Node** nodes,
              const Data** data, std::size_t* count) {
  ++called.times;
  called.stream = stream;
  called.nodes = nodes;
  called.data = data;
  if (answer != 0) return answer;
  *status = 1;
  if (id != nullptr) *static_cast<unsigned long long*>(id) = 1ULL << 40;
  if (graph != nullptr) *graph = kGraph;
  if (nodes != nullptr) *nodes = kNodes;
  if (data != nullptr) *data = kData;
  if (count != nullptr) *count = 2;
  return 0;
}
unsigned info_of_13(Stream stream, unsigned* status, unsigned long long* id, Graph* graph,
                    const Node** nodes, const Data** data, std::size_t* count) {
  return info(stream, status, id, graph, nodes, data, count);
}
unsigned info_of_driver(Stream stream, unsigned* status, unsigned long* id, Graph* graph,
                        const Node** nodes, const driver::CUgraphEdgeData_st** data,
                        std::size_t* count) {
  return info(stream, status, id, graph, nodes, reinterpret_cast<const Data**>(data), count);
}
unsigned info_of_11(Stream stream, unsigned* status, unsigned long long* id, Graph* graph,
                    const Node** nodes, std::size_t* count) {
  return info(stream, status, id, graph, nodes, nullptr, count);
}
// Each test runs for the legacy default stream and for per-thread ones.
class Capture : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    reset();
    called = {};
    answer = 0;
  }
  bool per_thread() const { return *GetParam() != 0; }
  template <typename Function>
  void fake_form(const char* name, Function* function) const {
    fake((std::string(name) + GetParam()).c_str(), function);
  }
  template <typename Plain, typename PerThread, typename... Arguments>
  unsigned call(Plain plain, PerThread other, Arguments... arguments) const {
    return per_thread() ? other(arguments...) : plain(arguments...);
  }
  unsigned with_data(unsigned* to, unsigned long long* id_to, Graph* graph_to,
                     const Node** nodes_to, const Data** data_to, std::size_t* count_to) const {
    return call(adapt_capture_info_with_data, adapt_capture_info_with_data_ptsz, kStream, to, id_to,
                graph_to, nodes_to, data_to, count_to);
  }
  unsigned all_with_data() {
    return with_data(status.get(), id.get(), graph.get(), nodes.get(), data.get(), count.get());
  }
  bool intact() const {
    return status.intact() && id.intact() && graph.intact() && nodes.intact() && data.intact() &&
           count.intact();
  }
  bool untouched() const {
    return status.untouched() && id.untouched() && graph.untouched() && nodes.untouched() &&
           data.untouched() && count.untouched();
  }
  Guarded<unsigned> status;
  Guarded<unsigned long long> id;
  Guarded<Graph> graph;
  Guarded<const Node*> nodes;
  Guarded<const Data*> data;
  Guarded<std::size_t> count;
};

TEST_P(Capture, On13_ShortFormAsksOnlyForStatusAndIdentifier) {
  fake_form("cudaStreamGetCaptureInfo", info_of_13);
  ASSERT_EQ(call(adapt_capture_info_short, adapt_capture_info_short_ptsz, kStream, status.get(),
                 id.get()),
            0U);
  EXPECT_EQ(called.stream, kStream);
  EXPECT_EQ(called.nodes, nullptr) << "with nodes, edge data would have to be asked for";
  EXPECT_EQ(*status, 1U);
  EXPECT_EQ(*id, 1ULL << 40);
  EXPECT_TRUE(intact());
  EXPECT_EQ(
      call(adapt_capture_info_short, adapt_capture_info_short_ptsz, kStream, status.get(), nullptr),
      0U);
}

TEST_P(Capture, On13_SecondFormAsksForNoEdgeData) {
  fake_form("cudaStreamGetCaptureInfo", info_of_13);
  const auto ask = [&] {
    return call(adapt_capture_info_without_data, adapt_capture_info_without_data_ptsz, kStream,
                status.get(), id.get(), graph.get(), nodes.get(), count.get());
  };
  ASSERT_EQ(ask(), 0U);
  EXPECT_EQ(called.data, nullptr);
  EXPECT_EQ(*graph, kGraph);
  EXPECT_EQ(*nodes, kNodes);
  EXPECT_EQ(*count, 2U);
  EXPECT_TRUE(intact());
}

TEST_P(Capture, On13_ErrorsAreReturnedWithoutOutput) {
  fake_form("cudaStreamGetCaptureInfo", info_of_13);
  answer = 402;
  EXPECT_EQ(call(adapt_capture_info_without_data, adapt_capture_info_without_data_ptsz, kStream,
                 status.get(), id.get(), graph.get(), nodes.get(), count.get()),
            402U);
  EXPECT_EQ(call(adapt_capture_info_short, adapt_capture_info_short_ptsz, kStream, status.get(),
                 id.get()),
            402U);
  EXPECT_TRUE(untouched());
}

TEST_P(Capture, On12TheThirdFormAnswers) {
  fake_form("cudaStreamGetCaptureInfo_v3", info_of_13);
  ASSERT_EQ(all_with_data(), 0U);
  EXPECT_EQ(*data, kData);
  EXPECT_EQ(*count, 2U);
  EXPECT_TRUE(intact());
}

TEST_P(Capture, On11TheDriverAnswers) {
  fake_form("cuStreamGetCaptureInfo_v3", info_of_driver);
  fake_form("cudaStreamGetCaptureInfo_v2", info_of_11);
  ASSERT_EQ(all_with_data(), 0U);
  EXPECT_EQ(called.times, 1);
  EXPECT_EQ(*status, 1U);
  EXPECT_EQ(*id, 1ULL << 40);
  EXPECT_EQ(*graph, kGraph);
  EXPECT_EQ(*nodes, kNodes);
  EXPECT_EQ(*data, kData);
  EXPECT_EQ(*count, 2U);
  EXPECT_TRUE(intact());
  EXPECT_EQ(with_data(status.get(), nullptr, nullptr, nullptr, nullptr, nullptr), 0U);
  EXPECT_EQ(with_data(nullptr, id.get(), nullptr, nullptr, nullptr, nullptr), 1U);
  EXPECT_EQ(remembered(), 1U);
}

TEST_P(Capture, DriverErrorIsRememberedWithoutOutput) {
  fake_form("cuStreamGetCaptureInfo_v3", info_of_driver);
  answer = 906;
  EXPECT_EQ(all_with_data(), 906U);
  EXPECT_EQ(remembered(), 906U);
  EXPECT_TRUE(untouched());
}

TEST_P(Capture, OldDriver_HasNoEdgeData) {
  fake_form("cudaStreamGetCaptureInfo_v2", info_of_11);
  ASSERT_EQ(all_with_data(), 0U);
  EXPECT_EQ(*status, 1U);
  EXPECT_EQ(*nodes, kNodes);
  EXPECT_EQ(*data, nullptr);
  EXPECT_EQ(*count, 2U);
  EXPECT_TRUE(intact());
  EXPECT_EQ(with_data(status.get(), nullptr, nullptr, nullptr, nullptr, nullptr), 0U);
  EXPECT_EQ(with_data(status.get(), nullptr, nullptr, nullptr, data.get(), nullptr), 1U);
}

TEST_P(Capture, OldDriver_ErrorsAreReturnedWithoutOutput) {
  fake_form("cudaStreamGetCaptureInfo_v2", info_of_11);
  answer = 906;
  EXPECT_EQ(all_with_data(), 906U);
  EXPECT_TRUE(untouched());
}

TEST_P(Capture, WithoutTheFunctionsCallsAreAbsent) {
  EXPECT_EQ(call(adapt_capture_info_short, adapt_capture_info_short_ptsz, kStream, status.get(),
                 id.get()),
            302U);
  EXPECT_EQ(all_with_data(), 302U);
  EXPECT_TRUE(untouched());
}

INSTANTIATE_TEST_SUITE_P(All, Capture, ::testing::Values("", "_ptsz"), [](const auto& test) {
  return *test.param != 0 ? "PerThread" : "Legacy";
});

}  // namespace
}  // namespace anycuda
