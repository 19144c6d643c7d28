// SPDX-License-Identifier: Apache-2.0

// Four threads in failing calls, without a pause, while the process forks children that load a
// library (the second argument) and never call CUDA. Says how many children hang, and how often the
// list of loaded objects was walked after the first failing call. The first argument: how many
// children.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime.h"
#include "walks.h"

int loaded_plain = 0;

namespace {

int call() {
  int count = 0;
  return cudaGetDeviceCount(&count);
}

// Ends by SIGALRM if it hangs.
[[noreturn]] void load_and_end(const char* library) {
  alarm(8);
  void* const handle = dlopen(library, RTLD_NOW);
  _exit(handle != nullptr && dlclose(handle) == 0 ? 0 : 1);
}

}  // namespace

int main(int, char** arguments) {
  const int children = std::atoi(arguments[1]);
  std::printf("first %d\n", call());
  std::fflush(stdout);
  const int before = anycuda::test::walks;
  std::atomic<bool> done{false};
  std::atomic<long> calls{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (; !done; ++calls) call();
    });
  }
  while (calls < 1000) std::this_thread::yield();
  int hung = 0;
  int failed = 0;
  for (int i = 0; i < children; ++i) {
    const pid_t child = fork();
    if (child == 0) load_and_end(arguments[2]);
    int status = 0;
    waitpid(child, &status, 0);
    hung += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    failed += WIFEXITED(status) && WEXITSTATUS(status) != 0;
    if (hung == 3) break;  // which is enough, and each takes its time
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  std::printf("hung %d, failed %d, walks %d\n", hung, failed, anycuda::test::walks - before);
  return 0;
}
