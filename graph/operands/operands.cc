// SPDX-License-Identifier: Apache-2.0
#include "anycuda/graph/operands.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "graph/driver_support.h"
#include "graph/error.h"
#include "graph/failures/releases.h"
#include "graph/parameters.h"
#include "graph/scopes.h"

namespace anycuda::graph {
namespace {

// Saves the look-up in programs that never call Kernel::load.
std::atomic<bool> any_loaded{false};

// The modules that Kernel::load has loaded and that are not unloaded yet.
struct LoadedModules {
  std::mutex lock;  // held for a look-up: neither CUDA nor a deleter runs meanwhile
  std::unordered_map<CUmod_st*, std::weak_ptr<const void>> owners;
};

// Never destroyed: deleters may run until the process ends.
LoadedModules& loaded_modules() {
  static auto* const all = new LoadedModules;
  return *all;
}

void remember_module(CUmod_st* module, const OpaqueHandle& owner) {
  const std::lock_guard<std::mutex> locked(loaded_modules().lock);
  loaded_modules().owners[module] = owner;
  any_loaded.store(true, std::memory_order_relaxed);
}

void forget_module(CUmod_st* module) noexcept {
  const std::lock_guard<std::mutex> locked(loaded_modules().lock);
  loaded_modules().owners.erase(module);
}

CUresult no_out() { return fail(CUDA_ERROR_INVALID_VALUE, "out is null"); }

}  // namespace

CUresult Buffer::allocate(std::size_t bytes, Buffer* out) {
  return entry([&] {
    if (out == nullptr) return no_out();
    if (bytes == 0) return fail(CUDA_ERROR_INVALID_VALUE, "a Buffer of 0 bytes is requested");
    CUdeviceptr address = 0;
    const CUresult result = answered("cuMemAlloc_v2", api::cuMemAlloc_v2(&address, bytes));
    if (result != CUDA_SUCCESS) return result;
    const CUcontext context = context_or_current(nullptr);
    // The address only makes the pointer non-null. If the shared_ptr cannot be allocated, its
    // deleter runs at once.
    OpaqueHandle allocation(reinterpret_cast<const void*>(address),
                            [address, context](const void*) {
                              const InContext current(context);
                              check_release("cuMemFree_v2", api::cuMemFree_v2(address));
                            });
    *out = wrap(address, bytes, std::move(allocation));
    return CUDA_SUCCESS;
  });
}

Buffer Buffer::wrap(CUdeviceptr address, std::size_t bytes, OpaqueHandle owner) {
  Buffer made;
  made.address_ = address;
  made.size_ = bytes;
  made.allocation_ = std::move(owner);
  return made;
}

CUresult Kernel::load(const void* image, const char* name, Kernel* out) {
  return entry([&] {
    if (out == nullptr) return no_out();
    if (image == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "the image is null");
    CUmod_st* module = nullptr;
    const CUresult result = answered("cuModuleLoadData", api::cuModuleLoadData(&module, image));
    if (result != CUDA_SUCCESS) return result;
    const CUcontext context = context_or_current(nullptr);
    Kernel loaded;
    loaded.module_ = OpaqueHandle(module, [module, context](const void*) {
      forget_module(module);
      const InContext current(context);
      check_release("cuModuleUnload", api::cuModuleUnload(module));
    });
    remember_module(module, loaded.module_);
    loaded.loaded_ = module;
    return loaded.sibling(name, out);
  });
}

OpaqueHandle loaded_module_of(CUfunction function) noexcept {
  if (!any_loaded.load(std::memory_order_relaxed)) return nullptr;
  CUmod_st* module = nullptr;
  if (api::cuFuncGetModule(&module, function) != api::CUDA_SUCCESS) return nullptr;
  const std::lock_guard<std::mutex> locked(loaded_modules().lock);
  const auto found = loaded_modules().owners.find(module);
  return found == loaded_modules().owners.end() ? nullptr : found->second.lock();
}

Kernel Kernel::wrap(CUfunction function, OpaqueHandle module) {
  Kernel made;
  made.function_ = function;
  made.module_ = std::move(module);
  return made;
}

CUresult Kernel::sibling(const char* name, Kernel* out) const {
  return entry([&] {
    if (out == nullptr) return no_out();
    if (name == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "the kernel's name is null");
    if (loaded_ == nullptr) {
      return fail(CUDA_ERROR_INVALID_VALUE, "%s: this Kernel was not loaded by Kernel::load", name);
    }
    Kernel found = *this;
    const CUresult result =
        answered("cuModuleGetFunction", api::cuModuleGetFunction(&found.function_, loaded_, name));
    if (result == CUDA_SUCCESS) *out = std::move(found);
    return result;
  });
}

CUresult Event::create(unsigned flags, Event* out) {
  return entry([&] {
    if (out == nullptr) return no_out();
    CUevent event = nullptr;
    const CUresult result = answered("cuEventCreate", api::cuEventCreate(&event, flags));
    if (result != CUDA_SUCCESS) return result;
    *out = wrap(event, event_owner(event), flags);
    return CUDA_SUCCESS;
  });
}

OpaqueHandle event_owner(CUevent event) {
  const CUcontext context = context_or_current(nullptr);
  return OpaqueHandle(event, [event, context](const void*) {
    const InContext current(context);
    check_release("cuEventDestroy_v2", api::cuEventDestroy_v2(event));
  });
}

Event Event::wrap(CUevent event, OpaqueHandle owner, unsigned flags) {
  Event made;
  made.flags_ = flags;
  made.event_ = event;
  made.owner_ = std::move(owner);
  return made;
}

}  // namespace anycuda::graph
