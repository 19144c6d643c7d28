// SPDX-License-Identifier: Apache-2.0
#include "graph/kernel/attributes.h"

#include <algorithm>

#include "graph/driver_support.h"
#include "graph/error.h"

namespace anycuda::graph {
namespace {

using Value = api::CUlaunchAttributeValue_union;

bool same(const Dim3& one, const Dim3& other) noexcept {
  return std::equal(one.begin(), one.end(), other.begin());
}

struct Row {
  unsigned id;  // of a node's and of a launch's attribute
  const char* name;
  const char* need;      // in driver_support.cc; nullptr: every driver has it
  const char* set_call;  // for messages
  bool (*given)(const LaunchAttributes&);
  bool (*same)(const LaunchAttributes&, const LaunchAttributes&);
  void (*write)(const LaunchAttributes&, Value*);
  void (*read)(const Value&, LaunchAttributes*);
};

constexpr Row kRows[] = {
    {api::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, "cooperative", nullptr,
     "cuGraphKernelNodeSetAttribute of a cooperative launch",
     [](const LaunchAttributes& one) { return one.cooperative; },
     [](const LaunchAttributes& one, const LaunchAttributes& other) {
       return one.cooperative == other.cooperative;
     },
     [](const LaunchAttributes& from, Value* to) { to->cooperative = from.cooperative ? 1 : 0; },
     [](const Value& from, LaunchAttributes* to) { to->cooperative = from.cooperative != 0; }},
    {api::CU_LAUNCH_ATTRIBUTE_PRIORITY, "priority", "the priority of a kernel",
     "cuGraphKernelNodeSetAttribute of a priority",
     [](const LaunchAttributes& one) { return one.priority.has_value(); },
     [](const LaunchAttributes& one, const LaunchAttributes& other) {
       return one.priority.value_or(0) == other.priority.value_or(0);
     },
     [](const LaunchAttributes& from, Value* to) { to->priority = from.priority.value_or(0); },
     [](const Value& from, LaunchAttributes* to) {
       if (from.priority != 0) to->priority = from.priority;
     }},
    {api::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, "cluster", "a cluster of blocks",
     "cuGraphKernelNodeSetAttribute of a cluster", has_cluster,
     [](const LaunchAttributes& one, const LaunchAttributes& other) {
       return same(one.cluster, other.cluster);
     },
     [](const LaunchAttributes& from, Value* to) {
       to->clusterDim = {from.cluster[0], from.cluster[1], from.cluster[2]};
     },
     [](const Value& from, LaunchAttributes* to) {
       const auto& sides = from.clusterDim;  // 0: not set
       if (sides.x != 0) to->cluster = {sides.x, sides.y, sides.z};
     }},
};
constexpr std::size_t kRowCount = sizeof kRows / sizeof *kRows;

CUresult set(CUgraphNode node, const Row& row, const LaunchAttributes& to) noexcept {
  Value value{};
  row.write(to, &value);
  return answered(row.set_call, api::cuGraphKernelNodeSetAttribute(node, row.id, &value));
}

// False for a driver without the attribute, and for a node that is not a kernel.
bool get(CUgraphNode node, const Row& row, LaunchAttributes* out) noexcept {
  const LastErrorScope sentence;
  if (row.need != nullptr && need(row.need) != CUDA_SUCCESS) return false;
  Value value{};
  if (api::cuGraphKernelNodeGetAttribute(node, row.id, &value) != api::CUDA_SUCCESS) return false;
  row.read(value, out);
  return true;
}

}  // namespace

bool has_cluster(const LaunchAttributes& one) noexcept { return !same(one.cluster, Dim3()); }

bool fits(const Dim3& cluster, const unsigned (&grid)[3]) noexcept {
  for (unsigned side = 0; side < 3; ++side) {
    if (cluster[side] == 0 || grid[side] % cluster[side] != 0) return false;
  }
  return true;
}

CUresult check_attributes(const KernelNode& node) noexcept {
  const LaunchAttributes& given = node.attributes;
  for (const Row& row : kRows) {
    if (row.need == nullptr || !row.given(given)) continue;
    const CUresult result = need(row.need);
    if (result != CUDA_SUCCESS) return result;
  }
  if (fits(given.cluster, node.grid)) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "kernel cluster: %u x %u x %u blocks do not fit a grid of %u x %u x %u blocks. "
              "Every side of the grid must be a multiple of the cluster's",
              given.cluster[0], given.cluster[1], given.cluster[2], node.grid[0], node.grid[1],
              node.grid[2]);
}

AttributeChange::~AttributeChange() {
  const LastErrorScope sentence;
  while (count_ != 0) {
    const Former& former = former_[--count_];
    static_cast<void>(set(node_, kRows[former.row], former.value));
  }
}

CUresult AttributeChange::set_given(const LaunchAttributes& wanted) noexcept {
  for (const Row& row : kRows) {
    if (!row.given(wanted)) continue;
    const CUresult result = set(node_, row, wanted);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult AttributeChange::set_all(const LaunchAttributes& wanted) noexcept {
  static_assert(kRowCount == kMost);
  for (std::size_t row = 0; row < kRowCount; ++row) {
    LaunchAttributes former;
    const bool known = get(node_, kRows[row], &former);
    if (kRows[row].same(wanted, former) || (!known && !kRows[row].given(wanted))) continue;
    const CUresult result = set(node_, kRows[row], wanted);
    if (result != CUDA_SUCCESS) return result;
    former_[count_++] = {row, former};
  }
  return CUDA_SUCCESS;
}

LaunchAttributes attributes_of(CUgraphNode node) noexcept {
  LaunchAttributes found;
  for (const Row& row : kRows) get(node, row, &found);
  return found;
}

CUresult check_exec_attributes(CUgraphNode node, const LaunchAttributes& wanted) noexcept {
  for (const Row& row : kRows) {
    LaunchAttributes now;
    if (!row.given(wanted) || (get(node, row, &now) && row.same(wanted, now))) continue;
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "Exec::set_kernel: the launch attribute \"%s\" differs from the node's, and the "
                "driver changes no launch attribute of an executable graph. Call set_kernel(), and "
                "instantiate the graph again",
                row.name);
  }
  return CUDA_SUCCESS;
}

CUresult programmatic_edges(const Dependencies& after, std::vector<Edge>* out) {
  out->reserve(after.count());
  for (std::size_t at = 0; at < after.count(); ++at) {
    const CUgraphNode from = after.nodes()[at];
    unsigned type = 0;
    CUresult result = answered("cuGraphNodeGetType", api::cuGraphNodeGetType(from, &type));
    const bool kernel = type == api::CU_GRAPH_NODE_TYPE_KERNEL;
    if (result == CUDA_SUCCESS && kernel) result = need("cuGraphAddDependencies_v2");
    if (result != CUDA_SUCCESS) return result;
    out->push_back(kernel ? programmatic_edge(from, nullptr) : Edge{from});
  }
  return CUDA_SUCCESS;
}

unsigned launch_attributes(const LaunchAttributes& given,
                           api::CUlaunchAttribute_st (*out)[kMostLaunchAttributes]) noexcept {
  static_assert(kRowCount + 1 == kMostLaunchAttributes);
  unsigned count = 0;
  for (const Row& row : kRows) {
    if (!row.given(given)) continue;
    api::CUlaunchAttribute_st& one = (*out)[count++];
    one.id = row.id;
    row.write(given, &one.value);
  }
  if (given.programmatic) {
    api::CUlaunchAttribute_st& one = (*out)[count++];
    one.id = api::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    one.value.programmaticStreamSerializationAllowed = 1;
  }
  return count;
}

}  // namespace anycuda::graph
