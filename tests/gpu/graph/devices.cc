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
    at_the_end([] { cuDevicePrimaryCtxReset(1); });
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

Buffer filled_on_second(int value) {
  const OnSecond second;
  Buffer buffer;
  if (Buffer::allocate(kBytes, &buffer) != CUDA_SUCCESS) throw std::runtime_error(last_error());
  write(buffer.address(), std::vector<int>(kCount, value));
  return buffer;
}

bool is_freed(CUdeviceptr address) {
  CUdeviceptr base = 0;
  std::size_t size = 0;
  return cuMemGetAddressRange(&base, &size, address) != CUDA_SUCCESS;
}

// first -> second (copy), + 1 there (kernel), -> first (copy).
void graph_over_both() {
  Check check("one graph works on both GPUs, and alone has their memory and modules");
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
      CALL(check, Kernel::load(kernels().data(), "add", &kernel));
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
  EXPECT(check, !is_freed(freed[0]) && !is_freed(freed[1]));
  for (int launch = 0; launch < 2; ++launch) {
    write(out.address(), std::vector<int>(kCount, 0));
    CALL(check, exec.launch(stream));
    DRIVER(check, stream.wait());
    EXPECT(check, all_are(out.address(), 42));
  }
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return is_freed(freed[0]) && is_freed(freed[1]); }));
  CUcontext current = nullptr;
  DRIVER(check, cuCtxGetCurrent(&current));
  EXPECT(check, current == use_device());
}

void peers() {
  Check check("a kernel of the first GPU reads memory of the second, which its node keeps");
  int can = 0;
  DRIVER(check, cuDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) {
    check.detail("left out: the GPUs are not peers");
    return;
  }
  const CUresult enabled = cuCtxEnablePeerAccess(second_context(), 0);
  EXPECT(check, enabled == CUDA_SUCCESS || enabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
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
  EXPECT(check, all_are(out.address(), 7));
  CALL(check, parent.destroy());
  settle();
  EXPECT(check, !is_freed(freed));
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return is_freed(freed); }));
  DRIVER(check, cuCtxDisablePeerAccess(second_context()));
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
