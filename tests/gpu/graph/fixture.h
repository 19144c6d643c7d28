// SPDX-License-Identifier: Apache-2.0

// The common objects of the topics: a GPU, memory, and a few kernels compiled from source.
#pragma once

#include <string>
#include <vector>

#include "anycuda/graph/capture.h"
#include "anycuda/graph/exec.h"
#include "anycuda/graph/graph.h"
#include "common/device.h"
#include "graph/owned.h"

namespace gputest {

using namespace anycuda::graph;  // NOLINT: every line of every topic is about it

constexpr std::size_t kCount = 256;  // ints in a buffer
constexpr std::size_t kBytes = kCount * sizeof(int);

// The CUBIN of all kernels, compiled once for this GPU.
const std::string& kernels();
// A kernel in a new module, by its name in kernels.cc.
Kernel load(const char* name);
// A kernel that lives as long as the process, for tests that need no separate module.
const Kernel& shared_kernel(const char* name);
// Memory and an event that live as long as the process; each number is another buffer.
CUdeviceptr scratch(int number);
CUevent shared_event();
Buffer filled(int value);  // kCount ints

// add: to[i] = from[i] + value. Owners as the caller says. Its nodes point into it.
class Add {
 public:
  Add(CUdeviceptr to, CUdeviceptr from, int value) : to_(to), from_(from), value_(value) {}
  // Of the shared kernel, nothing owned.
  KernelNode node() { return node(shared_kernel("add")); }
  KernelNode node(const Kernel& kernel);

 private:
  CUdeviceptr to_;
  CUdeviceptr from_;
  int value_;
  int count_ = kCount;
  void* arguments_[4] = {};  // to the above, of this object
};

// A kernel that runs until `go` is set (or for some seconds: nothing may hang), and says that it
// has begun. Its graph node waits for nothing.
class Spin {
 public:
  KernelNode node();
  bool wait_until_running();
  void release() { go_.set(1); }
  void again();  // for the next launch

 private:
  Mapped go_;
  Mapped begun_;
  CUdeviceptr arguments_of_[2] = {0, 0};
  void* arguments_[2] = {&arguments_of_[0], &arguments_of_[1]};
};

Owners in_role(OwnerRole role, OpaqueHandle owner);
std::size_t node_count(CUgraph graph);
std::size_t node_count(const GraphView& graph);
bool all_are(CUdeviceptr buffer, int value);
// The same as a check, whose failure has the first value that differs.
void expect_all(Check& check, CUdeviceptr buffer, int value);

// Whether the memory of every `filled` buffer is freed: at the end of the program it must be.
bool all_is_freed();

}  // namespace gputest

// A call of the library that must succeed; if it fails, the library's message is printed.
#define CALL(check, ...) (check).call(#__VA_ARGS__, __VA_ARGS__, anycuda::graph::last_error())
