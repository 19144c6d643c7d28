// SPDX-License-Identifier: Apache-2.0

// A kernel of a Library: its function for each context, its attributes and its occupancy.
//
//   const anycuda::Kernel scale = library.kernel("&scale<float>");
//   const int block = scale.potential_block_size().block;
//   graph.add(scale, {(count + block - 1) / block, block}, values, 2.0F, count);  // anycuda::graph
//   graph::launch(stream, scale, {4, block}, values, 2.0F, count);  // or cuLaunchKernel:
//   cuLaunchKernel(scale.function(), ...);
//
// Sources: CUDA Driver API, "Library Management", "Occupancy" and "Execution Control".
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The driver's types, under NVIDIA's tags: a CUkernel is a CUkern_st*.
struct CUfunc_st;
struct CUkern_st;
struct CUstream_st;

namespace anycuda {

namespace linker {

// Of a kernel on one device (CUfunction_attribute).
struct KernelAttributes {
  int max_threads_per_block = 0;
  int registers = 0;                 // per thread
  int shared_bytes = 0;              // static shared memory per block
  int const_bytes = 0;               // constant memory of the program
  int local_bytes = 0;               // per thread
  int ptx_version = 0;               // 80: compiled for compute_80
  int binary_version = 0;            // 90: machine code of sm_90
  bool cache_mode_ca = false;        // compiled with -Xptxas -dlcm=ca
  int max_dynamic_shared_bytes = 0;  // set_max_dynamic_shared_bytes() changes it
  int shared_memory_carveout = 0;    // per cent of the cache that is preferred; -1: the driver's
  bool cluster_size_must_be_set = false;
  std::array<int, 3> required_cluster = {};  // width, height, depth in blocks; 0: none is required
  bool non_portable_cluster_size_allowed = false;
  int cluster_scheduling_policy = 0;  // CUclusterSchedulingPolicy
};

// A parameter of a kernel.
struct KernelParameter {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// A launch of at most `block` threads per block reaches the most active threads, with at least
// `min_grid` blocks.
struct PotentialBlockSize {
  int min_grid = 0;
  int block = 0;
};

// A launch with clusters, for their occupancy.
struct ClusterLaunch {
  std::array<unsigned, 3> grid = {1, 1, 1};     // blocks
  std::array<unsigned, 3> block = {1, 1, 1};    // threads
  std::array<unsigned, 3> cluster = {0, 0, 0};  // blocks; 0: as the kernel was compiled
  unsigned shared_bytes = 0;                    // dynamic shared memory per block
  CUstream_st* stream = nullptr;
};

}  // namespace linker

// Cheap to copy. A copy keeps the library loaded, as owner() does. All functions may be called from
// any thread. Those that call the driver throw DriverError if it fails (CUDA_ERROR_INVALID_HANDLE
// for an empty Kernel), and BackendError if it lacks the function. "Current" means the calling
// thread's current context: without one the driver returns CUDA_ERROR_INVALID_CONTEXT.
class Kernel {
 public:
  Kernel() = default;  // empty
  // A kernel from elsewhere, which `owner` keeps loaded; an empty owner keeps nothing. `name` is
  // for messages.
  [[nodiscard]] static Kernel wrap(CUkern_st* kernel, std::shared_ptr<const void> owner,
                                   std::string name = {});

  explicit operator bool() const { return handle_ != nullptr; }
  // The same in every context. cuLaunchKernel and cuOccupancy* also take it as a CUfunction, for
  // the current context.
  CUkern_st* handle() const { return handle_; }
  // Its function in the current context, in which the code is loaded now if it was not yet
  // (cuKernelGetFunction). Valid while the context and the library exist.
  [[nodiscard]] CUfunc_st* function() const;
  // Keeps the library loaded: a graph's node, or a queue of launches, holds it as long as it may
  // use the kernel.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  // As in the code: "_Z5scaleIfEvPT_".
  const std::string& name() const { return name_; }

  // On this device, by default the current context's (cuKernelGetAttribute).
  [[nodiscard]] linker::KernelAttributes attributes(std::optional<int> device = {}) const;
  // In their order (cuKernelGetParamInfo: needs a driver of CUDA 12.4, and a current context).
  [[nodiscard]] std::vector<linker::KernelParameter> parameters() const;

  // For all later launches on this device, by default the current context's
  // (cuKernelSetAttribute). More than 48 KiB of dynamic shared memory need the first.
  void set_max_dynamic_shared_bytes(int bytes, std::optional<int> device = {}) const;
  void set_shared_memory_carveout(int per_cent, std::optional<int> device = {}) const;
  void set_non_portable_cluster_size_allowed(bool allowed, std::optional<int> device = {}) const;

  // Occupancy on the current context's device.
  // The most blocks of `block` threads that one multiprocessor runs at the same time.
  [[nodiscard]] int max_active_blocks(int block, std::size_t dynamic_shared_bytes = 0) const;
  // `limit`: the most threads per block, 0 for the kernel's and the device's own limit.
  [[nodiscard]] linker::PotentialBlockSize potential_block_size(
      std::size_t dynamic_shared_bytes = 0, int limit = 0) const;
  // With dynamic shared memory that depends on the threads per block. The function is called on
  // this thread before this returns, and must not call CUDA; what it throws is thrown on.
  [[nodiscard]] linker::PotentialBlockSize potential_block_size(
      const std::function<std::size_t(int block)>& dynamic_shared_bytes, int limit = 0) const;
  // Dynamic shared memory that each block may use if `blocks` of them run on a multiprocessor.
  [[nodiscard]] std::size_t available_dynamic_shared_bytes(int blocks, int block) const;
  // The largest cluster for this launch; ClusterLaunch::cluster does not count.
  [[nodiscard]] int max_cluster_size(const linker::ClusterLaunch& launch) const;
  // The most clusters that the device runs at the same time.
  [[nodiscard]] int max_active_clusters(const linker::ClusterLaunch& launch) const;

  // The same kernel of the same library.
  friend bool operator==(const Kernel& a, const Kernel& b) { return a.handle_ == b.handle_; }
  friend bool operator!=(const Kernel& a, const Kernel& b) { return a.handle_ != b.handle_; }

 private:
  CUkern_st* handle_ = nullptr;
  std::shared_ptr<const void> owner_;
  std::string name_;
};

}  // namespace anycuda
