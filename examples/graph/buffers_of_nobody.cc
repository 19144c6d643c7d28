// SPDX-License-Identifier: Apache-2.0

// Builds a graph that is the only holder of its buffers, clones it, instantiates the clone,
// destroys both graphs, launches, updates and launches again. The buffers live exactly as long as a
// launch can still use them.
#include <anycuda/graph/drain.h>
#include <anycuda/graph/exec.h>
#include <anycuda/graph/graph.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#ifndef ANYCUDA_HAS_CUDA_H  // <cuda.h> declares these, where there is one
extern "C" {
CUresult cuInit(unsigned flags);
CUresult cuDeviceGet(int* device, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, int device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuStreamCreate(CUstream* stream, unsigned flags);
CUresult cuStreamSynchronize(CUstream stream);
}
#endif

namespace {

using namespace anycuda::graph;

constexpr std::size_t kBytes = 1 << 20;

void check(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d: %s\n", what, static_cast<int>(status), last_error());
  std::exit(1);
}

using Bytes = std::vector<unsigned char>;

// Device memory is filled with `value` and copied to the host, where a callback looks at it. When
// this function returns, only the graph holds the memory.
Graph build(unsigned value, CUgraphNode* set, std::weak_ptr<Bytes>* host) {
  Graph graph;
  check(Graph::create(&graph), "Graph::create");
  Buffer device;
  check(Buffer::allocate(kBytes, &device), "Buffer::allocate");
  auto result = std::make_shared<Bytes>(kBytes);
  *host = result;

  MemsetNode fill;
  fill.destination.buffer = device;
  fill.value = value;
  fill.width = kBytes;
  check(add_memset(graph, {}, fill, set), "add_memset");

  MemcpyNode copy;
  copy.source.buffer = device;
  copy.destination.host = result->data();
  copy.destination.owner = result;
  copy.width = kBytes;
  CUgraphNode copied = nullptr;
  check(add_memcpy(graph, {*set}, copy, &copied), "add_memcpy");

  HostNode look;
  look.call = [result] {
    std::printf("%zu bytes, the last is %d\n", result->size(), result->back());
  };
  check(add_host(graph, {copied}, look, nullptr), "add_host");
  return graph;
}

bool open_gpu() {
  int device = 0;
  CUcontext context = nullptr;
  const CUresult status = cuInit(0);
  constexpr int kNoDevice = 100;
  if (static_cast<int>(status) == kNoDevice) return false;  // no driver, or a driver without a GPU
  check(status, "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  return true;
}

void expect(const std::weak_ptr<Bytes>& memory, unsigned char value) {
  const std::shared_ptr<Bytes> held = memory.lock();
  if (held != nullptr && *held == Bytes(kBytes, value)) return;
  std::fprintf(stderr, held == nullptr ? "the memory went too early\n" : "the memory is wrong\n");
  std::exit(1);
}

// The driver reports on one of its threads that a graph has released its owners.
void expect_gone(const std::weak_ptr<Bytes>& memory) {
  for (int wait = 0; wait < 1000; ++wait) {
    drain();
    if (memory.expired()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::fprintf(stderr, "memory that nothing can use is still there\n");
  std::exit(1);
}

}  // namespace

int main() {
  if (!open_gpu()) {
    std::printf("there is no GPU here\n");
    return 0;
  }
  CUstream stream = nullptr;
  check(cuStreamCreate(&stream, 0), "cuStreamCreate");
  const auto run = [stream](const Exec& exec) {
    check(exec.launch(stream), "launch");
    check(cuStreamSynchronize(stream), "cuStreamSynchronize");
  };

  std::weak_ptr<Bytes> first;
  std::weak_ptr<Bytes> second;
  CUgraphNode set = nullptr;
  Exec exec;
  {
    Graph clone;
    check(build(1, &set, &first).clone(&clone), "clone");  // the graph itself goes at once
    check(Exec::instantiate(clone, &exec), "instantiate");
  }
  run(exec);
  expect(first, 1);

  Graph other = build(2, &set, &second);
  check(exec.update(other), "update");
  run(exec);
  expect(second, 2);
  expect_gone(first);

  check(other.destroy(), "destroy");
  run(exec);
  expect(second, 2);  // memory that only the executable graph has
  check(exec.destroy(), "destroy");
  expect_gone(second);
  std::printf("all memory is free again\n");
  return 0;
}
