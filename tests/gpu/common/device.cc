// SPDX-License-Identifier: Apache-2.0
#include "common/device.h"

#include <stdexcept>

namespace gputest {

namespace {

void must(CUresult status, const char* what) {
  if (status != CUDA_SUCCESS) throw std::runtime_error(std::string(what) + ": " + describe(status));
}

std::vector<std::function<void()>>& given_back() {
  static auto* all = new std::vector<std::function<void()>>();
  return *all;
}

bool device_in_use = false;

CUcontext primary() {
  CUcontext context = nullptr;
  must(cuInit(0), "cuInit");
  must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  device_in_use = true;
  return context;
}

}  // namespace

std::string describe(CUresult status) {
  const char* name = nullptr;
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || name == nullptr) name = "";
  return show(status) + " " + name;
}

CUcontext use_device() {
  static const CUcontext context = primary();
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  return context;
}

void at_the_end(std::function<void()> give_back) { given_back().push_back(std::move(give_back)); }

void end_device(const std::function<void()>& last) {
  if (!device_in_use) return;
  while (!given_back().empty()) {
    given_back().back()();
    given_back().pop_back();
  }
  last();
  must(cuDevicePrimaryCtxReset(0), "cuDevicePrimaryCtxReset");
}

std::string device_arch() {
  use_device();
  int major = 0;
  int minor = 0;
  must(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), "attribute");
  must(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0), "attribute");
  return "sm_" + show(major) + show(minor);
}

int driver_version() {
  int version = 0;
  return cuDriverGetVersion(&version) == CUDA_SUCCESS ? version : 0;
}

Stream::Stream() {
  use_device();
  must(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

Stream::~Stream() { cuStreamDestroy(stream_); }

Mapped::Mapped() {
  use_device();
  void* host = nullptr;
  must(cuMemHostAlloc(&host, sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP), "cuMemHostAlloc");
  host_ = static_cast<volatile int*>(host);
  *host_ = 0;
  must(cuMemHostGetDevicePointer(&device_, host, 0), "cuMemHostGetDevicePointer");
}

Mapped::~Mapped() { cuMemFreeHost(const_cast<int*>(host_)); }

std::vector<int> read(CUdeviceptr from, std::size_t count) {
  std::vector<int> values(count, -1);
  must(cuMemcpyDtoH(values.data(), from, count * sizeof(int)), "cuMemcpyDtoH");
  return values;
}

void write(CUdeviceptr to, const std::vector<int>& values) {
  must(cuMemcpyHtoD(to, values.data(), values.size() * sizeof(int)), "cuMemcpyHtoD");
  // From pageable memory it may return before the data have arrived (CUDA Driver API, "API
  // synchronization behavior"), and streams of Stream's kind do not wait for it.
  must(cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

}  // namespace gputest
