// SPDX-License-Identifier: Apache-2.0

/* As UCX does, whose libraries come with Python packages: a constructor asks whether CUDA is there.
   The functions are for later steps; prototypes are written here since no header of CUDA is needed
   for them. */
int cuInit(unsigned flags);
int cuDeviceGetCount(int* count);
int cuDriverGetVersion(int* version);
int cuMemAlloc_v2(unsigned long long* pointer, unsigned long size);
int cudaGetDeviceCount(int* count);
int cudaRuntimeGetVersion(int* version);
const char* cudaGetErrorString(int error);
int cudaGetLastError(void);
int cudaMalloc(void** pointer, unsigned long size);
int nvrtcVersion(int* major, int* minor);

int asked = -1;

__attribute__((constructor)) static void ask(void) {
  int number = 0;
  int other = 0;
  asked = cudaGetDeviceCount(&number);
  cudaGetErrorString(asked);
  cudaGetLastError();
  cudaRuntimeGetVersion(&number);
  if (cuInit(0) == 0) cuDeviceGetCount(&number);
  cuDriverGetVersion(&number);
  nvrtcVersion(&number, &other);
}

int answer(void) { return asked; }
int allocate(void) {
  void* pointer = 0;
  return cudaMalloc(&pointer, 16);
}
int allocate_by_driver(void) {
  unsigned long long pointer = 0;
  return cuMemAlloc_v2(&pointer, 16);
}
