// SPDX-License-Identifier: Apache-2.0

// The runtime's and the driver's functions for the edges of graphs that take edge data, made up.
#pragma once

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda::test {

using Data = v13::cudaGraphEdgeData;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;

inline Graph graph_at(std::size_t number) { return reinterpret_cast<Graph>(number * 16); }
inline Node node_at(std::size_t number) { return reinterpret_cast<Node>(number * 16); }

// What the fake function of the runtime or the driver was called with, and what it answers.
struct Call {
  int times = 0;
  const void* subject;  // the graph, or the node
  const void* from;
  const void* to;
  const void* data;
  std::size_t count;  // given, for functions that take one
};
inline Call called;
inline unsigned answer;
inline std::size_t edges;  // how many there are

inline unsigned record(const void* subject, const void* from, const void* to, const void* data,
                       std::size_t count) {
  const int times = called.times + 1;
  called = {times, subject, from, to, data, count};
  return answer;
}

// Fills what a caller asks for, as the real ones do.
inline unsigned fill(Node* one, Node* other, Data* data, std::size_t* count) {
  if (answer != 0) return answer;
  for (std::size_t i = 0; one != nullptr && i < edges; ++i) one[i] = node_at(i + 1);
  for (std::size_t i = 0; other != nullptr && i < edges; ++i) other[i] = node_at(i + 11);
  for (std::size_t i = 0; data != nullptr && i < edges; ++i) data[i] = {1, 2, 3, {}};
  *count = edges;
  return 0;
}

inline unsigned get_edges_with_data(Graph graph, Node* from, Node* to, Data* data,
                                    std::size_t* count) {
  record(graph, from, to, data, *count);
  return fill(from, to, data, count);
}
inline unsigned get_nodes_with_data(Node node, Node* nodes, Data* data, std::size_t* count) {
  record(node, nodes, nullptr, data, *count);
  return fill(nodes, nullptr, data, count);
}
inline unsigned change_with_data(Graph graph, const Node* from, const Node* to, const Data* data,
                                 std::size_t count) {
  return record(graph, from, to, data, count);
}

}  // namespace anycuda::test
