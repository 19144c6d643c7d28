// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/kernel.h"

#include <exception>

#include "anycuda/linker/errors.h"
#include "api/cuda_api.h"
#include "linker/base/message_text.h"
#include "linker/library/driver_calls.h"

namespace anycuda {
namespace {

using linker::need_function;

// A call about one kernel.
class Call {
 public:
  explicit Call(const Kernel& kernel)
      : about_("of the kernel " + linker::quoted(kernel.name())), handle_(kernel.handle()) {
    if (handle_ == nullptr) {
      throw linker::DriverError("the Kernel is empty: call Library::kernel first",
                                api::CUDA_ERROR_INVALID_HANDLE);
    }
    need_function("cuKernelGetFunction");
  }

  void require(unsigned result, const char* function) const {
    linker::require(result, function, about_);
  }
  CUkern_st* get() const { return handle_; }
  // The driver's functions for occupancy take a CUkernel cast to a CUfunction, and then use the
  // current context (CUDA Driver API, "Occupancy").
  CUfunc_st* as_function() const { return reinterpret_cast<CUfunc_st*>(handle_); }

  linker::PotentialBlockSize potential_block_size(std::size_t (*shared_of)(int), std::size_t shared,
                                                  int limit) const {
    linker::PotentialBlockSize size;
    require(api::cuOccupancyMaxPotentialBlockSize(&size.min_grid, &size.block, as_function(),
                                                  shared_of, shared, limit),
            "cuOccupancyMaxPotentialBlockSize");
    return size;
  }
  int attribute(unsigned which, int device) const {
    int value = 0;
    require(api::cuKernelGetAttribute(&value, which, handle_, device), "cuKernelGetAttribute");
    return value;
  }
  void set(unsigned which, int value, std::optional<int> device) const {
    require(api::cuKernelSetAttribute(which, value, handle_, device_or_current(device)),
            "cuKernelSetAttribute");
  }
  int device_or_current(std::optional<int> device) const {
    if (device) return *device;
    int current = 0;
    require(api::cuCtxGetDevice(&current), "cuCtxGetDevice");
    return current;
  }

 private:
  std::string about_;
  CUkern_st* handle_;
};

// The driver takes a function without data, which it calls on the calling thread. No exception may
// pass through the driver.
class SharedBytesCallback {
 public:
  using SharedOf = std::function<std::size_t(int)>;
  explicit SharedBytesCallback(const SharedOf& shared_of) : shared_of_(shared_of), outer_(current) {
    current = this;
  }
  ~SharedBytesCallback() { current = outer_; }
  SharedBytesCallback(const SharedBytesCallback&) = delete;
  SharedBytesCallback& operator=(const SharedBytesCallback&) = delete;

  static std::size_t answer(int block) noexcept {
    try {
      return current->shared_of_(block);
    } catch (...) {
      if (current->thrown_ == nullptr) current->thrown_ = std::current_exception();
      return 0;
    }
  }
  void rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  static thread_local SharedBytesCallback* current;
  const SharedOf& shared_of_;
  SharedBytesCallback* outer_;
  std::exception_ptr thrown_;
};
thread_local SharedBytesCallback* SharedBytesCallback::current = nullptr;

// A launch as the driver takes it.
class NativeLaunch {
 public:
  NativeLaunch(const linker::ClusterLaunch& launch, bool with_cluster) {
    config_.gridDimX = launch.grid[0];
    config_.gridDimY = launch.grid[1];
    config_.gridDimZ = launch.grid[2];
    config_.blockDimX = launch.block[0];
    config_.blockDimY = launch.block[1];
    config_.blockDimZ = launch.block[2];
    config_.sharedMemBytes = launch.shared_bytes;
    config_.hStream = launch.stream;
    if (!with_cluster || launch.cluster[0] == 0) return;
    attribute_.id = api::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute_.value.clusterDim.x = launch.cluster[0];
    attribute_.value.clusterDim.y = launch.cluster[1] == 0 ? 1 : launch.cluster[1];
    attribute_.value.clusterDim.z = launch.cluster[2] == 0 ? 1 : launch.cluster[2];
    config_.attrs = &attribute_;
    config_.numAttrs = 1;
  }
  NativeLaunch(const NativeLaunch&) = delete;
  NativeLaunch& operator=(const NativeLaunch&) = delete;
  const api::CUlaunchConfig_st* get() const { return &config_; }

 private:
  api::CUlaunchAttribute_st attribute_ = {};
  api::CUlaunchConfig_st config_ = {};
};

}  // namespace

Kernel Kernel::wrap(CUkern_st* kernel, std::shared_ptr<const void> owner, std::string name) {
  Kernel wrapped;
  wrapped.handle_ = kernel;
  wrapped.owner_ = std::move(owner);
  wrapped.name_ = std::move(name);
  return wrapped;
}

CUfunc_st* Kernel::function() const {
  const Call call(*this);
  CUfunc_st* function = nullptr;
  call.require(api::cuKernelGetFunction(&function, handle_), "cuKernelGetFunction");
  return function;
}

linker::KernelAttributes Kernel::attributes(std::optional<int> device) const {
  const Call call(*this);
  const int number = call.device_or_current(device);
  const auto get = [&](unsigned which) { return call.attribute(which, number); };
  linker::KernelAttributes all;
  all.max_threads_per_block = get(api::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  all.registers = get(api::CU_FUNC_ATTRIBUTE_NUM_REGS);
  all.shared_bytes = get(api::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  all.const_bytes = get(api::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  all.local_bytes = get(api::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  all.ptx_version = get(api::CU_FUNC_ATTRIBUTE_PTX_VERSION);
  all.binary_version = get(api::CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  all.cache_mode_ca = get(api::CU_FUNC_ATTRIBUTE_CACHE_MODE_CA) != 0;
  all.max_dynamic_shared_bytes = get(api::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  all.shared_memory_carveout = get(api::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  all.cluster_size_must_be_set = get(api::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) != 0;
  all.required_cluster = {get(api::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
                          get(api::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
                          get(api::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
  all.non_portable_cluster_size_allowed =
      get(api::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) != 0;
  all.cluster_scheduling_policy = get(api::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  return all;
}

// The driver does not say how many there are before CUDA 13: the first number that it refuses is.
std::vector<linker::KernelParameter> Kernel::parameters() const {
  const Call call(*this);
  need_function("cuKernelGetParamInfo");
  std::vector<linker::KernelParameter> all;
  for (;;) {
    linker::KernelParameter parameter;
    const unsigned result =
        api::cuKernelGetParamInfo(handle_, all.size(), &parameter.offset, &parameter.bytes);
    if (result == api::CUDA_ERROR_INVALID_VALUE) return all;
    call.require(result, "cuKernelGetParamInfo");
    all.push_back(parameter);
  }
}

void Kernel::set_max_dynamic_shared_bytes(int bytes, std::optional<int> device) const {
  Call(*this).set(api::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes, device);
}

void Kernel::set_shared_memory_carveout(int per_cent, std::optional<int> device) const {
  Call(*this).set(api::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, per_cent, device);
}

void Kernel::set_non_portable_cluster_size_allowed(bool allowed, std::optional<int> device) const {
  Call(*this).set(api::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, allowed ? 1 : 0,
                  device);
}

int Kernel::max_active_blocks(int block, std::size_t dynamic_shared_bytes) const {
  const Call call(*this);
  int blocks = 0;
  call.require(api::cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, call.as_function(), block,
                                                                dynamic_shared_bytes),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

linker::PotentialBlockSize Kernel::potential_block_size(std::size_t dynamic_shared_bytes,
                                                        int limit) const {
  return Call(*this).potential_block_size(nullptr, dynamic_shared_bytes, limit);
}

linker::PotentialBlockSize Kernel::potential_block_size(
    const std::function<std::size_t(int block)>& dynamic_shared_bytes, int limit) const {
  const Call call(*this);
  SharedBytesCallback callback(dynamic_shared_bytes);
  const linker::PotentialBlockSize size =
      call.potential_block_size(&SharedBytesCallback::answer, 0, limit);
  callback.rethrow();
  return size;
}

std::size_t Kernel::available_dynamic_shared_bytes(int blocks, int block) const {
  const Call call(*this);
  std::size_t bytes = 0;
  call.require(
      api::cuOccupancyAvailableDynamicSMemPerBlock(&bytes, call.as_function(), blocks, block),
      "cuOccupancyAvailableDynamicSMemPerBlock");
  return bytes;
}

int Kernel::max_cluster_size(const linker::ClusterLaunch& launch) const {
  const Call call(*this);
  int size = 0;
  call.require(api::cuOccupancyMaxPotentialClusterSize(&size, call.as_function(),
                                                       NativeLaunch(launch, false).get()),
               "cuOccupancyMaxPotentialClusterSize");
  return size;
}

int Kernel::max_active_clusters(const linker::ClusterLaunch& launch) const {
  const Call call(*this);
  int clusters = 0;
  call.require(api::cuOccupancyMaxActiveClusters(&clusters, call.as_function(),
                                                 NativeLaunch(launch, true).get()),
               "cuOccupancyMaxActiveClusters");
  return clusters;
}

}  // namespace anycuda
