// SPDX-License-Identifier: Apache-2.0

// Forks children in one state of the process, and counts those that hang:
//
//     forked LIBRARY STATE CHILDREN
//
//   calling  four threads call CUDA all the time. Whether a runtime is installed is the machine's
//            matter: without one each call fails
//   before   no thread has called CUDA yet; two threads read variables and allocate memory. (If
//            they open libraries, glibc's dlopen hangs in some children of every program.)
//   during   the first calls of four threads are under way. A process has one first call, so
//            each child comes from another process
//
// Each child opens a library of the system, reads a variable, takes memory, and calls CUDA.
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "children.h"
#include "library.h"

namespace {

using Count = int(int*);
using Free = int(void*);

// In every glibc before and since 2.34, and not loaded in these programs.
constexpr char kSystemLibrary[] = "libresolv.so.2";

Count* get_count = nullptr;
Free* free_memory = nullptr;

void call_cuda() {
  int count = 0;
  get_count(&count);
  free_memory(nullptr);
}

void use_libc() {
  if (std::getenv("STRESS_NOT_SET") != nullptr) std::abort();
  for (std::size_t size = 16; size < 1 << 20; size *= 4) {
    void* memory = std::malloc(size);
    if (memory == nullptr) std::abort();
    std::memset(memory, 1, size);
    std::free(memory);
  }
}

void be_a_child() {
  if (dlopen(kSystemLibrary, RTLD_NOW) == nullptr) _exit(3);
  use_libc();
  call_cuda();
}

// Threads that repeat one thing until they are stopped.
class Busy {
 public:
  template <typename Work>
  Busy(int threads, Work work) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, work] {
        ++begun_;
        while (!stop_) work();
      });
    }
    while (begun_ < threads) std::this_thread::yield();
  }
  ~Busy() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> begun_{0};
  std::vector<std::thread> threads_;
};

void fork_all(stress::Children* children, int count) {
  for (int i = 0; i < count && children->start(be_a_child); ++i) {
  }
  children->wait_for_all();
}

// The process of one first call: 1 where its child hangs, 2 where it crashes.
int subject(unsigned delay) {
  std::atomic<int> there{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ++there;
      while (there < 5) std::this_thread::yield();
      call_cuda();
    });
  }
  while (there < 4) std::this_thread::yield();
  ++there;
  // Forked at another moment of the first call each time.
  for (volatile unsigned spin = 0; spin < delay;) spin = spin + 1;
  stress::Children children(1, 1);
  children.start(be_a_child);
  children.wait_for_all();
  for (std::thread& thread : threads) thread.join();
  return children.hanging != 0 ? 1 : children.crashed != 0 ? 2 : 0;
}

int during(int count) {
  int hanging = 0;
  int crashed = 0;
  std::deque<pid_t> running;
  const auto reap = [&] {
    int status = 0;
    waitpid(running.front(), &status, 0);
    running.pop_front();
    const int answer = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
    hanging += answer == 1 ? 1 : 0;
    crashed += answer == 2 ? 1 : 0;
  };
  for (int i = 0; i < count; ++i) {
    const pid_t process = fork();  // of one thread, which has called nothing
    if (process == 0) _exit(subject(static_cast<unsigned>(i * 7919 % 1000000)));
    running.push_back(process);
    if (running.size() >= 4) reap();
  }
  while (!running.empty()) reap();
  std::printf("children %d hanging %d crashed %d\n", count, hanging, crashed);
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  const stress::Library library(arguments[1]);
  const char* state = arguments[2];
  const int count = std::atoi(arguments[3]);
  get_count = library.function<Count>("cudaGetDeviceCount");
  free_memory = library.function<Free>("cudaFree");
  if (std::strcmp(state, "during") == 0) return during(count);
  stress::Children children(8, 3);
  if (std::strcmp(state, "before") == 0) {
    const Busy busy(2, use_libc);
    fork_all(&children, count);
  } else {
    call_cuda();
    const Busy busy(4, call_cuda);
    fork_all(&children, count);
  }
  std::printf("children %d hanging %d crashed %d\n", children.started, children.hanging,
              children.crashed);
  return 0;
}
