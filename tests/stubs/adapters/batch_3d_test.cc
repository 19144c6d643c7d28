// SPDX-License-Identifier: Apache-2.0

// Batches of copies between boxes of pointers and arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

char memory[16];
const auto stream = reinterpret_cast<v13::cudaStream_t>(&memory[15]);
const auto array = reinterpret_cast<v12::cudaArray_t>(&memory[1]);
const auto other_array = reinterpret_cast<v12::cudaArray_t>(&memory[2]);

class Copy3DBatch : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    done.clear();
    per_thread = false;
    format = {32, 32, 0, 0, v11::cudaChannelFormatKindFloat};
    array_answer = 0;
    fail_at = SIZE_MAX;
    times = 0;
    fake(
        "cudaFree", +[](void*) { return 0U; });
    fake("cudaMemcpy3DAsync", copy<false>);
    fake("cudaMemcpy3DAsync_ptsz", copy<true>);
    fake(
        "cudaArrayGetInfo", +[](v11::cudaChannelFormatDesc* out, v11::cudaExtent* extent,
                                unsigned* flags, v11::cudaArray_t which) {
          EXPECT_EQ(extent, nullptr);
          EXPECT_EQ(flags, nullptr);
          EXPECT_EQ(which, array);
          if (array_answer == 0) *out = format;
          return array_answer;
        });
  }
  template <bool is_per_thread>
  static unsigned copy(const v11::cudaMemcpy3DParms* parameters, v11::cudaStream_t) {
    if (done.size() == fail_at) return 700;
    done.push_back(*parameters);
    per_thread = is_per_thread;
    return 0;
  }
  static std::vector<v11::cudaMemcpy3DParms> done;
  static bool per_thread;
  static v11::cudaChannelFormatDesc format;
  static unsigned array_answer;
  static std::size_t fail_at;
  static int times;

  static v12::cudaMemcpy3DOperand pointer(void* p, std::size_t row, std::size_t layer) {
    v12::cudaMemcpy3DOperand operand = {};
    operand.type = v12::cudaMemcpyOperandTypePointer;
    operand.op.ptr = {p, row, layer, {}};
    return operand;
  }
  static v12::cudaMemcpy3DOperand in_array(v12::cudaArray_t which, v12::cudaOffset3D offset) {
    v12::cudaMemcpy3DOperand operand = {};
    operand.type = v12::cudaMemcpyOperandTypeArray;
    operand.op.array = {which, offset};
    return operand;
  }
  static v12::cudaMemcpy3DBatchOp operation(v12::cudaMemcpy3DOperand from,
                                            v12::cudaMemcpy3DOperand to) {
    return {from, to, {10, 20, 30}, v12::cudaMemcpySrcAccessOrderStream, 0};
  }
  Guarded<std::size_t> fail_index;
  unsigned call(std::vector<v12::cudaMemcpy3DBatchOp> list, v12::cudaStream_t in = stream) {
    return adapt_memcpy_3d_batch_index(list.size(), list.data(), fail_index.get(), 0, in);
  }
};
std::vector<v11::cudaMemcpy3DParms> Copy3DBatch::done;
bool Copy3DBatch::per_thread;
v11::cudaChannelFormatDesc Copy3DBatch::format;
unsigned Copy3DBatch::array_answer;
std::size_t Copy3DBatch::fail_at;
int Copy3DBatch::times;

TEST_F(Copy3DBatch, ADriverOf12_8TakesItAsItIs) {
  static const void* list;
  fake_driver(
      "cuMemcpy3DBatchAsync",
      +[](std::size_t count, driver::CUDA_MEMCPY3D_BATCH_OP_st* operations, std::size_t* fail,
          unsigned long long flags, driver::CUstream in) {
        ++times;
        list = operations;
        EXPECT_EQ(count, 1U);
        EXPECT_EQ(operations->src.op.array.offset.z, 3U);
        EXPECT_EQ(operations->dst.op.ptr.layerHeight, 50U);
        EXPECT_EQ(operations->extent.depth, 30U);
        EXPECT_EQ(flags, 9U);
        EXPECT_EQ(in, stream);
        *fail = 0;
        return 1U;
      });
  fake_driver(
      "cuMemcpy3DBatchAsync_ptsz",
      +[](std::size_t, driver::CUDA_MEMCPY3D_BATCH_OP_st*, std::size_t*, unsigned long long,
          driver::CUstream) { return 7U; });
  auto one = operation(in_array(array, {1, 2, 3}), pointer(&memory[0], 40, 50));
  EXPECT_EQ(adapt_memcpy_3d_batch_index(1, &one, fail_index.get(), 9, stream), 1U);
  EXPECT_EQ(list, &one);
  EXPECT_EQ(*fail_index, 0U);
  EXPECT_TRUE(fail_index.intact());
  EXPECT_EQ(remembered(), 1U);
  EXPECT_EQ(adapt_memcpy_3d_batch_index_ptsz(1, &one, nullptr, 9, stream), 7U);
  auto* for_13 = reinterpret_cast<v13::cudaMemcpy3DBatchOp*>(&one);
  EXPECT_EQ(adapt_memcpy_3d_batch(1, for_13, 9, stream), 1U);
  EXPECT_EQ(adapt_memcpy_3d_batch_ptsz(1, for_13, 9, stream), 7U);
  EXPECT_EQ(adapt_memcpy_3d_with_attributes(for_13, 9, stream), 1U);
  EXPECT_EQ(adapt_memcpy_3d_with_attributes_ptsz(for_13, 9, stream), 7U);
  EXPECT_EQ(times, 3);
  EXPECT_TRUE(done.empty());
}

TEST_F(Copy3DBatch, PointersCountBytes) {
  EXPECT_EQ(call({operation(pointer(&memory[0], 0, 0), pointer(&memory[1], 40, 50))}), 0U);
  ASSERT_EQ(done.size(), 1U);
  const auto& copy = done[0];
  EXPECT_EQ(copy.srcArray, nullptr);
  EXPECT_EQ(copy.srcPtr.ptr, &memory[0]);
  EXPECT_EQ(copy.srcPtr.pitch, 10U);  // packed, as wide and high as the copy
  EXPECT_EQ(copy.srcPtr.ysize, 20U);
  EXPECT_EQ(copy.dstPtr.ptr, &memory[1]);
  EXPECT_EQ(copy.dstPtr.pitch, 40U);
  EXPECT_EQ(copy.dstPtr.ysize, 50U);
  EXPECT_EQ(copy.extent.width, 10U);
  EXPECT_EQ(copy.extent.height, 20U);
  EXPECT_EQ(copy.extent.depth, 30U);
  EXPECT_EQ(copy.kind, v11::cudaMemcpyDefault);
  EXPECT_TRUE(fail_index.untouched());
}

TEST_F(Copy3DBatch, BesideAnArrayPointersCountItsElements) {
  EXPECT_EQ(call({operation(pointer(&memory[0], 40, 0), in_array(array, {1, 2, 3})),
                  operation(in_array(array, {1, 2, 3}), pointer(&memory[0], 0, 50))}),
            0U);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].srcPtr.pitch, 40U * 8);
  EXPECT_EQ(done[0].srcPtr.ysize, 20U);
  EXPECT_EQ(done[0].dstArray, array);
  EXPECT_EQ(done[0].dstPos.x, 1U);
  EXPECT_EQ(done[0].dstPos.y, 2U);
  EXPECT_EQ(done[0].dstPos.z, 3U);
  EXPECT_EQ(done[0].dstPtr.ptr, nullptr);
  EXPECT_EQ(done[0].extent.width, 10U);
  EXPECT_EQ(done[1].srcArray, array);
  EXPECT_EQ(done[1].srcPos.z, 3U);
  EXPECT_EQ(done[1].dstPtr.pitch, 10U * 8);
  EXPECT_EQ(done[1].dstPtr.ysize, 50U);
}

TEST_F(Copy3DBatch, ArraysNeedNoElement) {
  fake(
      "cudaArrayGetInfo", +[](v11::cudaChannelFormatDesc*, v11::cudaExtent*, unsigned*,
                              v11::cudaArray_t) { return 999U; });
  EXPECT_EQ(call({operation(in_array(array, {1, 2, 3}), in_array(other_array, {4, 5, 6}))}), 0U);
  EXPECT_EQ(done[0].srcArray, array);
  EXPECT_EQ(done[0].dstArray, other_array);
  EXPECT_EQ(done[0].dstPos.x, 4U);
}

TEST_F(Copy3DBatch, ForTheOtherCallersToo) {
  auto one = operation(pointer(&memory[0], 0, 0), pointer(&memory[1], 0, 0));
  auto* for_13 = reinterpret_cast<v13::cudaMemcpy3DBatchOp*>(&one);
  EXPECT_EQ(adapt_memcpy_3d_batch(1, for_13, 0, stream), 0U);
  EXPECT_FALSE(per_thread);
  EXPECT_EQ(adapt_memcpy_3d_batch_ptsz(1, for_13, 0, nullptr), 0U);
  EXPECT_TRUE(per_thread);
  EXPECT_EQ(adapt_memcpy_3d_batch_index_ptsz(1, &one, nullptr, 0, nullptr), 0U);
  EXPECT_TRUE(per_thread);
  EXPECT_EQ(adapt_memcpy_3d_with_attributes(for_13, 0, nullptr), 0U);
  EXPECT_FALSE(per_thread);
  EXPECT_EQ(adapt_memcpy_3d_with_attributes_ptsz(for_13, 0, nullptr), 0U);
  EXPECT_EQ(done.size(), 5U);
  EXPECT_EQ(adapt_memcpy_3d_with_attributes(nullptr, 0, stream), 1U);
  EXPECT_EQ(adapt_memcpy_3d_with_attributes(for_13, 1, stream), 1U);
  EXPECT_EQ(done.size(), 5U);
}

TEST_F(Copy3DBatch, ANewDriverTakesASingleOneAsItIs) {
  fake_driver(
      "cuMemcpy3DWithAttributesAsync",
      +[](driver::CUDA_MEMCPY3D_BATCH_OP_st* one, unsigned long long flags, driver::CUstream in) {
        EXPECT_EQ(one, nullptr);
        EXPECT_EQ(flags, 4U);
        EXPECT_EQ(in, stream);
        return 8U;
      });
  fake_driver(
      "cuMemcpy3DWithAttributesAsync_ptsz",
      +[](driver::CUDA_MEMCPY3D_BATCH_OP_st*, unsigned long long, driver::CUstream) { return 9U; });
  EXPECT_EQ(adapt_memcpy_3d_with_attributes(nullptr, 4, stream), 8U);
  EXPECT_EQ(remembered(), 8U);
  EXPECT_EQ(adapt_memcpy_3d_with_attributes_ptsz(nullptr, 4, stream), 9U);
}

TEST_F(Copy3DBatch, TheCopyThatFailedIsNamed) {
  const auto one = operation(pointer(&memory[0], 0, 0), pointer(&memory[1], 0, 0));
  fail_at = 2;
  EXPECT_EQ(call({one, one, one, one}), 700U);
  EXPECT_EQ(*fail_index, 2U);
  done.clear();
  fail_at = SIZE_MAX;
  array_answer = 400;
  EXPECT_EQ(call({one, operation(pointer(&memory[0], 0, 0), in_array(array, {}))}), 400U);
  EXPECT_EQ(*fail_index, 1U);
}

TEST_F(Copy3DBatch, ArraysWithoutASingleElementSizeAreRefused) {
  const auto one = operation(pointer(&memory[0], 0, 0), in_array(array, {}));
  for (unsigned kind :
       {v11::cudaChannelFormatKindNV12, v11::cudaChannelFormatKindUnsignedBlockCompressed1,
        v13::cudaChannelFormatKindUnsigned8Planar420, v11::cudaChannelFormatKindNone}) {
    format = {8, 8, 8, 8, kind};
    EXPECT_EQ(call({one}), 801U);
  }
  format = {8, 8, 8, 8, v11::cudaChannelFormatKindUnsignedNormalized8X4};
  EXPECT_EQ(call({one}), 0U);
  EXPECT_EQ(done[0].srcPtr.pitch, 40U);
  format = {0, 0, 0, 0, v11::cudaChannelFormatKindSigned};
  EXPECT_EQ(call({one}), 801U);
  format = {4, 0, 0, 0, v11::cudaChannelFormatKindSigned};
  EXPECT_EQ(call({one}), 801U);
  EXPECT_THAT(refused(), SizeIs(6));
  EXPECT_THAT(refused(),
              Each("cudaMemcpy3DBatchAsync: copies between memory and a compressed or planar array "
                   "need a driver of CUDA 12.8 or later (in the legacy stream: 13.2)"));
}

TEST_F(Copy3DBatch, DocumentedErrorsAreInvalidValues) {
  const auto good = operation(pointer(&memory[0], 0, 0), pointer(&memory[1], 0, 0));
  const auto invalid = [&](unsigned status, std::size_t entry) {
    EXPECT_EQ(status, 1U);
    EXPECT_EQ(remembered(), 1U);
    EXPECT_EQ(*fail_index, entry);
    *fail_index = 99;
  };
  invalid(adapt_memcpy_3d_batch_index(1, nullptr, fail_index.get(), 0, stream), SIZE_MAX);
  invalid(call({}), SIZE_MAX);
  auto list = good;
  invalid(adapt_memcpy_3d_batch_index(1, &list, fail_index.get(), 1, stream), SIZE_MAX);
  invalid(call({good}, nullptr), SIZE_MAX);
  for (std::size_t v12::cudaExtent::*side :
       {&v12::cudaExtent::width, &v12::cudaExtent::height, &v12::cudaExtent::depth}) {
    auto bad = good;
    bad.extent.*side = 0;
    invalid(call({good, bad}), 1);
  }
  auto bad = good;
  bad.src.type = 0;
  invalid(call({good, bad}), 1);
  bad = good;
  bad.dst.type = 3;
  invalid(call({good, bad}), 1);
  bad = good;
  bad.srcAccessOrder = 0;
  invalid(call({good, bad}), 1);
  bad = good;
  bad.flags = 2;
  invalid(call({good, bad}), 1);
  EXPECT_TRUE(done.empty());
  // Rows and layers that are shorter than the copy, or longer than memory.
  invalid(call({operation(pointer(&memory[0], 9, 0), pointer(&memory[1], 0, 0))}), 0);
  invalid(call({operation(pointer(&memory[0], 0, 0), pointer(&memory[1], 0, 19))}), 0);
  invalid(call({operation(pointer(&memory[0], SIZE_MAX / 8 + 1, 0), in_array(array, {}))}), 0);
  EXPECT_TRUE(done.empty());
  EXPECT_TRUE(fail_index.intact());
}

TEST_F(Copy3DBatch, CopiesThatNeedStreamOrderAreRefusedBeforeAny) {
  const auto good = operation(pointer(&memory[0], 0, 0), pointer(&memory[1], 0, 0));
  auto during = good;
  during.srcAccessOrder = v12::cudaMemcpySrcAccessOrderDuringApiCall;
  EXPECT_EQ(call({good, during}), 801U);
  EXPECT_EQ(*fail_index, 1U);
  EXPECT_THAT(refused(),
              ElementsAre("cudaMemcpy3DBatchAsync: cudaMemcpySrcAccessOrderDuringApiCall needs a "
                          "driver of CUDA 12.8 or later (in the legacy stream: 13.2)"));
  EXPECT_TRUE(done.empty());
}

}  // namespace
}  // namespace anycuda
