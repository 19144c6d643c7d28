// SPDX-License-Identifier: Apache-2.0

// The process ends during graphs, executables, launches, captures and drains: in a child process
// each, which must end by itself, soon, and without a fault.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "graph/exit_cases.h"
#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

// Destroyed by the runtime after main, when the driver may be gone.
struct Globals {
  Graph graph;
  Graph child;
  Exec exec;
  Exec second;
  GraphView view;
  Capture capture;
  std::vector<Buffer> buffers;
};
Globals& globals() {
  static Globals all;
  return all;
}

void must(CUresult status) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", describe(status).c_str(), last_error());
  std::_Exit(3);
}

void build(Graph* graph, const OpaqueHandle& owner) {
  must(Graph::create(graph));
  Buffer buffer = filled(1);
  globals().buffers.push_back(buffer);
  Add add(buffer.address(), buffer.address(), 1);
  KernelNode node = add.node(load("add"));
  node.argument_owner = all_of({buffer.allocation(), owner});
  CUgraphNode last = nullptr;
  must(add_kernel(*graph, {}, node, &last));
  HostNode host;
  host.call = [owner] {};
  must(add_host(*graph, {last}, host, &last));
}

void live_graphs() {
  build(&globals().graph, nullptr);
  must(Graph::create(&globals().child));
  CUgraphNode node = nullptr;
  must(add_child(globals().child, {}, globals().graph, &node, &globals().view));
  must(Exec::instantiate(globals().child, &globals().exec));
  must(Exec::instantiate(globals().graph, &globals().second));
  Stream stream;
  must(globals().exec.launch(stream));
  must(stream.wait());
}

void leaked_graphs() {
  auto* graph = new Graph();
  auto* exec = new Exec();
  build(graph, nullptr);
  must(Exec::instantiate(*graph, exec));
}

void running_launch(Exec* exec) {
  auto* spin = new Spin();
  auto* stream = new Stream();
  Graph graph;
  must(Graph::create(&graph));
  CUgraphNode node = nullptr;
  KernelNode parameters = spin->node();
  Buffer buffer = filled(1);
  parameters.argument_owner = buffer.allocation();
  must(add_kernel(graph, {}, parameters, &node));
  must(Exec::instantiate(graph, exec));
  must(exec->launch(*stream));
  if (!spin->wait_until_running()) std::_Exit(4);
}

// The driver without the library: how long the end of a process with a running kernel takes.
void running_raw() {
  auto* spin = new Spin();
  auto* stream = new Stream();
  const KernelNode node = spin->node();
  must(cuLaunchKernel(node.kernel.function(), 1, 1, 1, 1, 1, 1, 0, *stream, node.arguments,
                      nullptr));
  if (!spin->wait_until_running()) std::_Exit(4);
}

void running_kept() { running_launch(&globals().exec); }

void running_destroyed() {
  Exec exec;
  running_launch(&exec);
  must(exec.destroy());
}

void pending_drains() {
  for (int i = 0; i < 100; ++i) {
    Graph graph;
    build(&graph, nullptr);
    must(graph.destroy());
  }
}

void draining_threads() {
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      use_device();
      for (;;) {
        Graph graph;
        CUgraphNode node = nullptr;
        if (Graph::create(&graph) != CUDA_SUCCESS) continue;
        if (kinds()[5].add(graph, Life().owner(), &node) != CUDA_SUCCESS) continue;
        drain();
      }
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

// A deleter that never returns runs on another thread when the process ends.
void stuck_deleter() {
  auto* begun = new std::atomic<bool>(false);
  Graph graph;
  Life life;
  CUgraphNode node = nullptr;
  must(Graph::create(&graph));
  must(kinds()[0].add(graph, life.owner_that([begun] {
    *begun = true;
    for (;;) pause();
  }),
                      &node));
  must(graph.destroy());
  std::thread([] {
    for (;;) drain();
  }).detach();
  while (!*begun) std::this_thread::yield();
}

void capturing_stream() {
  auto* stream = new Stream();
  must(Capture::begin(*stream, CaptureMode::global, &globals().capture));
  HostNode host;
  host.call = [] {};
  must(globals().capture.call(host));
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr Case kCases[] = {
    {"live_graphs", live_graphs},
    {"leaked_graphs", leaked_graphs},
    {"running_raw", running_raw},
    {"running_kept", running_kept},
    {"running_destroyed", running_destroyed},
    {"pending_drains", pending_drains},
    {"draining_threads", draining_threads},
    {"stuck_deleter", stuck_deleter},
    {"capturing_stream", capturing_stream},
};

constexpr char kPrefix[] = "exit:";
constexpr auto kPatience = std::chrono::seconds(30);  // a memory checker is slow

// The status of a child process that runs one case; -1 if it did not end.
int status_of(const Case& one) {
  std::string program = "/proc/self/exe";
  std::string argument = std::string(kPrefix) + one.name;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return -2;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

bool exit_case(const char* argument) {
  if (std::strncmp(argument, kPrefix, sizeof kPrefix - 1) != 0) return false;
  for (const Case& one : kCases) {
    if (std::strcmp(argument + sizeof kPrefix - 1, one.name) != 0) continue;
    use_device();
    globals();
    one.run();
    return true;
  }
  return false;
}

void exits() {
  for (const Case& one : kCases) {
    Check check(std::string("the process ends: ") + one.name);
    const auto start = std::chrono::steady_clock::now();
    EQUAL(check, status_of(one), 0);
    const auto took = std::chrono::steady_clock::now() - start;
    check.detail(show(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) + " ms");
  }
}

}  // namespace gputest
