// What an ordinary CUDA program does, in functions whose ABI is the same in CUDA 11, 12 and 13:
// kernels, memory, a symbol, streams, events, a captured graph. Exit status: number of failures.
//
// Prints one line, "built 12 runtime 13 driver 13 failures 0", and a line per failure before it.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace {

int failures = 0;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("FAIL %s: %d %s\n", what, static_cast<int>(status), cudaGetErrorString(status));
  ++failures;
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("FAIL %s\n", what);
  ++failures;
}

}  // namespace

#define CHECK(call) check(call, #call)
#define EXPECT(condition) expect(condition, #condition)

__device__ int seven = 7;

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void double_seven() { seven *= 2; }

int main() {
  constexpr int kCount = 1 << 20;
  constexpr int kBlock = 256;
  int runtime = 0;
  int driver = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));

  std::vector<float> host(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = static_cast<float>(i % 7);
  float* x = nullptr;
  float* y = nullptr;
  CHECK(cudaMalloc(&x, kCount * sizeof(float)));
  CHECK(cudaMalloc(&y, kCount * sizeof(float)));
  CHECK(cudaMemcpy(x, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(y, 0, kCount * sizeof(float)));
  saxpy<<<kCount / kBlock, kBlock>>>(kCount, 2.0F, x, y);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  double_seven<<<1, 1>>>();
  CHECK(cudaGetLastError());
  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, seven, sizeof value));
  EXPECT(value == 14);

  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  saxpy<<<kCount / kBlock, kBlock, 0, stream>>>(kCount, 2.0F, x, y);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (int i = 0; i < 10; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaEventSynchronize(event));

  CHECK(cudaMemcpy(host.data(), y, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += host[i] != 22.0F * static_cast<float>(i % 7);
  EXPECT(wrong == 0);

  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  std::printf("built %d runtime %d.%d driver %d.%d failures %d\n", CUDART_VERSION / 1000,
              runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10, failures);
  return failures;
}
