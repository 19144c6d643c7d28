// SPDX-License-Identifier: Apache-2.0

// The dependencies of a captured stream, and capture into existing graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;
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
  std::size_t count;
  unsigned flags;
};
Call called;
unsigned answer;

unsigned update(Stream stream, Node* nodes, const Data* data, std::size_t count, unsigned flags) {
  called = {called.times + 1, stream, nodes, data, count, flags};
  return answer;
}
unsigned update_of_11(Stream stream, Node* nodes, std::size_t count, unsigned flags) {
  return update(stream, nodes, nullptr, count, flags);
}

// Each test runs for the legacy default stream and for per-thread ones.
class CaptureInto : public ::testing::TestWithParam<const char*> {
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
  Node dependencies[2] = {kNodes[0], kNodes[1]};
};

TEST_P(CaptureInto, On13AnUpdateGivesNoEdgeData) {
  fake_form("cudaStreamUpdateCaptureDependencies", update);
  EXPECT_EQ(call(adapt_capture_update_without_data, adapt_capture_update_without_data_ptsz, kStream,
                 dependencies, 2, 1),
            0U);
  EXPECT_EQ(called.nodes, dependencies);
  EXPECT_EQ(called.data, nullptr);
  EXPECT_EQ(called.count, 2U);
  EXPECT_EQ(called.flags, 1U);
}

TEST_P(CaptureInto, UpdateUsesTheSecondFormOf12OrTheDrivers) {
  const auto update_with = [&] {
    return call(adapt_capture_update_with_data, adapt_capture_update_with_data_ptsz, kStream,
                dependencies, kData, 2, 1);
  };
  fake_form("cuStreamUpdateCaptureDependencies_v2", update);
  answer = 401;
  EXPECT_EQ(update_with(), 401U);
  EXPECT_EQ(called.stream, kStream);
  EXPECT_EQ(called.data, kData);
  EXPECT_EQ(called.count, 2U);
  EXPECT_EQ(called.flags, 1U);
  EXPECT_EQ(remembered(), 401U);
  fake_form(
      "cudaStreamUpdateCaptureDependencies_v2",
      +[](Stream, Node*, const Data*, std::size_t, unsigned) -> unsigned { return 7; });
  EXPECT_EQ(update_with(), 7U);
}

TEST_P(CaptureInto, WithAnOldDriverOnlyDefaultEdgeDataIsTaken) {
  fake_form("cudaStreamUpdateCaptureDependencies", update_of_11);
  const auto with = [&](const Data* given, std::size_t number) {
    return call(adapt_capture_update_with_data, adapt_capture_update_with_data_ptsz, kStream,
                dependencies, given, number, 1);
  };
  EXPECT_EQ(with(nullptr, 2), 0U);
  EXPECT_EQ(with(kData, 1), 0U);
  EXPECT_EQ(called.count, 1U);
  EXPECT_EQ(called.flags, 1U);
  EXPECT_EQ(with(kData, 0), 0U);
  EXPECT_EQ(called.times, 3);
  EXPECT_EQ(with(kData, 2), 801U);
  EXPECT_EQ(called.times, 3);
  EXPECT_THAT(refused(), ElementsAre("cudaStreamUpdateCaptureDependencies: non-zero edge data "
                                     "needs a driver of CUDA 12.3 or later"));
}

TEST_P(CaptureInto, IntoAGraphIsTheDrivers) {
  fake_form(
      "cuStreamBeginCaptureToGraph",
      +[](Stream stream, Graph to, const Node* from, const driver::CUgraphEdgeData_st* edges,
          std::size_t number, unsigned mode) -> unsigned {
        called = {1, stream, from, edges, number, mode};
        return to == kGraph ? 0 : 1;
      });
  const auto begin = [&](Graph to) {
    return call(adapt_capture_to_graph, adapt_capture_to_graph_ptsz, kStream, to, kNodes, kData, 2,
                2);
  };
  EXPECT_EQ(begin(kGraph), 0U);
  EXPECT_EQ(called.stream, kStream);
  EXPECT_EQ(called.nodes, kNodes);
  EXPECT_EQ(called.data, kData);
  EXPECT_EQ(called.count, 2U);
  EXPECT_EQ(called.flags, 2U);
  EXPECT_EQ(begin(nullptr), 1U);
  EXPECT_EQ(remembered(), 1U);
}

TEST_P(CaptureInto, Recapture_IsTheDriversAndRefusesCallbacks) {
  fake_form(
      "cuStreamBeginRecaptureToGraph",
      +[](Stream stream, unsigned mode, Graph to, driver::CUgraphRecaptureCallback callback,
          void* user) -> unsigned {
        called = {called.times + 1, stream, user, nullptr, 0, mode};
        return callback == nullptr && to == kGraph ? 0 : 1;
      });
  const auto begin = [&](v13::cudaGraphRecaptureCallbackData* callback) {
    return call(adapt_capture_again, adapt_capture_again_ptsz, kStream, 2, kGraph, callback);
  };
  EXPECT_EQ(begin(nullptr), 0U);
  EXPECT_EQ(called.stream, kStream);
  EXPECT_EQ(called.flags, 2U);
  v13::cudaGraphRecaptureCallbackData callback{};
  EXPECT_EQ(begin(&callback), 801U);
  EXPECT_EQ(called.times, 1);
  EXPECT_THAT(refused(), ElementsAre("cudaStreamBeginRecaptureToGraph: this runtime cannot report "
                                     "changed nodes by a callback"));
}

TEST_P(CaptureInto, WithoutTheFunctionsCallsAreAbsent) {
  EXPECT_EQ(call(adapt_capture_update_without_data, adapt_capture_update_without_data_ptsz, kStream,
                 dependencies, 2, 1),
            302U);
  EXPECT_EQ(call(adapt_capture_update_with_data, adapt_capture_update_with_data_ptsz, kStream,
                 dependencies, nullptr, 2, 1),
            302U);
  EXPECT_EQ(call(adapt_capture_to_graph, adapt_capture_to_graph_ptsz, kStream, kGraph, nullptr,
                 nullptr, 0, 0),
            302U);
  EXPECT_EQ(call(adapt_capture_again, adapt_capture_again_ptsz, kStream, 0, kGraph, nullptr), 302U);
}

INSTANTIATE_TEST_SUITE_P(All, CaptureInto, ::testing::Values("", "_ptsz"), [](const auto& test) {
  return *test.param != 0 ? "PerThread" : "Legacy";
});

}  // namespace
}  // namespace anycuda
