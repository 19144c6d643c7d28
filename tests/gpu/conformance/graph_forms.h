// SPDX-License-Identifier: Apache-2.0

// The calls about a graph's edges, which have two forms: without data on the edges, and with it
// (12.3 on; in 13 it is the only one). A topic is written once for both; without data, `data` is
// not used.
#pragma once

#include "support.h"

#if CUDART_VERSION >= 12030
#define CONFORMANCE_EDGE_DATA 1
#endif

namespace conformance {

#if defined(CONFORMANCE_EDGE_DATA)
using EdgeData = cudaGraphEdgeData;
#else
struct EdgeData {};
#endif

using Node = cudaGraphNode_t;

#if CUDART_VERSION >= 13000

// 13 takes a null pointer where a program does not care.
struct WithoutData {
  static constexpr const char* kTopic = "without_data";
  static constexpr const char* kSuffix = "";
  static constexpr bool kHasData = false;
  static cudaError_t get_edges(cudaGraph_t graph, Node* from, Node* to, EdgeData*,
                               std::size_t* count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
  }
  static cudaError_t dependencies(Node node, Node* nodes, EdgeData*, std::size_t* count) {
    return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
  }
  static cudaError_t dependents(Node node, Node* nodes, EdgeData*, std::size_t* count) {
    return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
  }
  static cudaError_t add(cudaGraph_t graph, const Node* from, const Node* to, const EdgeData*,
                         std::size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
  }
  static cudaError_t remove(cudaGraph_t graph, const Node* from, const Node* to, const EdgeData*,
                            std::size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
  }
  static cudaError_t add_node(Node* node, cudaGraph_t graph, const Node* after, std::size_t count,
                              cudaGraphNodeParams* params) {
    return cudaGraphAddNode(node, graph, after, nullptr, count, params);
  }
};

#else

struct WithoutData {
  static constexpr const char* kTopic = "without_data";
  static constexpr const char* kSuffix = "";
  static constexpr bool kHasData = false;
  static cudaError_t get_edges(cudaGraph_t graph, Node* from, Node* to, EdgeData*,
                               std::size_t* count) {
    return cudaGraphGetEdges(graph, from, to, count);
  }
  static cudaError_t dependencies(Node node, Node* nodes, EdgeData*, std::size_t* count) {
    return cudaGraphNodeGetDependencies(node, nodes, count);
  }
  static cudaError_t dependents(Node node, Node* nodes, EdgeData*, std::size_t* count) {
    return cudaGraphNodeGetDependentNodes(node, nodes, count);
  }
  static cudaError_t add(cudaGraph_t graph, const Node* from, const Node* to, const EdgeData*,
                         std::size_t count) {
    return cudaGraphAddDependencies(graph, from, to, count);
  }
  static cudaError_t remove(cudaGraph_t graph, const Node* from, const Node* to, const EdgeData*,
                            std::size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, count);
  }
#if CUDART_VERSION >= 12020
  static cudaError_t add_node(Node* node, cudaGraph_t graph, const Node* after, std::size_t count,
                              cudaGraphNodeParams* params) {
    return cudaGraphAddNode(node, graph, after, count, params);
  }
#endif
};

#endif

#if defined(CONFORMANCE_EDGE_DATA)

#if CUDART_VERSION >= 13000
#define CONFORMANCE_WITH_DATA(name) name
#else
#define CONFORMANCE_WITH_DATA(name) name##_v2
#endif

struct WithData {
  static constexpr const char* kTopic = "with_data";
  static constexpr const char* kSuffix = CUDART_VERSION >= 13000 ? "" : "_v2";
  static constexpr bool kHasData = true;
  static cudaError_t get_edges(cudaGraph_t graph, Node* from, Node* to, EdgeData* data,
                               std::size_t* count) {
    return CONFORMANCE_WITH_DATA(cudaGraphGetEdges)(graph, from, to, data, count);
  }
  static cudaError_t dependencies(Node node, Node* nodes, EdgeData* data, std::size_t* count) {
    return CONFORMANCE_WITH_DATA(cudaGraphNodeGetDependencies)(node, nodes, data, count);
  }
  static cudaError_t dependents(Node node, Node* nodes, EdgeData* data, std::size_t* count) {
    return CONFORMANCE_WITH_DATA(cudaGraphNodeGetDependentNodes)(node, nodes, data, count);
  }
  static cudaError_t add(cudaGraph_t graph, const Node* from, const Node* to, const EdgeData* data,
                         std::size_t count) {
    return CONFORMANCE_WITH_DATA(cudaGraphAddDependencies)(graph, from, to, data, count);
  }
  static cudaError_t remove(cudaGraph_t graph, const Node* from, const Node* to,
                            const EdgeData* data, std::size_t count) {
    return CONFORMANCE_WITH_DATA(cudaGraphRemoveDependencies)(graph, from, to, data, count);
  }
  static cudaError_t add_node(Node* node, cudaGraph_t graph, const Node* after, std::size_t count,
                              cudaGraphNodeParams* params) {
    const std::vector<EdgeData> data(count + 1);  // all default
    return CONFORMANCE_WITH_DATA(cudaGraphAddNode)(node, graph, after, data.data(), count, params);
  }
};

#endif

// The name of the function that `Form` calls: cudaGraphGetEdges, or cudaGraphGetEdges_v2.
template <typename Form>
std::string function(const char* base) {
  return std::string(base) + Form::kSuffix;
}

// Which of `nodes` it is: a number to print, where an address would not be the same twice.
template <std::size_t N>
std::string index_of(Node node, const Node (&nodes)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    if (nodes[i] == node) return std::to_string(i);
  }
  return node == nullptr ? "none" : "unknown";
}

}  // namespace conformance
