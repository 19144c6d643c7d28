#include "graph/loaded_modules.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "api/cuda_api.h"

namespace anycuda::graph {
namespace {

// So that a program which loads its modules itself pays nothing.
std::atomic<bool> any_loaded{false};

struct Modules {
  std::mutex lock;  // held for a look-up: neither CUDA nor a deleter runs meanwhile
  std::unordered_map<CUmod_st*, std::weak_ptr<const void>> owners;
};

// Never destroyed: deleters may run until the process ends.
Modules& modules() {
  static auto* const all = new Modules;
  return *all;
}

}  // namespace

void remember_module(CUmod_st* module, const OpaqueHandle& owner) {
  const std::lock_guard<std::mutex> locked(modules().lock);
  modules().owners[module] = owner;
  any_loaded.store(true, std::memory_order_relaxed);
}

void forget_module(CUmod_st* module) noexcept {
  const std::lock_guard<std::mutex> locked(modules().lock);
  modules().owners.erase(module);
}

OpaqueHandle loaded_module_of(CUfunction function) noexcept {
  if (!any_loaded.load(std::memory_order_relaxed)) return nullptr;
  CUmod_st* module = nullptr;
  if (api::cuFuncGetModule(&module, function) != api::CUDA_SUCCESS) return nullptr;
  const std::lock_guard<std::mutex> locked(modules().lock);
  const auto found = modules().owners.find(module);
  return found == modules().owners.end() ? nullptr : found->second.lock();
}

}  // namespace anycuda::graph
