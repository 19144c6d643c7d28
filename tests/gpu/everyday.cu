// SPDX-License-Identifier: Apache-2.0

// An ordinary CUDA program: kernels, memory, a symbol, streams and events, a captured graph, a
// texture, managed memory. Its code does not depend on the stub; the source is the same for each
// nvcc.
//
// Prints a line per failure, "checksum <number>" over every result, and at last
// "built 12 runtime 12.9 driver 13.0 failures 0". Exit status: number of failures.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

int failures = 0;
std::uint64_t checksum = 0xcbf29ce484222325U;  // FNV-1a

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

template <typename T>
void add_to_checksum(const T* values, std::size_t count) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(values);
  for (std::size_t i = 0; i < count * sizeof(T); ++i) {
    checksum = (checksum ^ bytes[i]) * 0x100000001b3U;
  }
}

constexpr int kCount = 1 << 20;
constexpr int kBlock = 256;
constexpr int kSide = 64;

}  // namespace

#define CHECK(call) check(call, #call)
#define EXPECT(condition) expect(condition, #condition)

__device__ int seven = 7;

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void double_seven() { seven *= 2; }

__global__ void halve_image(cudaTextureObject_t texture, float* to) {
  const int x = threadIdx.x;
  const int y = blockIdx.x;
  // Between two elements: the texture unit takes their mean.
  to[y * kSide + x] = tex2D<float>(texture, x + 1.0F, y + 0.5F) * 0.5F;
}

__global__ void square(int n, float* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= data[i];
}

namespace {

void kernels_and_graph() {
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
#if CUDART_VERSION < 12000
  CHECK(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
#else
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
#endif
  for (int i = 0; i < 10; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaEventSynchronize(event));

  CHECK(cudaMemcpy(host.data(), y, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += host[i] != 22.0F * static_cast<float>(i % 7);
  EXPECT(wrong == 0);
  add_to_checksum(host.data(), host.size());
  add_to_checksum(&value, 1);

  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
}

void with_texture() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::vector<float> image(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) image[i] = static_cast<float>(i % 101);
  cudaArray_t array = nullptr;
  float* halved = nullptr;
  CHECK(cudaMallocArray(&array, &format, kSide, kSide));
  CHECK(cudaMalloc(&halved, image.size() * sizeof(float)));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), kSide * sizeof(float), kSide * sizeof(float),
                            kSide, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc desc = {};
  desc.addressMode[0] = cudaAddressModeClamp;
  desc.addressMode[1] = cudaAddressModeClamp;
  desc.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
  if (object == 0) return;
  halve_image<<<kSide, kSide>>>(object, halved);
  CHECK(cudaGetLastError());
  std::vector<float> result(image.size());
  CHECK(cudaMemcpy(result.data(), halved, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const float here = image[y * kSide + x];
      const float next = x + 1 < kSide ? image[y * kSide + x + 1] : here;
      wrong += result[y * kSide + x] != (here + next) * 0.25F;
    }
  }
  EXPECT(wrong == 0);
  add_to_checksum(result.data(), result.size());
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(halved));
}

// Two streams over one piece of managed memory, the second after the first by an event.
void managed_memory() {
  float* data = nullptr;
  constexpr int kSmall = 1 << 14;
  CHECK(cudaMallocManaged(&data, kSmall * sizeof(float)));
  if (data == nullptr) return;
  for (int i = 0; i < kSmall; ++i) data[i] = static_cast<float>(i % 13);
  cudaStream_t streams[2] = {};
  cudaEvent_t event = nullptr;
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
#if CUDART_VERSION >= 13000
  cudaMemLocation device = {};
  device.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemAdvise(data, kSmall * sizeof(float), cudaMemAdviseSetPreferredLocation, device));
  CHECK(cudaMemPrefetchAsync(data, kSmall * sizeof(float), device, 0, streams[0]));
#else
  CHECK(cudaMemAdvise(data, kSmall * sizeof(float), cudaMemAdviseSetPreferredLocation, 0));
  CHECK(cudaMemPrefetchAsync(data, kSmall * sizeof(float), 0, streams[0]));
#endif
  square<<<kSmall / kBlock, kBlock, 0, streams[0]>>>(kSmall, data);
  CHECK(cudaEventRecord(event, streams[0]));
  CHECK(cudaStreamWaitEvent(streams[1], event, 0));
  square<<<kSmall / kBlock, kBlock, 0, streams[1]>>>(kSmall, data);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(streams[1]));
  int wrong = 0;
  for (int i = 0; i < kSmall; ++i) {
    const float once = static_cast<float>((i % 13) * (i % 13));
    wrong += data[i] != once * once;
  }
  EXPECT(wrong == 0);
  add_to_checksum(data, kSmall);
  cudaPointerAttributes attributes = {};
  CHECK(cudaPointerGetAttributes(&attributes, data));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaFree(data));
}

void device() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int processors = 0;
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(properties.multiProcessorCount == processors);
  add_to_checksum(&processors, 1);
}

}  // namespace

int main() {
  int runtime = 0;
  int driver = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  device();
  kernels_and_graph();
  with_texture();
  managed_memory();
  std::printf("checksum %llx\n", static_cast<unsigned long long>(checksum));
  std::printf("built %d runtime %d.%d driver %d.%d failures %d\n", CUDART_VERSION / 1000,
              runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10, failures);
  return failures;
}
