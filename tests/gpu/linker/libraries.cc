// SPDX-License-Identifier: Apache-2.0

// Library and Kernel: loaded once, used in two contexts, on several threads and in a graph.
#include "anycuda/linker/library.h"

#include <thread>

#include "anycuda/graph/drain.h"
#include "anycuda/graph/exec.h"
#include "anycuda/graph/stream_launch.h"
#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {

namespace {

using anycuda::Library;
using AnyKernel = anycuda::Kernel;
namespace graph = anycuda::graph;

constexpr unsigned kCount = 1000;
constexpr int kLargeShared = 64 << 10;  // more than a launch may use by default
constexpr char kSource[] = R"(
template <typename T> __global__ void scale(T* values, T factor, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}
__device__ int number = 5;
__constant__ int table[4];
__managed__ int managed_number;
extern "C" __global__ void gather(int* out) { *out = number + table[3] + managed_number; }
extern "C" __global__ void large(int* out) {
  extern __shared__ int memory[];
  memory[16000] = 7;
  *out = memory[16000];
}
)";

auto compiled(Output output) {
  ProgramOptions options;
  options.arch = device_arch();
  if (output == Output::ptx) options.arch.replace(0, 3, "compute_");  // of sm_
  Program program(kSource, "library.cu", options);
  for (const char* name : {"&scale<float>", "&scale<int>", "&table"}) {
    program.add_name_expression(name);
  }
  return program.compile(output);
}

// A second context on the device, current while this exists.
class OtherContext {
 public:
  explicit OtherContext(Check& check) {
#if CUDA_VERSION >= 13000
    DRIVER(check, cuCtxCreate(&context_, nullptr, 0, 0));
#else
    DRIVER(check, cuCtxCreate(&context_, 0, 0));
#endif
  }
  ~OtherContext() {
    cuCtxDestroy(context_);
    use_device();
  }
  OtherContext(const OtherContext&) = delete;
  OtherContext& operator=(const OtherContext&) = delete;

 private:
  CUcontext context_ = nullptr;
};

void launch(Check& check, const AnyKernel& kernel) {
  CUdeviceptr out = 0;
  if (!DRIVER(check, cuMemAlloc(&out, kCount * sizeof(int)))) return;
  write(out, std::vector<int>(kCount, 3));
  const graph::Buffer buffer = graph::Buffer::wrap(out, kCount * sizeof(int), nullptr);
  graph::launch(nullptr, kernel, {(kCount + 127) / 128, 128}, buffer, 4, kCount);
  if (DRIVER(check, cuCtxSynchronize())) {
    check.equal("the numbers", read(out, kCount) == std::vector<int>(kCount, 12), true);
  }
  DRIVER(check, cuMemFree(out));
}

int value_of(Check& check, const AnyKernel& kernel, unsigned shared = 0) {
  CUdeviceptr out = 0;
  if (!DRIVER(check, cuMemAlloc(&out, sizeof(int)))) return -1;
  void* arguments[] = {&out};
  const bool good = DRIVER(check, cuLaunchKernel(kernel.function(), 1, 1, 1, 1, 1, 1, shared,
                                                 nullptr, arguments, nullptr)) &&
                    DRIVER(check, cuCtxSynchronize());
  const int value = good ? read(out, 1)[0] : -1;
  DRIVER(check, cuMemFree(out));
  return value;
}

void contexts(Output output) {
  Check check(std::string("a library of ") + name_of(output) + " in two contexts");
  const auto code = compiled(output);
  cuCtxSetCurrent(nullptr);  // loading needs none
  const Library library = Library::load(code);
  const AnyKernel scale = library.kernel("&scale<int>");
  use_device();
  launch(check, scale);
  const CUfunction here = scale.function();
  EXPECT(check, scale == library.kernel(scale.name()));
  EXPECT(check, library.kernel_names().size() == 4);
  {
    const OtherContext other(check);
    check.during("in the other context");
    EXPECT(check, scale.function() != here);
    launch(check, scale);
  }
  check.during("in the first context again");
  EXPECT(check, scale.function() == here);
  launch(check, scale);
}

void variables() {
  Check check("variables of a library");
  const Library library = Library::load(compiled(Output::cubin));
  const Variable number = library.global("number");
  const Variable table = library.global("&table");
  const Variable managed = library.managed("managed_number");
  check.equal("the bytes of the table", table.bytes, 4 * sizeof(int));
  check.equal("the number", read(number.address, 1)[0], 5);
  write(table.address, {0, 0, 0, 30});
  *reinterpret_cast<volatile int*>(managed.address) = 400;
  check.equal("the sum", value_of(check, library.kernel("gather")), 435);
}

void missing() {
  Check check("missing names and unsuitable code");
  const Library library = Library::load(compiled(Output::cubin));
  try {
    (void)library.kernel("nothing");
    check.fail("a kernel that is not there was found");
  } catch (const DriverError& error) {
    check.equal("the result", error.result(), static_cast<int>(CUDA_ERROR_NOT_FOUND));
    EXPECT(check, std::string(error.what()).find("gather") != std::string::npos);
  }
  try {
    (void)library.global("nothing");
    check.fail("a variable that is not there was found");
  } catch (const DriverError& error) {
    check.equal("the result", error.result(), static_cast<int>(CUDA_ERROR_NOT_FOUND));
  }
  try {  // at the load, or with lazy loading at the first use
    const std::string wrong =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { x; }";
    const Library loaded = Library::load(Input::bytes(InputType::ptx, wrong, "wrong.ptx"));
    check.detail("no error at the load");
    (void)loaded.kernel("k").function();
    check.fail("wrong PTX was loaded");
  } catch (const DriverError& error) {
    check.detail(error.what());
    EXPECT(check, std::string(error.what()).find("log: ") != std::string::npos);
  }
}

void attributes() {
  Check check("attributes, parameters and occupancy");
  const Library library = Library::load(compiled(Output::cubin));
  const AnyKernel scale = library.kernel("&scale<float>");
  const KernelAttributes all = scale.attributes();
  EXPECT(check, all.max_threads_per_block > 0 && all.max_threads_per_block <= 1024);
  EXPECT(check, all.registers > 0 && all.registers <= 255);
  check.equal("the architecture", "sm_" + std::to_string(all.binary_version), device_arch());
  EXPECT(check, !all.cluster_size_must_be_set && all.required_cluster[0] == 0);
  check.equal("registers of device 0", scale.attributes(0).registers, all.registers);
  if (driver_version() >= 12040) {
    const std::vector<KernelParameter> parameters = scale.parameters();
    check.equal("parameters", parameters.size(), std::size_t{3});
    if (parameters.size() == 3) {
      EXPECT(check, parameters[1].offset == 8 && parameters[1].bytes == 4);
      EXPECT(check, parameters[2].offset == 12 && parameters[2].bytes == 4);
    }
  }
  int blocks = 0;
  DRIVER(check, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale.function(), 128, 0));
  check.equal("blocks", scale.max_active_blocks(128), blocks);
  const PotentialBlockSize size = scale.potential_block_size();
  EXPECT(check, size.min_grid > 0 && size.block > 0 && size.block <= all.max_threads_per_block);
  EXPECT(check, scale.potential_block_size(0, 64).block <= 64);
  EXPECT(check, scale.potential_block_size([](int block) { return std::size_t(block); }).block > 0);
  EXPECT(check, scale.available_dynamic_shared_bytes(1, 128) > 0);
  if (all.binary_version >= 90) {
    ClusterLaunch launch;
    launch.grid = {64, 1, 1};
    launch.block = {128, 1, 1};
    EXPECT(check, scale.max_cluster_size(launch) >= 8);
    launch.cluster = {2, 1, 1};
    EXPECT(check, scale.max_active_clusters(launch) > 0);
  }
  const AnyKernel large = library.kernel("large");
  large.set_max_dynamic_shared_bytes(kLargeShared);
  check.equal("shared bytes", large.attributes().max_dynamic_shared_bytes, kLargeShared);
  check.equal("the number", value_of(check, large, kLargeShared), 7);
}

// The graph is the only holder of the code.
void in_a_graph() {
  Check check("a kernel of a library in a graph");
  const graph::Buffer values = graph::Buffer::allocate(kCount * sizeof(float));
  graph::Exec exec;
  {
    const graph::Graph made = graph::Graph::create();
    const AnyKernel scale = Library::load(compiled(Output::cubin)).kernel("&scale<float>");
    made.add(scale, {(kCount + 255) / 256, 256}, values, 2.0F, kCount);
    exec = graph::Exec::instantiate(made);
  }
  const Stream stream;
  DRIVER(check, cuMemsetD32(values.address(), 0x3f800000, kCount));
  DRIVER(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  check.equal("the first bits", read(values.address(), 1)[0], 0x40000000);
  DRIVER(check, exec.destroy());
  while (graph::drain() != 0 || graph::pending() != 0) {
  }
}

// cuda.core does not unload libraries, since it does not know their contexts.
void unloading() {
  Check check("unloading: without a context, and after a context");
  const auto code = compiled(Output::cubin);
  for (int round = 0; check && round < 200; ++round)
    launch(check, Library::load(code).kernel("&scale<int>"));
  Library used = Library::load(code);
  {
    const OtherContext other(check);
    launch(check, used.kernel("&scale<int>"));
  }
  launch(check, used.kernel("&scale<int>"));
  cuCtxSetCurrent(nullptr);
  used = {};
  use_device();
  DRIVER(check, cuCtxSynchronize());
}

void threads() {
  Check check("threads that load, use and unload libraries");
  const auto code = compiled(Output::cubin);
  const Library shared = Library::load(code);
  std::vector<std::thread> all;
  for (int number = 0; number < 8; ++number) {
    all.emplace_back([&] {
      use_device();
      for (int round = 0; check && round < 20; ++round) {
        launch(check, Library::load(code).kernel("&scale<int>"));
        launch(check, shared.kernel("&scale<int>"));
      }
    });
  }
  for (std::thread& thread : all) thread.join();
}

}  // namespace

void libraries() {
  use_device();
  contexts(Output::cubin);
  contexts(Output::ptx);
  variables();
  missing();
  attributes();
  in_a_graph();
  threads();
  unloading();
}

void library_at_exit() {
  use_device();
  Check check("a library that is unloaded at the end of the process, after its context");
  static const Library at_exit = Library::load(compiled(Output::cubin));
  launch(check, at_exit.kernel("&scale<int>"));
}

}  // namespace gputest
