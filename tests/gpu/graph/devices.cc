// SPDX-License-Identifier: Apache-2.0

// Owners on two GPUs: peers, and graphs that work on both.
#include <stdexcept>

#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

// The second GPU's primary context, made at the first call.
CUcontext second_context() {
  static const CUcontext context = [] {
    CUcontext made = nullptr;
    const CUresult status = cuDevicePrimaryCtxRetain(&made, 1);
    if (status != CUDA_SUCCESS) throw std::runtime_error("the second GPU: " + describe(status));
    at_the_end([] {
      settle();  // retired owners may have been made in this context
      cuDevicePrimaryCtxReset(1);
    });
    return made;
  }();
  return context;
}

// The second GPU's context is current until the end of a block.
class OnSecond {
 public:
  OnSecond() { cuCtxPushCurrent(second_context()); }
  ~OnSecond() {
    CUcontext context = nullptr;
    cuCtxPopCurrent(&context);
  }
  OnSecond(const OnSecond&) = delete;
  OnSecond& operator=(const OnSecond&) = delete;
};

// Each GPU reaches the other's memory until the end of a block, where the two are peers.
class PeerAccess {
 public:
  PeerAccess() : first_(use_device()) {
    int there = 0;
    int back = 0;
    cuDeviceCanAccessPeer(&there, 0, 1);
    cuDeviceCanAccessPeer(&back, 1, 0);
    if (there == 0 || back == 0) return;
    there_ = cuCtxEnablePeerAccess(second_context(), 0) == CUDA_SUCCESS;
    const OnSecond second;
    back_ = cuCtxEnablePeerAccess(first_, 0) == CUDA_SUCCESS;
  }
  ~PeerAccess() {
    if (there_) cuCtxDisablePeerAccess(second_context());
    const OnSecond second;
    if (back_) cuCtxDisablePeerAccess(first_);
  }
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;
  explicit operator bool() const { return there_ && back_; }

 private:
  CUcontext first_;
  bool there_ = false;
  bool back_ = false;
};

CUcontext current_context() {
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  return context;
}

Buffer filled_on_second(int value) {
  const OnSecond second;
  Buffer buffer;
  if (Buffer::allocate(kBytes, &buffer) != CUDA_SUCCESS) throw std::runtime_error(last_error());
  write(buffer.address(), std::vector<int>(kCount, value));
  return buffer;
}

// An error if no memory is allocated at the address. Looks it up in the second GPU's context.
CUresult look_up_on_second(CUdeviceptr address) {
  const OnSecond second;
  CUdeviceptr base = 0;
  std::size_t size = 0;
  return cuMemGetAddressRange(&base, &size, address);
}

bool is_freed_on_second(CUdeviceptr address) { return look_up_on_second(address) != CUDA_SUCCESS; }

// first -> second (copy), + 1 there (kernel), -> first (copy).
void graph_over_both() {
  Check check("one graph works on both GPUs, and only the graph holds their memory and modules");
  const PeerAccess access;
  check.detail(access ? "with peer access" : "without peer access");
  const std::string& image = kernels();  // the first call makes the first GPU's context current
  Buffer out = filled(0);
  CUdeviceptr freed[2] = {};
  Graph graph;
  CALL(check, Graph::create(&graph));
  {
    Buffer from = filled(41);
    Buffer there = filled_on_second(0);
    Buffer changed = filled_on_second(0);
    freed[0] = there.address();
    freed[1] = changed.address();
    MemcpyNode copy;
    copy.source.buffer = from;
    copy.destination.buffer = there;
    copy.width = kBytes;
    CUgraphNode last = nullptr;
    CALL(check, add_memcpy(graph, {}, copy, &last));
    Add add(changed.address(), there.address(), 1);
    {
      const OnSecond second;
      Kernel kernel;
      CALL(check, Kernel::load(image.data(), "add", &kernel));
      EXPECT(check, current_context() == second_context());  // so the kernel is the second GPU's
      KernelNode node = add.node(kernel);
      node.argument_buffers = {changed, there};
      CALL(check, add_kernel(graph, {last}, node, &last));
    }
    copy.source.buffer = changed;
    copy.destination.buffer = out;
    CALL(check, add_memcpy(graph, {last}, copy, nullptr));
  }
  Exec exec;
  Stream stream;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, graph.destroy());
  settle();
  EQUAL(check, look_up_on_second(freed[0]), CUDA_SUCCESS);
  EQUAL(check, look_up_on_second(freed[1]), CUDA_SUCCESS);
  for (int launch = 0; launch < 2; ++launch) {
    write(out.address(), std::vector<int>(kCount, 0));
    CALL(check, exec.launch(stream));
    DRIVER(check, stream.wait());
    if (!check) return;  // an error of a kernel ends the context, and every later call gives it
    expect_all(check, out.address(), 42);
  }
  CALL(check, exec.destroy());
  EXPECT(check,
         eventually([&] { return is_freed_on_second(freed[0]) && is_freed_on_second(freed[1]); }));
  const CUcontext left = current_context();  // use_device() would make it current
  EXPECT(check, left == use_device());
}

void peers() {
  Check check("a kernel of the first GPU reads memory of the second, which its node keeps");
  const PeerAccess access;
  if (!access) {
    check.detail("left out: the GPUs are not peers");
    return;
  }
  Buffer out = filled(0);
  CUdeviceptr freed = 0;
  Graph graph;
  CALL(check, Graph::create(&graph));
  {
    const Buffer there = filled_on_second(6);
    freed = there.address();
    Add add(out.address(), there.address(), 1);
    KernelNode node = add.node();
    node.argument_buffers = {out, there};
    CALL(check, add_kernel(graph, {}, node, nullptr));
  }
  Graph parent;
  CALL(check, Graph::create(&parent));
  CALL(check, add_child(parent, {}, graph, nullptr));
  CALL(check, graph.destroy());
  Exec exec;
  Stream stream;
  CALL(check, Exec::instantiate(parent, &exec));
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  expect_all(check, out.address(), 7);
  CALL(check, parent.destroy());
  settle();
  EQUAL(check, look_up_on_second(freed), CUDA_SUCCESS);
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return is_freed_on_second(freed); }));
}

// The owners go while the first one's context is current.
void replaced_on_second() {
  Check check("an executable of the second GPU lets replaced owners go");
  Life lives[3];
  CUstream stream = nullptr;
  Graph graph;
  CUgraphNode node = nullptr;
  Exec exec;
  HostNode host;
  host.function = [](void*) {};
  {
    const OnSecond second;
    DRIVER(check, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CALL(check, Graph::create(&graph));
    CALL(check, add_host(graph, {}, host, &node));
    CALL(check, Exec::instantiate(graph, &exec));
  }
  for (Life& life : lives) {
    host.data_owner = life.owner();
    CALL(check, exec.set_host(node, host));
    host.data_owner = nullptr;
    const OnSecond second;
    CALL(check, exec.launch(stream));
    DRIVER(check, cuStreamSynchronize(stream));
  }
  CALL(check, exec.set_host(node, host));
  for (const Life& life : lives) EQUAL(check, life.freed(), 1);
  CALL(check, exec.destroy());
  DRIVER(check, cuStreamDestroy(stream));
}

}  // namespace

void devices() {
  int count = 0;
  if (cuDeviceGetCount(&count) != CUDA_SUCCESS || count < 2) {
    Check check("owners on two GPUs");
    check.detail("left out: it needs two GPUs, and this machine has " + show(count));
    return;
  }
  graph_over_both();
  peers();
  replaced_on_second();
}

}  // namespace gputest
