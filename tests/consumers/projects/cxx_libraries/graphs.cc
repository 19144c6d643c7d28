// SPDX-License-Identifier: Apache-2.0
#include <anycuda/graph/graph.h>

#include <cstdio>

int main() {
  anycuda::graph::Graph graph;
  std::printf("graph %d\n", static_cast<int>(anycuda::graph::Graph::create(&graph)));
}
