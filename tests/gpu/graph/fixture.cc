// SPDX-License-Identifier: Apache-2.0
#include "graph/fixture.h"

#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "common/compile.h"

namespace gputest {

const char* kernel_source();  // kernels.cc

const std::string& kernels() {
  static const std::string image = compile_cubin(kernel_source());
  return image;
}

Kernel load(const char* name) {
  use_device();
  Kernel kernel;
  if (Kernel::load(kernels().data(), name, &kernel) != CUDA_SUCCESS) {
    throw std::runtime_error(std::string("kernel ") + name + ": " + last_error());
  }
  return kernel;
}

namespace {

// Made on first use, and released before the context is: at exit the driver may already be gone.
template <typename Thing>
class Shared {
 public:
  Shared() {
    at_the_end([this] { things_.clear(); });
  }
  Thing& operator[](const std::string& name) { return things_[name]; }

 private:
  std::map<std::string, Thing> things_;
};

}  // namespace

const Kernel& shared_kernel(const char* name) {
  static auto* all = new Shared<Kernel>();
  Kernel& kernel = (*all)[name];
  if (!kernel) kernel = load(name);
  return kernel;
}

CUdeviceptr scratch(int number) {
  static auto* all = new Shared<Buffer>();
  Buffer& buffer = (*all)[show(number)];
  if (!buffer) buffer = filled(0);
  return buffer.address();
}

CUevent shared_event() {
  static auto* all = new Shared<Event>();
  Event& event = (*all)[""];
  if (!event && Event::create(CU_EVENT_DISABLE_TIMING, &event) != CUDA_SUCCESS) {
    throw std::runtime_error(last_error());
  }
  return event.event();
}

namespace {
std::mutex allocations_lock;
std::vector<std::weak_ptr<const void>> allocations;
}  // namespace

bool all_is_freed() {
  return eventually([] {
    const std::lock_guard<std::mutex> lock(allocations_lock);
    for (const std::weak_ptr<const void>& allocation : allocations) {
      if (!allocation.expired()) return false;
    }
    return true;
  });
}

Buffer filled(int value) {
  use_device();
  Buffer buffer;
  if (Buffer::allocate(kBytes, &buffer) != CUDA_SUCCESS) throw std::runtime_error(last_error());
  write(buffer.address(), std::vector<int>(kCount, value));
  const std::lock_guard<std::mutex> lock(allocations_lock);
  allocations.push_back(buffer.allocation());
  return buffer;
}

KernelNode Add::node(const Kernel& kernel) {
  KernelNode node;
  node.kernel = kernel;
  node.grid[0] = kCount / 64;
  node.block[0] = 64;
  arguments_[0] = &to_;
  arguments_[1] = &from_;
  arguments_[2] = &value_;
  arguments_[3] = &count_;
  node.arguments = arguments_;
  return node;
}

KernelNode Spin::node() {
  arguments_of_[0] = go_.device();
  arguments_of_[1] = begun_.device();
  KernelNode node;
  node.kernel = shared_kernel("spin");
  node.arguments = arguments_;
  return node;
}

bool Spin::wait_until_running() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  while (begun_.get() == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return begun_.get() != 0;
}

void Spin::again() {
  go_.set(0);
  begun_.set(0);
}

Owners in_role(OwnerRole role, OpaqueHandle owner) {
  Owners owners;
  owners[static_cast<unsigned>(role)] = std::move(owner);
  return owners;
}

std::size_t node_count(CUgraph graph) {
  std::size_t count = 0;
  const CUresult status = cuGraphGetNodes(graph, nullptr, &count);
  if (status != CUDA_SUCCESS) throw std::runtime_error("cuGraphGetNodes: " + describe(status));
  return count;
}

std::size_t node_count(const GraphView& graph) { return node_count(graph.get()); }

bool all_are(CUdeviceptr buffer, int value) {
  for (const int got : read(buffer, kCount)) {
    if (got != value) return false;
  }
  return true;
}

void expect_all(Check& check, CUdeviceptr buffer, int value) {
  const std::vector<int> got = read(buffer, kCount);
  for (std::size_t at = 0; at < got.size(); ++at) {
    if (got[at] == value) continue;
    return check.fail("int " + show(at) + " is " + show(got[at]) + ", expected " + show(value));
  }
}

}  // namespace gputest
