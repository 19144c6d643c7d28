// SPDX-License-Identifier: Apache-2.0

// Attributes of kernel nodes, and which nodes of an instantiated graph are on.
#include <cstring>

#include "graph_forms.h"
#include "kernels.h"
#include "topics.h"

namespace conformance {

namespace {

struct TwoKernels {
  TwoKernels(Check& check, int* data) : add(data, 1) {
    CALL(check, cudaGraphCreate(&graph, 0));
    const cudaKernelNodeParams params = add.node();
    for (Node& node : nodes) {
      if (check) CALL(check, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    }
  }
  Add add;
  Graph graph;
  Node nodes[2] = {};
};

// Sets an attribute, reads it back, and prints what `show_it` makes of it.
template <typename Fill, typename Show>
void round_trip(Check& check, const TwoKernels& kernel, const std::string& name,
                cudaLaunchAttributeID attribute, Fill fill, Show show_it) {
  Guarded<cudaLaunchAttributeValue> value;
  std::memset(value.get(), 0, sizeof *value);
  fill(*value);
  if (!check ||
      !CALL(check, cudaGraphKernelNodeSetAttribute(kernel.nodes[0], attribute, value.get()))) {
    return;
  }
  Guarded<cudaLaunchAttributeValue> got;
  if (!CALL(check, cudaGraphKernelNodeGetAttribute(kernel.nodes[0], attribute, got.get()))) return;
  INTACT(check, value);
  INTACT(check, got);
  EQUAL(check, show_it(*got), show_it(*value));
  check.value(name, show_it(*got));
}

void set_and_get() {
  Check check("node_attributes.set_and_get");
  DeviceArray<int> data(check, kCount);
  TwoKernels kernel(check, data.get());
  if (!check) return;
  const auto window = [&](cudaLaunchAttributeValue& value) {
    value.accessPolicyWindow.base_ptr = data.get();
    value.accessPolicyWindow.num_bytes = data.bytes();
    value.accessPolicyWindow.hitRatio = 0.5F;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  };
  round_trip(check, kernel, "access_policy", cudaLaunchAttributeAccessPolicyWindow, window,
             [](const cudaLaunchAttributeValue& value) {
               return show(value.accessPolicyWindow.num_bytes) + " " +
                      show(value.accessPolicyWindow.hitRatio) + " " +
                      show(value.accessPolicyWindow.hitProp) + " " +
                      show(value.accessPolicyWindow.missProp);
             });
  round_trip(
      check, kernel, "priority", cudaLaunchAttributePriority,
      [](cudaLaunchAttributeValue& value) { value.priority = -1; },
      [](const cudaLaunchAttributeValue& value) { return show(value.priority); });
  round_trip(
      check, kernel, "cooperative", cudaLaunchAttributeCooperative,
      [](cudaLaunchAttributeValue& value) { value.cooperative = 1; },
      [](const cudaLaunchAttributeValue& value) { return show(value.cooperative); });
}

// What a newer CUDA has and 11.8 does not.
void newer() {
#if CUDART_VERSION >= 12000
  Check check("node_attributes.newer");
  DeviceArray<int> data(check, kCount);
  TwoKernels kernel(check, data.get());
  if (!check) return;
  round_trip(
      check, kernel, "memory_domain", cudaLaunchAttributeMemSyncDomain,
      [](cudaLaunchAttributeValue& value) { value.memSyncDomain = cudaLaunchMemSyncDomainRemote; },
      [](const cudaLaunchAttributeValue& value) { return show(value.memSyncDomain); });
#endif
}

void unknown() {
  Check check("node_attributes.unknown");
  DeviceArray<int> data(check, kCount);
  TwoKernels kernel(check, data.get());
  if (!check) return;
  Guarded<cudaLaunchAttributeValue> got;
  STATUS(check, "status",
         cudaGraphKernelNodeGetAttribute(kernel.nodes[0], static_cast<cudaLaunchAttributeID>(60),
                                         got.get()));
  INTACT(check, got);
}

// The headers disagree about which argument is the source; the value shows what was done.
void copied() {
  Check check("node_attributes.copied");
  DeviceArray<int> data(check, kCount);
  TwoKernels kernel(check, data.get());
  if (!check) return;
  cudaLaunchAttributeValue value = {};
  value.priority = -2;
  if (!CALL(check, cudaGraphKernelNodeSetAttribute(kernel.nodes[0], cudaLaunchAttributePriority,
                                                   &value)) ||
      !CALL(check, cudaGraphKernelNodeCopyAttributes(kernel.nodes[0], kernel.nodes[1]))) {
    return;
  }
  for (int i = 0; i < 2; ++i) {
    cudaLaunchAttributeValue got = {};
    CALL(check,
         cudaGraphKernelNodeGetAttribute(kernel.nodes[i], cudaLaunchAttributePriority, &got));
    check.value("priority" + std::to_string(i), got.priority);
  }
}

void enabled() {
  Check check("node_attributes.enabled");
  DeviceArray<int> data(check, kCount);
  TwoKernels kernel(check, data.get());
  Executable executable;
  if (!check || !CALL(check, cudaGraphInstantiateWithFlags(&executable, kernel.graph, 0))) return;
  CALL(check, cudaGraphNodeSetEnabled(executable, kernel.nodes[1], 0));
  Guarded<unsigned> on;
  CALL(check, cudaGraphNodeGetEnabled(executable, kernel.nodes[1], on.get()));
  INTACT(check, on);
  EQUAL(check, *on, 0U);
  CALL(check, cudaGraphLaunch(executable, nullptr));
  data.expect("with one of two nodes on", 1);
}

}  // namespace

void node_attributes() {
  set_and_get();
  newer();
  unknown();
  copied();
  enabled();
}

}  // namespace conformance
