// SPDX-License-Identifier: Apache-2.0

// Many copies in one call: cudaMemcpyBatchAsync and similar functions, from 12.8 on.
#include "batch_types.h"
#include "kernels.h"
#include "later.h"
#include "support.h"
#include "topics.h"

#if CUDART_VERSION >= 12000

namespace conformance {

namespace {

constexpr int kBatch = 3;

// 12 reports which copy failed; 13 does not.
#if CUDART_VERSION >= 13000
cudaError_t copy_batch(void** to, void** from, std::size_t* sizes, std::size_t count,
                       cudaMemcpyAttributes* attributes, std::size_t* starts, std::size_t kinds,
                       std::size_t*, cudaStream_t stream) {
  return cudaMemcpyBatchAsync(to, from, sizes, count, attributes, starts, kinds, stream);
}
cudaError_t copy_3d_batch(std::size_t count, cudaMemcpy3DBatchOp* copies, std::size_t*,
                          cudaStream_t stream) {
  return cudaMemcpy3DBatchAsync(count, copies, 0, stream);
}
#else
cudaError_t copy_batch(void** to, void** from, std::size_t* sizes, std::size_t count,
                       cudaMemcpyAttributes* attributes, std::size_t* starts, std::size_t kinds,
                       std::size_t* failed, cudaStream_t stream) {
  static const Later<void**, void**, std::size_t*, std::size_t, cudaMemcpyAttributes*, std::size_t*,
                     std::size_t, std::size_t*, cudaStream_t>
      function("cudaMemcpyBatchAsync");
  return function(to, from, sizes, count, attributes, starts, kinds, failed, stream);
}
cudaError_t copy_3d_batch(std::size_t count, cudaMemcpy3DBatchOp* copies, std::size_t* failed,
                          cudaStream_t stream) {
  static const Later<std::size_t, cudaMemcpy3DBatchOp*, std::size_t*, unsigned long long,
                     cudaStream_t>
      function("cudaMemcpy3DBatchAsync");
  return function(count, copies, failed, 0, stream);
}
#endif

cudaMemcpyAttributes in_stream_order() {
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  return attributes;
}

void flat() {
  Check check("batches.copy");
  Stream stream(check);
  DeviceArray<int> from(check, kCount * kBatch);
  DeviceArray<int> to(check, kCount * kBatch);
  if (!check) return;
  std::vector<int> numbers;
  for (int i = 0; i < kCount * kBatch; ++i) numbers.push_back(i * 3);
  from.write(numbers);
  void* targets[kBatch];
  void* sources[kBatch];
  std::size_t sizes[kBatch];
  for (int i = 0; i < kBatch; ++i) {
    targets[i] = to.get() + i * kCount;
    sources[i] = from.get() + i * kCount;
    sizes[i] = kCount * sizeof(int);
  }
  cudaMemcpyAttributes attributes[2] = {in_stream_order(), in_stream_order()};
  std::size_t starts[2] = {0, 2};
  Guarded<std::size_t> failed;
  if (!check.call("cudaMemcpyBatchAsync", copy_batch(targets, sources, sizes, kBatch, attributes,
                                                     starts, 2, failed.get(), stream))) {
    return;
  }
  INTACT(check, failed);
  CALL(check, cudaStreamSynchronize(stream));
  EQUAL(check, to.read() == numbers, true);
}

// A batch whose second copy is invalid; 12 reports which one, or that it does not know.
void wrong() {
  Check check("batches.wrong");
  Stream stream(check);
  DeviceArray<int> memory(check, kCount);
  if (!check) return;
  void* targets[] = {memory.get(), nullptr};
  void* sources[] = {memory.get(), memory.get()};
  std::size_t sizes[] = {4, 4};
  cudaMemcpyAttributes attributes = in_stream_order();
  std::size_t start = 0;
  Guarded<std::size_t> failed;
  check.status(
      "null_target", "cudaMemcpyBatchAsync",
      copy_batch(targets, sources, sizes, 2, &attributes, &start, 1, failed.get(), stream));
  INTACT(check, failed);
  if (!check) return;
#if CUDART_VERSION < 13000
  check.value("failed", *failed == 1                              ? "1"
                        : *failed == static_cast<std::size_t>(-1) ? "max"
                                                                  : "other");
#endif
  check.status(
      "nothing", "cudaMemcpyBatchAsync",
      copy_batch(targets, sources, sizes, 0, &attributes, &start, 1, failed.get(), stream));
  check.status(
      "default_stream", "cudaMemcpyBatchAsync",
      copy_batch(sources, sources, sizes, 1, &attributes, &start, 1, failed.get(), nullptr));
  INTACT(check, failed);
}

cudaMemcpy3DOperand operand(int* memory) {
  cudaMemcpy3DOperand operand = {};
  operand.type = cudaMemcpyOperandTypePointer;
  operand.op.ptr.ptr = memory;
  return operand;
}

void boxes() {
  Check check("batches.copy_3d");
  Stream stream(check);
  DeviceArray<int> from(check, kCount * 2);
  DeviceArray<int> to(check, kCount * 2);
  if (!check) return;
  std::vector<int> numbers;
  for (int i = 0; i < kCount * 2; ++i) numbers.push_back(i + 1);
  from.write(numbers);
  cudaMemcpy3DBatchOp copies[2] = {};
  for (int i = 0; i < 2; ++i) {
    copies[i].src = operand(from.get() + i * kCount);
    copies[i].dst = operand(to.get() + i * kCount);
    copies[i].extent = make_cudaExtent(kCount * sizeof(int), 1, 1);
    copies[i].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  }
  Guarded<std::size_t> failed;
  if (!check.call("cudaMemcpy3DBatchAsync", copy_3d_batch(2, copies, failed.get(), stream))) {
    return;
  }
  INTACT(check, failed);
  CALL(check, cudaStreamSynchronize(stream));
  EQUAL(check, to.read() == numbers, true);
}

#if CUDART_VERSION >= 13000
void of_managed() {
  Check check("batches.prefetch_and_discard");
  Stream stream(check);
  int* memory = nullptr;
  constexpr std::size_t kBytes = 4 << 20;  // whole large pages, as discarding needs
  if (!check || !CALL(check, cudaMallocManaged(reinterpret_cast<void**>(&memory), kBytes))) return;
  void* pointers[] = {memory};
  std::size_t sizes[] = {kBytes};
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  std::size_t start = 0;
  for (int i = 0; i < kCount; ++i) memory[i] = i;
  if (CALL(check, cudaMemPrefetchBatchAsync(pointers, sizes, 1, &location, &start, 1, 0, stream))) {
    add<<<1, kCount, 0, stream>>>(memory, kCount, 1);
    CALL(check, cudaGetLastError());
    CALL(check, cudaStreamSynchronize(stream));
    EQUAL(check, memory[kCount - 1], kCount);
  }
  if (check && CALL(check, cudaMemDiscardBatchAsync(pointers, sizes, 1, 0, stream))) {
    CALL(check,
         cudaMemDiscardAndPrefetchBatchAsync(pointers, sizes, 1, &location, &start, 1, 0, stream));
    CALL(check, cudaStreamSynchronize(stream));
  }
  cudaFree(memory);
}
#endif

}  // namespace

void batches() {
  flat();
  wrong();
  boxes();
#if CUDART_VERSION >= 13000
  of_managed();
#endif
}

}  // namespace conformance

#endif
