// SPDX-License-Identifier: Apache-2.0

// Makes one call through a library while something fails, then the same call again, and says what
// came of both:
//
//   victim LIBRARY FUNCTION [malloc|dlopen N]
//   victim --open LIBRARY
//
// The function gets the addresses of two ints; with --open the call is dlopen() of the library.
// Between the marks (marks.h) a tracer may give system calls other answers; with `malloc` or
// `dlopen` the Nth call of that function fails, also one that the dynamic linker makes.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "marks.h"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

using anycuda::test::mark_begin;
using anycuda::test::mark_end;

struct Failing {
  bool is_on = false;
  long at = 0;
  long seen = 0;
  bool now() { return is_on && at != 0 && ++seen == at; }
};
Failing failing_memory, failing_dlopen;

// NVIDIA's library allocates in its constructors, too, and crashes when that fails: those requests
// do not count.
bool is_nvidias(const void* caller) {
  Dl_info info{};
  if (!failing_memory.is_on || dladdr(caller, &info) == 0 || info.dli_fname == nullptr)
    return false;
  return std::strstr(info.dli_fname, "_stub.so") == nullptr &&
         std::strstr(info.dli_fname, "/ld-") == nullptr &&
         std::strstr(info.dli_fname, "/libc.so") == nullptr;
}
bool fails(const void* caller) { return !is_nvidias(caller) && failing_memory.now(); }

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

// The program's definitions go before libc's, for the dynamic linker too.
extern "C" {
void* malloc(std::size_t size) {
  return fails(__builtin_return_address(0)) ? no_memory() : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  return fails(__builtin_return_address(0)) ? no_memory() : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return fails(__builtin_return_address(0)) ? no_memory() : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return fails(__builtin_return_address(0)) ? no_memory() : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** into, std::size_t alignment, std::size_t size) {
  void* const made = memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *into = made;
  return 0;
}

void* dlopen(const char* file, int mode) noexcept {
  static const auto next =
      reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return next(failing_dlopen.now() ? "/no/such/library" : file, mode);
}
}

namespace {

int open_files() {
  int count = 0;
  for (int file = 0; file < 256; ++file) count += fcntl(file, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

struct Mappings {
  long of_files = 0;
  long anonymous = 0;  // private bytes of this process
};

// Of `library_of`, a text in its path, *found gets the last file's name.
Mappings mappings(char* found, std::size_t size) {
  Mappings all;
  FILE* const maps = std::fopen("/proc/self/maps", "re");
  char line[4096];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long low = 0, high = 0;
    int name = 0;
    std::sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &low, &high, &name);
    line[std::strcspn(line, "\n")] = '\0';
    const char* const path = line + name;
    if (*path == '/') {
      ++all.of_files;
    } else if (*path == '\0' || std::strcmp(path, "[heap]") == 0) {
      all.anonymous += static_cast<long>(high - low);
    }
    const bool is_cuda = std::strstr(path, "/libcudart.so") != nullptr ||
                         std::strstr(path, "/libnvrtc.so") != nullptr ||
                         std::strstr(path, "/libnvJitLink.so") != nullptr ||
                         std::strstr(path, "/libcuda.so") != nullptr;
    if (is_cuda && std::strstr(found, path) == nullptr &&
        std::strlen(found) + std::strlen(path) + 2 < size) {
      std::strcat(std::strcat(found, path), ";");
    }
  }
  if (maps != nullptr) std::fclose(maps);
  return all;
}

using Function = int (*)(int*, int*);

struct Answer {
  int status = 0;
  int value = -1;
  int second_value = -1;
};
Answer call(Function function) {
  Answer answer;
  answer.status = function(&answer.value, &answer.second_value);
  return answer;
}
Answer open(const char* file) { return {dlopen(file, RTLD_NOW) != nullptr ? 0 : 1, 0, 0}; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const bool opens = std::strcmp(argv[1], "--open") == 0;
  void* const library = opens ? nullptr : dlopen(argv[1], RTLD_NOW);
  const auto function =
      library != nullptr ? reinterpret_cast<Function>(dlsym(library, argv[2])) : nullptr;
  if (function == nullptr && !opens) {
    std::fprintf(stderr, "victim: %s\n", dlerror());
    return 2;
  }
  if (argc > 4) {
    Failing& failing = std::strcmp(argv[3], "malloc") == 0 ? failing_memory : failing_dlopen;
    failing.at = std::atol(argv[4]);
  }
  const auto act = [&] { return opens ? open(argv[2]) : call(function); };
  std::signal(anycuda::test::kBeginSignal, SIG_IGN);  // untraced, the signal must not end it
  char found[4096] = "";
  mappings(found, sizeof found);  // its buffers are there before anything is counted
  const int files = open_files();
  failing_memory.is_on = failing_dlopen.is_on = true;
  mark_begin();
  const Answer first = act();
  mark_end();
  failing_memory.is_on = failing_dlopen.is_on = false;
  const Answer second = act();
  found[0] = '\0';
  const Mappings after = mappings(found, sizeof found);
  std::printf(
      "first %d %d %d second %d %d %d files %d mapped %ld anonymous %ld seen %ld loaded %s\n",
      first.status, first.value, first.second_value, second.status, second.value,
      second.second_value, open_files() - files, after.of_files, after.anonymous,
      failing_memory.seen + failing_dlopen.seen, found);
  std::fflush(stdout);
  _exit(0);
}
