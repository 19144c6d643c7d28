// SPDX-License-Identifier: Apache-2.0

// Launch attributes: from LaunchAttributes to the driver's attributes of kernel nodes and launches.
#pragma once

#include <vector>

#include "anycuda/graph/edges.h"
#include "anycuda/graph/nodes.h"
#include "api/cuda_api.h"

namespace anycuda::graph {

// Most nodes: adding these costs no more than the kernel.
inline bool gives_none(const LaunchAttributes& one) noexcept {
  return !one.cooperative && !one.programmatic && !one.priority && one.cluster[0] == 1 &&
         one.cluster[1] == 1 && one.cluster[2] == 1;
}
bool has_cluster(const LaunchAttributes& one) noexcept;
bool fits(const Dim3& cluster, const unsigned (&grid)[3]) noexcept;

// An error for wrong sides of a cluster, and for an attribute that the driver is too old for.
CUresult check_attributes(const KernelNode& node) noexcept;

// Gives a node other attributes. The destructor sets the former ones again unless keep() is called.
class AttributeChange {
 public:
  explicit AttributeChange(CUgraphNode node) : node_(node) {}
  ~AttributeChange();
  AttributeChange(const AttributeChange&) = delete;
  AttributeChange& operator=(const AttributeChange&) = delete;

  // Sets those that are given; for a new node.
  CUresult set_given(const LaunchAttributes& wanted) noexcept;
  // Sets those that the node has otherwise; attributes that are not given get CUDA's default. May
  // be called a second time, for one more attribute.
  CUresult set_all(const LaunchAttributes& wanted) noexcept;
  void keep() noexcept { count_ = 0; }

 private:
  struct Former {
    std::size_t row;
    LaunchAttributes value;
  };
  static constexpr std::size_t kMost = 3;

  CUgraphNode node_;
  Former former_[kMost + 1];
  std::size_t count_ = 0;
};

// What the driver reports: an attribute that it does not report is as if not given.
LaunchAttributes attributes_of(CUgraphNode node) noexcept;
// An error if one of the given attributes is another than the node's: the driver changes none of an
// executable graph.
CUresult check_exec_attributes(CUgraphNode node, const LaunchAttributes& wanted) noexcept;

// The edges to a new node: programmatic from kernels, ordinary from others. Throws std::bad_alloc.
CUresult programmatic_edges(const Dependencies& after, std::vector<Edge>* out);

// The attributes of a launch. Returns their number.
constexpr std::size_t kMostLaunchAttributes = 4;
unsigned launch_attributes(const LaunchAttributes& given,
                           api::CUlaunchAttribute_st (*out)[kMostLaunchAttributes]) noexcept;

}  // namespace anycuda::graph
