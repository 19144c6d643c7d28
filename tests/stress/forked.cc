// SPDX-License-Identifier: Apache-2.0

// Forks children in one state of the process, and counts those that hang:
//
//     forked LIBRARY STATE CHILDREN CLIENT
//
//   before       no thread has called CUDA yet; two threads read variables and allocate memory. (If
//                they open libraries, glibc's dlopen hangs in some children of every program.)
//   registering  four threads register the kernels of CLIENT (client.cu) again and again
//   loading      four threads open and close copies of CLIENT, whose constructors register kernels
//   during       the first calls of four threads are under way
//   calling      four threads call CUDA all the time. Whether a runtime is installed is the
//                machine's matter: without one each call fails
//
// In the three states in between a process has one first call, or one log of registrations: there
// each child comes from another process. Each child opens a library of the system, reads a
// variable, takes memory, and calls CUDA.
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "children.h"
#include "copies.h"
#include "library.h"

namespace {

using Count = int(int*);
using Free = int(void*);

// In every glibc before and since 2.34, and not loaded in these programs.
constexpr char kSystemLibrary[] = "libresolv.so.2";

Count* get_count = nullptr;
Free* free_memory = nullptr;

// What a program calls that nvcc has built (crt/host_runtime.h).
struct Registration {
  void** (*begin)(void* fat_binary) = nullptr;
  void (*function)(void** handle, const char* host, char* device, const char* name, int limit,
                   void*, void*, void*, void*, int*) = nullptr;
  void (*end)(void** handle) = nullptr;
  void (*remove)(void** handle) = nullptr;
};
Registration registration;
void* fat_binary = nullptr;  // CLIENT's

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

void register_kernel() {
  static char name[] = "kernel";
  void** const handle = registration.begin(fat_binary);
  registration.function(handle, name, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  registration.end(handle);
  registration.remove(handle);
}

constexpr int kThreads = 4;

// Forks one child at another moment each time: 1 if it hangs, 2 if it crashes.
int fork_one(unsigned delay) {
  for (volatile unsigned spin = 0; spin < delay;) spin = spin + 1;
  stress::Children children(1, 1);
  children.start(be_a_child);
  children.wait_for_all();
  return children.hanging != 0 ? 1 : children.crashed != 0 ? 2 : 0;
}

int during(unsigned delay) {
  std::atomic<int> there{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++there;
      while (there < kThreads + 1) std::this_thread::yield();
      call_cuda();
    });
  }
  while (there < kThreads) std::this_thread::yield();
  ++there;
  const int result = fork_one(delay);
  for (std::thread& thread : threads) thread.join();
  return result;
}

int registering(unsigned delay) {
  const Busy busy(kThreads, register_kernel);
  return fork_one(delay);
}

int loading(unsigned delay, const stress::Copies& copies) {
  std::atomic<std::size_t> next{0};
  const Busy busy(kThreads, [&] {
    thread_local const std::size_t own = next++;
    void* const handle = dlopen(copies.files[own].c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr || dlclose(handle) != 0) std::abort();
  });
  return fork_one(delay);
}

// Each subject(delay) in a process of one thread, which has called nothing.
template <typename Subject>
int fork_subjects(int count, Subject subject) {
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
    const pid_t process = fork();
    if (process == 0) _exit(subject(static_cast<unsigned>(i * 7919 % 1000000)));
    running.push_back(process);
    if (running.size() >= 4) reap();
  }
  while (!running.empty()) reap();
  std::printf("children %d hanging %d crashed %d\n", count, hanging, crashed);
  return 0;
}

}  // namespace

// CLIENT finds this one first.
// NOLINTNEXTLINE(readability-identifier-naming): NVIDIA's name
extern "C" __attribute__((visibility("default"))) void** __cudaRegisterFatBinary(void* binary) {
  fat_binary = binary;
  return registration.begin(binary);
}

int main(int, char** arguments) {
  const stress::Library library(arguments[1]);
  const std::string state = arguments[2];
  const int count = std::atoi(arguments[3]);
  const char* client = arguments[4];
  stress::load_write_lock();  // which later only one thread may look for
  get_count = library.function<Count>("cudaGetDeviceCount");
  free_memory = library.function<Free>("cudaFree");
  library.get(&registration.begin, "__cudaRegisterFatBinary");
  library.get(&registration.function, "__cudaRegisterFunction");
  library.get(&registration.end, "__cudaRegisterFatBinaryEnd");
  library.get(&registration.remove, "__cudaUnregisterFatBinary");
  if (state == "during") return fork_subjects(count, during);
  if (state == "registering") {
    if (dlopen(client, RTLD_NOW) == nullptr) return 2;
    return fork_subjects(count, registering);
  }
  if (state == "loading") {
    const stress::Copies copies(client, kThreads);
    return fork_subjects(count, [&](unsigned delay) { return loading(delay, copies); });
  }
  stress::Children children(8, 3);
  if (state == "before") {
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
