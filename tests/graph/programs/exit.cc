// SPDX-License-Identifier: Apache-2.0

// A process that ends while graphs live: `exit static` or `exit leaked` or `exit threads`.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "anycuda/graph/drain.h"
#include "anycuda/graph/exec.h"
#include "anycuda/graph/graph.h"

using namespace anycuda::graph;

namespace {

Graph static_graph;
Exec static_exec;

void fill(Graph* graph, Exec* exec) {
  if (Graph::create(graph) != CUDA_SUCCESS) std::printf("create: %s\n", last_error());
  for (int count = 0; count < 100; ++count) {
    HostNode host;
    host.call = [count] { (void)count; };
    if (add_host(*graph, {}, host, nullptr) != CUDA_SUCCESS) std::printf("add: %s\n", last_error());
  }
  if (Exec::instantiate(*graph, exec) != CUDA_SUCCESS) std::printf("exec: %s\n", last_error());
}

}  // namespace

int main(int, char** argv) {
  fill(&static_graph, &static_exec);
  if (std::strcmp(argv[1], "leaked") == 0) {
    static auto* const never_destroyed = new std::pair<Graph, Exec>;
    fill(&never_destroyed->first, &never_destroyed->second);
    Graph graph;
    Exec exec;
    fill(&graph, &exec);  // retired at the end of main; the process may end before the report
  }
  if (std::strcmp(argv[1], "threads") == 0) {
    static std::atomic<int> begun{0};  // the threads go on when main has ended
    for (int thread = 0; thread < 4; ++thread) {
      std::thread([] {
        for (;;) {
          Graph graph;
          Exec exec;
          fill(&graph, &exec);
          ++begun;
        }
      }).detach();
    }
    while (begun < 8) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::printf("ends\n");
  return 0;
}
