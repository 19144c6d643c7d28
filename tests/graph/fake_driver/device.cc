// SPDX-License-Identifier: Apache-2.0

// Memory, modules, events, contexts, as operands of nodes; and the functions that identify a driver
// library.
#include <cstdlib>
#include <cstring>

#include "model.h"

namespace {

// One for each of two devices.
CUctx_st* context_of(int device) { return reinterpret_cast<CUctx_st*>(0x100UL * (device + 1)); }
bool is_context(const CUctx_st* context) {
  return context == context_of(0) || context == context_of(1);
}

// Each thread begins on the first device.
std::vector<CUctx_st*>& contexts() {
  thread_local std::vector<CUctx_st*> all{context_of(0)};
  return all;
}

// What was made in one context is not to be freed in another.
template <typename Things, typename Thing>
void forget(Things* things, const Thing& thing) {
  const auto found = things->find(thing);
  if (found == things->end()) {
    ++fake::world().misuses;
    return;
  }
  if (found->second != contexts().back()) ++fake::world().wrong_contexts;
  things->erase(found);
}

}  // namespace

CUctx_st* fake::current_context() { return contexts().back(); }

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
  fake::world().memory[*out] = fake::current_context();
  return 0;
}
unsigned cuMemFree_v2(unsigned long long address) {
  FAULT;
  if (const unsigned status = fake::unsafe_call()) return status;
  forget(&fake::world().memory, address);
  return 0;
}

unsigned cuModuleLoadData(::CUmod_st** out, const void*) {
  FAULT;
  *out = reinterpret_cast<::CUmod_st*>(std::malloc(1));
  fake::world().modules[*out] = fake::current_context();
  return 0;
}
unsigned cuModuleUnload(::CUmod_st* module) {
  FAULT;
  forget(&fake::world().modules, module);
  fake::world().parameters.erase(module);
  fake::world().names.erase(module);
  std::free(module);
  return 0;
}
unsigned cuModuleGetFunction(::CUfunc_st** out, ::CUmod_st* module, const char* name) {
  FAULT;
  if (std::strcmp(name, "missing") == 0) return CUDA_ERROR_NOT_FOUND;
  *out = reinterpret_cast<::CUfunc_st*>(module);
  fake::world().names[module] = name;
  // The kernel of the random walk.
  if (std::strcmp(name, "add") == 0) fake::world().parameters[module] = {8, 8, 4, 4};
  // "takes_8_4": a kernel with a parameter of 8 bytes and one of 4.
  if (std::strncmp(name, "takes", 5) == 0) {
    std::vector<std::size_t>& sizes = fake::world().parameters[module];
    sizes.clear();
    for (const char* at = name + 5; *at == '_';) {
      char* end = nullptr;
      sizes.push_back(std::strtoul(at + 1, &end, 10));
      at = end;
    }
  }
  return 0;
}
unsigned cuFuncGetModule(::CUmod_st** out, ::CUfunc_st* function) {
  FAULT;
  *out = reinterpret_cast<::CUmod_st*>(function);
  return fake::world().modules.count(*out) != 0 ? 0 : CUDA_ERROR_INVALID_HANDLE;
}
unsigned cuFuncGetParamInfo(::CUfunc_st* function, unsigned long index, unsigned long* offset,
                            unsigned long* size) {
  FAULT;
  const auto known = fake::world().parameters.find(function);
  if (known == fake::world().parameters.end() || index >= known->second.size()) return 1;
  *offset = 8 * index;
  *size = known->second[index];
  return 0;
}
unsigned cuPointerGetAttribute(void* data, unsigned attribute, unsigned long long address) {
  FAULT;
  if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE) return 1;
  // Each allocation of cuMemAlloc_v2 has 4096 bytes.
  if (fake::world().memory.count(address & ~0xfffULL) == 0) return 1;
  *static_cast<unsigned*>(data) = CU_MEMORYTYPE_DEVICE;
  return 0;
}

unsigned cuEventCreate(::CUevent_st** out, unsigned) {
  FAULT;
  *out = reinterpret_cast<::CUevent_st*>(std::malloc(1));
  fake::world().events[*out] = fake::current_context();
  return 0;
}
unsigned cuEventDestroy_v2(::CUevent_st* event) {
  FAULT;
  forget(&fake::world().events, event);
  fake::world().recorded.erase(event);
  fake::world().waits_for.erase(event);
  std::free(event);
  return 0;
}

// A recorded event is complete when the launches that were made before have ended.
unsigned cuEventQuery(::CUevent_st* event) {
  FAULT;
  if (const unsigned status = fake::unsafe_call()) return status;
  if (fake::world().events.count(event) == 0) ++fake::world().misuses;
  for (const std::size_t launch : fake::world().waits_for[event]) {
    if (fake::world().running.count(launch) != 0) return CUDA_ERROR_NOT_READY;
  }
  return 0;
}

unsigned cuCtxGetCurrent(::CUctx_st** out) {
  *out = contexts().back();
  return 0;
}
unsigned cuCtxSetCurrent(::CUctx_st* context) {
  if (context != nullptr && !is_context(context)) return 201;
  contexts().back() = context;
  return 0;
}
unsigned cuCtxPushCurrent_v2(::CUctx_st* context) {
  if (!is_context(context)) return 201;
  contexts().push_back(context);
  return 0;
}
unsigned cuCtxPopCurrent_v2(::CUctx_st** out) {
  *out = contexts().back();
  if (contexts().size() > 1) contexts().pop_back();
  return 0;
}
unsigned cuCtxEnablePeerAccess(::CUctx_st* peer, unsigned) {
  return is_context(peer) && peer != contexts().back() ? 0 : 201;
}
unsigned cuDeviceCanAccessPeer(int* out, int device, int peer) {
  *out = device != peer ? 1 : 0;
  return 0;
}
unsigned cuDeviceGetCount(int* out) {
  *out = 2;
  return 0;
}
unsigned cuDevicePrimaryCtxRetain(::CUctx_st** out, int device) {
  *out = context_of(device);
  return device == 0 || device == 1 ? 0 : 101;
}
unsigned cuStreamGetCtx(::CUstream_st* stream, ::CUctx_st** out) {
  FAULT;
  *out = fake::context_of(stream);
  return 0;
}

unsigned cuInit(unsigned) { return 0; }
unsigned cuCtxSynchronize() { return 0; }
unsigned cuDeviceGet(int*, int) { return 0; }
unsigned cuDeviceGetAttribute(int*, unsigned, int) { return 0; }
unsigned cuDeviceGetName(char*, int, int) { return 0; }
unsigned cuEventSynchronize(::CUevent_st*) { return 0; }
unsigned cuMemcpyDtoH_v2(void*, unsigned long long, unsigned long) { return 0; }
unsigned cuMemcpyHtoD_v2(unsigned long long, const void*, unsigned long) { return 0; }
unsigned cuModuleLoadDataEx(::CUmod_st**, const void*, unsigned, unsigned*, void**) { return 0; }

}  // extern "C"
}  // namespace anycuda::api
