// Memory, modules, events, contexts: what operands are made of; and the functions that a library
// must have to be taken for a driver.
#include <cstdlib>
#include <cstring>

#include "model.h"

namespace {
CUctx_st* const kContext = reinterpret_cast<CUctx_st*>(0x100);
}  // namespace

namespace anycuda::api {
extern "C" {

unsigned cuDriverGetVersion(int* out) {
  const char* const wanted = std::getenv("FAKE_DRIVER_VERSION");
  *out = wanted != nullptr ? std::atoi(wanted) : 13000;
  return 0;
}

unsigned cuGetErrorName(unsigned error, const char** out) {
  *out = error == 1 ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_FAKE";
  return 0;
}
unsigned cuGetErrorString(unsigned, const char** out) {
  *out = "the fake driver says no";
  return 0;
}

unsigned cuMemAlloc_v2(unsigned long long* out, unsigned long) {
  FAULT;
  if (const unsigned status = fake::unsafe_call()) return status;
  static unsigned long long next = 0x10000;
  *out = next += 0x1000;
  fake::world().memory.insert(*out);
  return 0;
}
unsigned cuMemFree_v2(unsigned long long address) {
  FAULT;
  if (const unsigned status = fake::unsafe_call()) return status;
  if (fake::world().memory.erase(address) == 0) ++fake::world().misuses;
  return 0;
}

unsigned cuModuleLoadData(::CUmod_st** out, const void*) {
  FAULT;
  *out = reinterpret_cast<::CUmod_st*>(std::malloc(1));
  fake::world().modules.insert(*out);
  return 0;
}
unsigned cuModuleUnload(::CUmod_st* module) {
  FAULT;
  if (fake::world().modules.erase(module) == 0) ++fake::world().misuses;
  std::free(module);
  return 0;
}
unsigned cuModuleGetFunction(::CUfunc_st** out, ::CUmod_st* module, const char* name) {
  FAULT;
  if (std::strcmp(name, "missing") == 0) return CUDA_ERROR_NOT_FOUND;
  *out = reinterpret_cast<::CUfunc_st*>(module);
  return 0;
}

unsigned cuEventCreate(::CUevent_st** out, unsigned) {
  FAULT;
  *out = reinterpret_cast<::CUevent_st*>(std::malloc(1));
  fake::world().events.insert(*out);
  return 0;
}
unsigned cuEventDestroy_v2(::CUevent_st* event) {
  FAULT;
  if (fake::world().events.erase(event) == 0) ++fake::world().misuses;
  fake::world().recorded.erase(event);
  std::free(event);
  return 0;
}

unsigned cuCtxGetCurrent(::CUctx_st** out) {
  *out = kContext;
  return 0;
}
unsigned cuCtxPushCurrent_v2(::CUctx_st*) { return 0; }
unsigned cuCtxPopCurrent_v2(::CUctx_st** out) {
  *out = kContext;
  return 0;
}

unsigned cuInit(unsigned) { return 0; }
unsigned cuCtxSetCurrent(::CUctx_st*) { return 0; }
unsigned cuCtxSynchronize() { return 0; }
unsigned cuDeviceGet(int*, int) { return 0; }
unsigned cuDeviceGetAttribute(int*, unsigned, int) { return 0; }
unsigned cuDeviceGetCount(int*) { return 0; }
unsigned cuDeviceGetName(char*, int, int) { return 0; }
unsigned cuDevicePrimaryCtxRetain(::CUctx_st**, int) { return 0; }
unsigned cuEventSynchronize(::CUevent_st*) { return 0; }
unsigned cuMemcpyDtoH_v2(void*, unsigned long long, unsigned long) { return 0; }
unsigned cuMemcpyHtoD_v2(unsigned long long, const void*, unsigned long) { return 0; }
unsigned cuModuleLoadDataEx(::CUmod_st**, const void*, unsigned, unsigned*, void**) { return 0; }

}  // extern "C"
}  // namespace anycuda::api
