// SPDX-License-Identifier: Apache-2.0

// Random calls from many threads, with forks, signals, new variables and opened libraries beside
// them:
//
//     storm LIBRARY CALLS THREADS
//
// The calls depend only on the thread's number, so two runs make the same ones. stdout has each
// call with its results and how often each came; lines with "#" differ from run to run. The process
// must not grow: its resources are counted after each third.
//
// Left out are functions whose answer depends on time or on the machine's memory (cudaMemGetInfo,
// cudaEventElapsedTime), those that end what other threads use (cudaDeviceReset), and those that
// give out handles, which differ from run to run.
#include <signal.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "children.h"
#include "library.h"
#include "size.h"

namespace {

using Word = std::uint64_t;
using Any = Word(Word, Word, Word, Word, Word, Word, Word, Word, Word);

// How a function's arguments are made, one letter each:
//   o  memory for an output, or null     n  null     z  zero or a small number
//   e  a number of an error              a  a number of an attribute     d  a device, or none
struct Function {
  const char* name;
  const char* arguments;
  char result;  // s: a status, t: a text
  void* address = nullptr;
};

std::vector<Function> functions = {
    {"cudaRuntimeGetVersion", "o", 's'},
    {"cudaDriverGetVersion", "o", 's'},
    {"cudaGetDeviceCount", "o", 's'},
    {"cudaGetDevice", "o", 's'},
    {"cudaSetDevice", "d", 's'},
    {"cudaGetErrorName", "e", 't'},
    {"cudaGetErrorString", "e", 't'},
    {"cudaPeekAtLastError", "", 's'},
    {"cudaGetLastError", "", 's'},
    {"cudaMalloc", "oz", 's'},
    {"cudaMallocHost", "oz", 's'},
    {"cudaHostAlloc", "ozz", 's'},
    {"cudaMallocManaged", "ozz", 's'},
    {"cudaMallocPitch", "oozz", 's'},
    {"cudaFree", "n", 's'},
    {"cudaFreeHost", "n", 's'},
    {"cudaMemcpy", "nnzz", 's'},
    {"cudaMemcpyAsync", "nnzzn", 's'},
    {"cudaMemset", "nzz", 's'},
    {"cudaMemsetAsync", "nzzn", 's'},
    {"cudaStreamCreate", "o", 's'},
    {"cudaStreamCreateWithFlags", "oz", 's'},
    {"cudaStreamQuery", "n", 's'},
    {"cudaStreamSynchronize", "n", 's'},
    {"cudaStreamWaitEvent", "nnz", 's'},
    {"cudaStreamIsCapturing", "no", 's'},
    {"cudaStreamBeginCapture", "nz", 's'},
    {"cudaStreamEndCapture", "no", 's'},
    {"cudaEventCreate", "o", 's'},
    {"cudaEventCreateWithFlags", "oz", 's'},
    {"cudaEventQuery", "n", 's'},
    {"cudaEventRecord", "nn", 's'},
    {"cudaEventSynchronize", "n", 's'},
    {"cudaDeviceSynchronize", "", 's'},
    {"cudaDeviceGetAttribute", "oad", 's'},
    {"cudaDeviceGetLimit", "oz", 's'},
    {"cudaDeviceGetCacheConfig", "o", 's'},
    {"cudaDeviceCanAccessPeer", "odd", 's'},
    {"cudaDeviceGetPCIBusId", "ozd", 's'},
    {"cudaDeviceGetStreamPriorityRange", "oo", 's'},
    {"cudaGetDeviceProperties", "od", 's'},
    {"cudaFuncGetAttributes", "on", 's'},
    {"cudaFuncSetCacheConfig", "nz", 's'},
    {"cudaPointerGetAttributes", "on", 's'},
    {"cudaHostGetDevicePointer", "onz", 's'},
    {"cudaHostGetFlags", "on", 's'},
    {"cudaHostRegister", "nzz", 's'},
    {"cudaHostUnregister", "n", 's'},
    {"cudaGetSymbolAddress", "on", 's'},
    {"cudaGetSymbolSize", "on", 's'},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", "onzz", 's'},
    {"cudaThreadExchangeStreamCaptureMode", "o", 's'},
    {"cudaDeviceGetDefaultMemPool", "od", 's'},
    {"cudaDeviceGetMemPool", "od", 's'},
    {"cudaIpcGetMemHandle", "on", 's'},
    {"cudaCtxResetPersistingL2Cache", "", 's'},
    {"cudaProfilerStart", "", 's'},
    {"cudaProfilerStop", "", 's'},
};

constexpr int kThirds = 3;
using stress::Size;
using Histogram = std::map<std::string, long>;

std::atomic<long> signals{0};
void count_signal(int) { ++signals; }

struct Buffers {
  alignas(64) std::array<unsigned char, 8192> first, second;
};

// One call, as "name(arguments) = result".
std::string call(const Function& function, std::mt19937* random, Buffers* buffers) {
  Word words[9] = {};
  std::string text = std::string(function.name) + "(";
  bool output = false;
  for (std::size_t i = 0; function.arguments[i] != '\0'; ++i) {
    const Word draw = (*random)();
    if (i != 0) text += ", ";
    switch (function.arguments[i]) {
      case 'o':
        if (draw % 8 == 0) {
          text += "null";
        } else {
          auto& buffer = output ? buffers->second : buffers->first;
          output = true;
          words[i] = reinterpret_cast<Word>(buffer.data());
          text += "out";
        }
        break;
      case 'n':
        text += "null";
        break;
      case 'z':
        words[i] = draw % 4;
        text += std::to_string(words[i]);
        break;
      case 'e':
        words[i] = draw % 12 == 0 ? 99999 : draw % 90 * 11;
        text += std::to_string(words[i]);
        break;
      case 'a':
        words[i] = 1 + draw % 12;
        text += std::to_string(words[i]);
        break;
      case 'd':
        words[i] = draw % 3 == 0 ? 0xffffffff : draw % 3 - 1;
        text += std::to_string(static_cast<int>(words[i]));
        break;
    }
  }
  const Word result = reinterpret_cast<Any*>(function.address)(
      words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8]);
  text += ") = ";
  if (function.result == 't') return text + reinterpret_cast<const char*>(result);
  return text + std::to_string(static_cast<std::uint32_t>(result));
}

// What goes on beside the calls.
class Weather {
 public:
  Weather() {
    struct sigaction action {};
    action.sa_handler = count_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    const itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &often, nullptr);
    begin(0, [this] { open_library(); });
    begin(1, [this] { set_variable(); });
    begin(2, [this] { fork_child(); });
  }
  ~Weather() { end(); }
  void end() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    children.wait_for_all();
    const itimerval never{};
    setitimer(ITIMER_PROF, &never, nullptr);
  }
  // The size of the process while all of this holds still.
  Size size() {
    for (std::mutex& turn : turns_) turn.lock();
    const Size size = stress::size_of_process();
    for (std::mutex& turn : turns_) turn.unlock();
    return size;
  }
  stress::Children children{2, 3};
  long opened = 0;
  long set = 0;

 private:
  template <typename Work>
  void begin(int number, Work work) {
    threads_.emplace_back([this, number, work] {
      while (!stop_) {
        {
          const std::lock_guard<std::mutex> turn(turns_[number]);
          work();
        }
        usleep(number == 2 ? 1000 : 20);
      }
    });
  }
  void open_library() {
    if (void* handle = dlopen("libresolv.so.2", RTLD_NOW)) dlclose(handle);
    ++opened;
  }
  // Of few names and values: glibc keeps every text that it ever got.
  void set_variable() {
    const std::string name = "STORM_" + std::to_string(set % 64);
    setenv(name.c_str(), std::to_string(set / 64 % 4).c_str(), 1);
    if (set % 7 == 0) unsetenv(name.c_str());
    ++set;
  }
  void fork_child() {
    children.start([] {
      int value = 0;
      std::free(std::malloc(1000));
      reinterpret_cast<int (*)(int*)>(functions[0].address)(&value);
      reinterpret_cast<int (*)(int*)>(functions[2].address)(&value);
    });
  }

  std::mutex turns_[3];
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int words, char** arguments) {
  if (words != 4) return 2;
  const stress::Library library(arguments[1]);
  const long calls = std::atol(arguments[2]);
  const int count = std::atoi(arguments[3]);
  for (Function& function : functions) function.address = library.find(function.name);

  // The process's first call is made in peace: forked.cc has what may happen to a child during it.
  Buffers first{};
  std::mt19937 random(static_cast<unsigned>(count));
  call(functions[2], &random, &first);

  std::vector<Histogram> histograms(static_cast<std::size_t>(count));
  Size sizes[kThirds];
  std::atomic<int> arrived{0};
  std::atomic<int> third{0};
  {
    Weather weather;
    std::vector<std::thread> threads;
    for (int number = 0; number < count; ++number) {
      threads.emplace_back([&, number] {
        std::mt19937 random(static_cast<unsigned>(number));
        Buffers buffers{};
        for (int part = 0; part < kThirds; ++part) {
          for (long i = 0; i < calls / count / kThirds; ++i) {
            const Function& function = functions[random() % functions.size()];
            ++histograms[static_cast<std::size_t>(number)][call(function, &random, &buffers)];
          }
          ++arrived;
          while (third <= part) usleep(100);
        }
      });
    }
    for (int part = 0; part < kThirds; ++part) {
      while (arrived < count * (part + 1)) usleep(100);
      sizes[part] = weather.size();
      ++third;
    }
    for (std::thread& thread : threads) thread.join();
    weather.end();
    std::printf("# signals %ld, libraries opened %ld, variables set %ld, children %d\n",
                signals.load(), weather.opened, weather.set, weather.children.started);
    std::printf("children hanging %d crashed %d\n", weather.children.hanging,
                weather.children.crashed);
  }
  for (const Size& size : sizes) print(size);
  stress::print_growth(sizes[1], sizes[2]);
  Histogram all;
  for (const Histogram& one : histograms) {
    for (const auto& [text, count] : one) all[text] += count;
  }
  for (const auto& [text, count] : all) std::printf("%ld %s\n", count, text.c_str());
  return 0;
}
