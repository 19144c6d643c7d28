// SPDX-License-Identifier: Apache-2.0

// The first call of each stub comes while the process has no file descriptor or no address space
// left, the second when it has them again. The arguments: descriptors or memory; how many
// descriptors or MiB are left. Prints each call's result.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime.h"

extern "C" {
int cudaDriverGetVersion(int*);
int nvrtcVersion(int*, int*);
int cuInit(unsigned);
int cuDriverGetVersion(int*);
}

namespace {

void call(const char* when) {
  int numbers[5] = {};
  const int status[] = {cudaGetDeviceCount(&numbers[0]), cudaDriverGetVersion(&numbers[1]),
                        nvrtcVersion(&numbers[2], &numbers[3]), cuDriverGetVersion(&numbers[4])};
  std::printf("%s: cudart %d:%d driver %d:%d nvrtc %d:%d.%d cuda %d:%d\n", when, status[0],
              numbers[0], status[1], numbers[1], status[2], numbers[2], numbers[3], status[3],
              numbers[4]);
  std::fflush(stdout);
}

rlim_t lowest_free_descriptor() {
  const int lowest = open("/", O_RDONLY | O_CLOEXEC);
  close(lowest);
  return static_cast<rlim_t>(lowest);
}

rlim_t address_space() {
  std::size_t pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) std::abort();
  std::fclose(file);
  return pages * 4096;
}

struct Limit {
  Limit(bool descriptors, rlim_t left) : what(descriptors ? RLIMIT_NOFILE : RLIMIT_AS) {
    getrlimit(what, &before);
    rlimit now = before;
    now.rlim_cur = descriptors ? lowest_free_descriptor() + left : address_space() + (left << 20);
    setrlimit(what, &now);
  }
  ~Limit() { setrlimit(what, &before); }
  decltype(RLIMIT_AS) what;
  rlimit before{};
};

}  // namespace

int main(int, char** arguments) {
  const bool descriptors = std::strcmp(arguments[1], "descriptors") == 0;
  {
    const Limit limit(descriptors, std::strtoul(arguments[2], nullptr, 10));
    call("short");
    call("short again");
  }
  call("after");
  return 0;
}
