// SPDX-License-Identifier: Apache-2.0

// The first call of each stub comes while the process has no file descriptor or no address space
// or data left, the second when it has them again. The arguments: descriptors, memory or data; how
// many descriptors or MiB are left (of data: none). Prints each call's result.
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

using Resource = decltype(RLIMIT_AS);

Resource resource_of(const char* name) {
  if (std::strcmp(name, "descriptors") == 0) return RLIMIT_NOFILE;
  return std::strcmp(name, "data") == 0 ? RLIMIT_DATA : RLIMIT_AS;
}

rlim_t used(Resource what) {
  // Below what the program uses. Without a hard limit, Linux ignores the limit 0.
  if (what == RLIMIT_DATA) return 4096;
  return what == RLIMIT_NOFILE ? lowest_free_descriptor() : address_space();
}

struct Limit {
  Limit(Resource resource, rlim_t left) : what(resource) {
    getrlimit(what, &before);
    rlimit now = before;
    now.rlim_cur = used(what) + (what == RLIMIT_AS ? left << 20 : left);
    setrlimit(what, &now);
  }
  ~Limit() { setrlimit(what, &before); }
  Resource what;
  rlimit before{};
};

}  // namespace

int main(int, char** arguments) {
  {
    const Limit limit(resource_of(arguments[1]), std::strtoul(arguments[2], nullptr, 10));
    call("short");
    call("short again");
  }
  call("after");
  return 0;
}
