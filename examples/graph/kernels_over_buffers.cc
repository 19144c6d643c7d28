// SPDX-License-Identifier: Apache-2.0

// Builds a graph of kernels, a copy and a callback in a few lines, and launches it. The executable
// graph is the only holder of the device memory, the kernel's module and the callback's data. It is
// built again and again, as in a program whose shapes change: memory does not grow. At least every
// 10 seconds the program prints how far it is, the time of a build, and the memory of the process.
//
//     kernels_over_buffers [BUILDS]
#include <anycuda/graph/drain.h>
#include <anycuda/graph/exec.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
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

constexpr unsigned kCount = 1000;

// __global__ void scale(float* values, float factor, unsigned count): values[i] *= factor
const char kScale[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 values, .param .f32 factor, .param .u32 count)
{
  .reg .pred %outside;
  .reg .f32 %f<3>;
  .reg .b32 %r<5>;
  .reg .b64 %a<3>;
  ld.param.u64 %a1, [values];
  ld.param.f32 %f1, [factor];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r4, %r2, %r3, %r4;
  setp.ge.u32 %outside, %r4, %r1;
  @%outside bra done;
  cvta.to.global.u64 %a1, %a1;
  mul.wide.u32 %a2, %r4, 4;
  add.u64 %a2, %a1, %a2;
  ld.global.f32 %f2, [%a2];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%a2], %f2;
done:
  ret;
}
)";

using Floats = std::vector<float>;

// 1.0 in all elements, times 3, times 2; then the host gets them.
Exec build(const Kernel& scale, const std::shared_ptr<Floats>& result, std::unique_ptr<int> calls) {
  // [begin]
  const Graph graph = Graph::create();
  const Buffer values = Buffer::allocate(kCount * sizeof(float));
  const LaunchConfig config{(kCount + 255) / 256, 256};
  const CUgraphNode ones = graph.add(MemsetNode{{values}, 0x3f800000, 4, kCount});
  const CUgraphNode three = graph.add({ones}, scale, config, values, 3.0F, kCount);
  const CUgraphNode six = graph.add({three}, scale, config, values, 2.0F, kCount);
  const MemoryOperand host{{}, 0, result->data(), nullptr, result};
  const CUgraphNode copied = graph.add({six}, MemcpyNode{host, {values}, kCount * sizeof(float)});
  graph.add({copied}, [calls = std::move(calls)] { ++*calls; });
  return Exec::instantiate(graph);
  // [end]
}

bool open_gpu() {
  int device = 0;
  CUcontext context = nullptr;
  const CUresult status = cuInit(0);
  constexpr int kNoDevice = 100;
  if (static_cast<int>(status) == kNoDevice) return false;  // no driver, or a driver without a GPU
  throw_if_failed(status);
  throw_if_failed(cuDeviceGet(&device, 0));
  throw_if_failed(cuDevicePrimaryCtxRetain(&context, device));
  throw_if_failed(cuCtxSetCurrent(context));
  return true;
}

long resident_kib() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4;
}

// A line for each tenth of the builds, and at least every 10 seconds.
class Progress {
 public:
  explicit Progress(int builds) : builds_(builds) {}
  void after(int number) {
    const auto now = Clock::now();
    if (number - printed_ < builds_ / 10 && now - last_ < std::chrono::seconds(10)) return;
    const double microseconds = std::chrono::duration<double, std::micro>(now - last_).count();
    std::printf("%d of %d builds, %.1f us each, %ld KiB\n", number, builds_,
                microseconds / (number - printed_), resident_kib());
    std::fflush(stdout);
    if (printed_ == 0) first_kib_ = resident_kib();
    last_ = now;
    printed_ = number;
  }
  // Since the first line. The driver's own memory may change by some MiB, and driver 580 keeps 208
  // bytes for each executable graph (docs/gpu.md, "Faults of NVIDIA's libraries and driver").
  bool grew() const {
    const long allowed = 32768 + builds_ / 4;
    return printed_ != 0 && resident_kib() - first_kib_ > allowed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  int builds_;
  int printed_ = 0;
  long first_kib_ = 0;
  Clock::time_point last_ = Clock::now();
};

int run(int builds) {
  if (!open_gpu()) {
    std::printf("there is no GPU here\n");
    return 0;
  }
  CUstream stream = nullptr;
  throw_if_failed(cuStreamCreate(&stream, 0));
  const Kernel scale = Kernel::load(kScale, "scale");
  Progress progress(builds);
  for (int number = 0; number < builds; ++number) {
    const auto result = std::make_shared<Floats>(kCount);
    const Exec exec = build(scale, result, std::make_unique<int>(0));
    throw_if_failed(exec.launch(stream));
    throw_if_failed(cuStreamSynchronize(stream));
    if (*result != Floats(kCount, 6.0F)) {
      std::fprintf(stderr, "build %d: the numbers are wrong\n", number);
      return 1;
    }
    progress.after(number + 1);
  }
  while (drain() != 0 || pending() != 0) {
  }
  if (progress.grew()) {
    std::fprintf(stderr, "the memory of the process grew\n");
    return 1;
  }
  std::printf("%d builds, all numbers are right\n", builds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? std::atoi(argv[1]) : 1000);
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
  }
}
