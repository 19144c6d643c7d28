// SPDX-License-Identifier: Apache-2.0

// The number and the device of a stream, and numbers of graphs and nodes, from the driver.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

template <typename Handle>
Handle handle(std::uintptr_t value) {
  return reinterpret_cast<Handle>(value);
}

// A process in which the runtime has not created a context yet: the driver fails until cudaFree.
bool has_context;
unsigned without_context;
class Ids : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    has_context = false;
    without_context = 201;
    fake(
        "cudaFree", +[](void* pointer) {
          EXPECT_EQ(pointer, nullptr);
          has_context = true;
          return 0U;
        });
  }
};

template <unsigned long long id>
unsigned stream_id(opaque::CUstream_st* stream, unsigned long long* to) {
  if (!has_context) return without_context;
  if (stream != handle<opaque::CUstream_st*>(2)) return 400;
  if (to == nullptr) return 1;
  *to = id;
  return 0;
}

TEST_F(Ids, AStreamHasItsNumberFromTheDriver) {
  fake_driver("cuStreamGetId", stream_id<(1ULL << 40) + 1>);
  fake_driver("cuStreamGetId_ptsz", stream_id<7>);
  const auto stream = handle<opaque::CUstream_st*>(2);
  for (const unsigned status : {201U, 3U, 709U}) {
    without_context = status;
    has_context = false;
    Guarded<unsigned long long> id;
    EXPECT_EQ(adapt_stream_get_id(stream, id.get()), 0U);
    EXPECT_EQ(*id, (1ULL << 40) + 1);
    EXPECT_TRUE(id.intact());
  }
  Guarded<unsigned long long> id;
  EXPECT_EQ(adapt_stream_get_id_ptsz(stream, id.get()), 0U);
  EXPECT_EQ(*id, 7U);
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(Ids, DriverErrorIsReturnedWithoutOutput) {
  fake_driver("cuStreamGetId", stream_id<1>);
  Guarded<unsigned long long> id;
  EXPECT_EQ(adapt_stream_get_id(handle<opaque::CUstream_st*>(3), id.get()), 400U);
  EXPECT_EQ(remembered(), 400U);
  EXPECT_TRUE(id.untouched());
  EXPECT_EQ(adapt_stream_get_id(handle<opaque::CUstream_st*>(2), nullptr), 1U);
  EXPECT_EQ(remembered(), 1U);
}

TEST_F(Ids, NoContext_RuntimeErrorIsReturned) {
  fake_driver("cuStreamGetId", stream_id<1>);
  fake(
      "cudaFree", +[](void*) { return 46U; });
  Guarded<unsigned long long> id;
  EXPECT_EQ(adapt_stream_get_id(nullptr, id.get()), 46U);
  EXPECT_EQ(remembered(), 46U);
  EXPECT_TRUE(id.untouched());
}

// Streams 2 and 3 are of contexts 0x20 and 0x30, of which only the first can be made current; its
// device is 5.
int depth;
std::uintptr_t pushed;
unsigned device_status;
template <bool per_thread>
unsigned context_of(opaque::CUstream_st* stream, opaque::CUctx_st** context) {
  if (!has_context) return without_context;
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  if (number != 2 && number != 3) return 400;
  *context = handle<opaque::CUctx_st*>(number * 16 + (per_thread ? 1 : 0));
  return 0;
}
class StreamDevice : public Ids {
 protected:
  void SetUp() override {
    Ids::SetUp();
    depth = 0;
    device_status = 0;
    fake_driver("cuStreamGetCtx", context_of<false>);
    fake_driver("cuStreamGetCtx_ptsz", context_of<true>);
    fake_driver(
        "cuCtxPushCurrent_v2", +[](opaque::CUctx_st* context) {
          if (reinterpret_cast<std::uintptr_t>(context) / 16 != 2) return 709U;
          pushed = reinterpret_cast<std::uintptr_t>(context);
          ++depth;
          return 0U;
        });
    fake_driver(
        "cuCtxGetDevice", +[](int* device) {
          EXPECT_EQ(depth, 1);
          if (device_status == 0) *device = 5;
          return device_status;
        });
    fake_driver(
        "cuCtxPopCurrent_v2", +[](opaque::CUctx_st**) {
          --depth;
          return 0U;
        });
  }
};

TEST_F(StreamDevice, IsTheDeviceOfItsContext) {
  Guarded<int> device;
  EXPECT_EQ(adapt_stream_get_device(handle<opaque::CUstream_st*>(2), device.get()), 0U);
  EXPECT_EQ(pushed, 0x20U);
  EXPECT_EQ(*device, 5);
  EXPECT_TRUE(device.intact());
  EXPECT_EQ(depth, 0);
}

TEST_F(StreamDevice, PerThreadForm_UsesThePerThreadStream) {
  Guarded<int> device;
  EXPECT_EQ(adapt_stream_get_device_ptsz(handle<opaque::CUstream_st*>(2), device.get()), 0U);
  EXPECT_EQ(pushed, 0x21U);
  EXPECT_EQ(*device, 5);
  EXPECT_EQ(depth, 0);
}

TEST_F(StreamDevice, TheThreadsContextIsAsItWasAfterEveryError) {
  Guarded<int> device;
  EXPECT_EQ(adapt_stream_get_device(handle<opaque::CUstream_st*>(9), device.get()), 400U);
  EXPECT_EQ(adapt_stream_get_device(handle<opaque::CUstream_st*>(3), device.get()), 709U);
  EXPECT_EQ(remembered(), 709U);
  device_status = 999;
  EXPECT_EQ(adapt_stream_get_device(handle<opaque::CUstream_st*>(2), device.get()), 999U);
  EXPECT_EQ(remembered(), 999U);
  EXPECT_EQ(depth, 0);
  EXPECT_TRUE(device.untouched());
}

// The driver's functions that number graphs and nodes: 100 + what is asked about, which is 1 to 4.
template <typename Handle, typename Number>
unsigned number_of(Handle* asked, Number* to) {
  const auto value = reinterpret_cast<std::uintptr_t>(asked);
  if (value == 0 || to == nullptr) return 1;
  *to = static_cast<Number>(100 + value);
  return 0;
}
template <typename Handle, typename Number>
void expect_number(const char* name, unsigned (*adapter)(Handle*, Number*)) {
  reset();
  Guarded<Number> number;
  EXPECT_EQ(adapter(handle<Handle*>(4), number.get()), 302U) << name;  // not in this driver
  EXPECT_TRUE(number.untouched()) << name;
  fake_driver(name, number_of<Handle, Number>);
  EXPECT_EQ(adapter(handle<Handle*>(4), number.get()), 0U) << name;
  EXPECT_EQ(*number, 104U) << name;
  EXPECT_TRUE(number.intact()) << name;
  EXPECT_EQ(adapter(nullptr, number.get()), 1U) << name;
  EXPECT_EQ(remembered(), 1U) << name;
  EXPECT_EQ(adapter(handle<Handle*>(4), nullptr), 1U) << name;
}

TEST(GraphIds, AreTheDrivers) {
  expect_number("cuGraphGetId", &adapt_graph_get_id);
  expect_number("cuGraphExecGetId", &adapt_graph_exec_get_id);
  expect_number("cuGraphNodeGetLocalId", &adapt_graph_node_get_local_id);
  expect_number("cuGraphNodeGetToolsId", &adapt_graph_node_get_tools_id);
}

TEST(GraphIds, TheGraphOfANodeIsTheDrivers) {
  reset();
  fake_driver(
      "cuGraphNodeGetContainingGraph",
      +[](opaque::CUgraphNode_st* node, opaque::CUgraph_st** graph) {
        if (node == nullptr) return 1U;
        *graph = handle<opaque::CUgraph_st*>(reinterpret_cast<std::uintptr_t>(node) + 1);
        return 0U;
      });
  Guarded<opaque::CUgraph_st*> graph;
  EXPECT_EQ(adapt_graph_node_get_containing_graph(nullptr, graph.get()), 1U);
  EXPECT_EQ(remembered(), 1U);
  EXPECT_TRUE(graph.untouched());
  EXPECT_EQ(adapt_graph_node_get_containing_graph(handle<opaque::CUgraphNode_st*>(8), graph.get()),
            0U);
  EXPECT_EQ(*graph, handle<opaque::CUgraph_st*>(9));
  EXPECT_TRUE(graph.intact());
}

}  // namespace
}  // namespace anycuda
