// SPDX-License-Identifier: Apache-2.0

// Launches of kernels on streams, and launch attributes.
#include "model.h"

int* fake::number_in(Attributes* attributes, unsigned id) {
  switch (id) {
    case api::CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return &attributes->cooperative;
    case api::CU_LAUNCH_ATTRIBUTE_PRIORITY:
      return &attributes->priority;
    case api::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      return &attributes->programmatic;
    default:
      return nullptr;
  }
}

bool fake::cluster_fits(const api::CUlaunchAttributeValue_union_clusterDim& cluster,
                        const api::CUDA_KERNEL_NODE_PARAMS_st& kernel) {
  const auto fits = [](unsigned blocks, unsigned side) {
    return blocks == 0 || side % blocks == 0;
  };
  return fits(cluster.x, kernel.gridDimX) && fits(cluster.y, kernel.gridDimY) &&
         fits(cluster.z, kernel.gridDimZ);
}

namespace anycuda::api {
namespace {

using Value = CUlaunchAttributeValue_union;

unsigned set(Attributes* attributes, unsigned id, const Value& value) {
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    attributes->cluster = value.clusterDim;
    return 0;
  }
  int* const number = fake::number_in(attributes, id);
  if (number == nullptr) return 1;
  *number = value.priority;  // an int, as the others
  return 0;
}

bool is_kernel(::CUgraphNode_st* node) {
  return fake::living(node) != nullptr && node->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

// In a capture a node. A programmatic launch has a programmatic edge from the kernel before it.
unsigned launch(const CUDA_KERNEL_NODE_PARAMS_st& parameters, const Attributes& attributes,
                ::CUstream_st* stream) {
  ::CUgraphNode_st* const last = &fake::world().last_launch;
  fake::set_kernel(last, parameters);
  last->attributes = attributes;
  if (stream == nullptr || stream->capture == nullptr) return 0;
  if (stream->capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return 901;
  ::CUgraphNode_st* const node = fake::new_node(stream->capture->graph, CU_GRAPH_NODE_TYPE_KERNEL);
  for (::CUgraphNode_st* before : stream->last) {
    CUgraphEdgeData_st data{};
    if (attributes.programmatic != 0 && before->type == CU_GRAPH_NODE_TYPE_KERNEL) {
      data.from_port = data.type = 1;
    }
    fake::depend(node, before, data);
  }
  fake::set_kernel(node, parameters);
  node->attributes = attributes;
  stream->last = {node};
  return fake::world().capture_then_fail;
}

}  // namespace

extern "C" {

unsigned cuGraphKernelNodeSetAttribute(::CUgraphNode_st* node, unsigned id, const Value* value) {
  FAULT;
  if (!is_kernel(node) || id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) return 1;
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
      !fake::cluster_fits(value->clusterDim, node->kernel)) {
    return fake::kInvalidClusterSize;
  }
  return set(&node->attributes, id, *value);
}
unsigned cuGraphKernelNodeGetAttribute(::CUgraphNode_st* node, unsigned id, Value* value) {
  FAULT;
  if (!is_kernel(node)) return 1;
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    value->clusterDim = node->attributes.cluster;
    return 0;
  }
  const int* const number = fake::number_in(&node->attributes, id);
  if (number == nullptr) return 1;
  value->priority = *number;
  return 0;
}

unsigned cuLaunchKernel(::CUfunc_st* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        ::CUstream_st* stream, void** arguments, void**) {
  FAULT;
  return launch(
      {function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, arguments, nullptr}, {},
      stream);
}
unsigned cuLaunchKernelEx(const CUlaunchConfig_st* config, ::CUfunc_st* function, void** arguments,
                          void**) {
  FAULT;
  Attributes attributes;
  for (unsigned at = 0; at < config->numAttrs; ++at) {
    if (set(&attributes, config->attrs[at].id, config->attrs[at].value) != 0) return 1;
  }
  return launch({function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                 config->blockDimY, config->blockDimZ, config->sharedMemBytes, arguments, nullptr},
                attributes, config->hStream);
}

}  // extern "C"
}  // namespace anycuda::api
