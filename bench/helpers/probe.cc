// SPDX-License-Identifier: Apache-2.0

// The process that is measured: it loads one library, calls one function in it, and reports the
// cost. The two steps are separate functions, whose names can be given to a tool (callgrind:
// --dump-before/--dump-after), so that only the step is counted.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Options {
  const char* load = nullptr;
  const char* call = nullptr;
  int mode = RTLD_NOW;
  bool memory = false;
  bool marks = false;
  bool run_exit_handlers = false;
};

[[noreturn]] void fail(const char* what, const char* detail) {
  dprintf(2, "probe: %s: %s\n", what, detail);
  _exit(2);
}

// Opened before anything is measured, and visible to what comes later: the libraries a larger
// process would already hold.
void open_before(const char* path) {
  if (dlopen(path, RTLD_NOW | RTLD_GLOBAL) == nullptr) fail("cannot open beforehand", dlerror());
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const char* word = argv[i];
    const bool has_value = i + 1 < argc;
    if (!strcmp(word, "--lazy")) {
      options.mode = RTLD_LAZY;
    } else if (!strcmp(word, "--memory")) {
      options.memory = true;
    } else if (!strcmp(word, "--marks")) {
      options.marks = true;
    } else if (!strcmp(word, "--exit")) {
      options.run_exit_handlers = true;
    } else if (!strcmp(word, "--before") && has_value) {
      open_before(argv[++i]);
    } else if (!strcmp(word, "--load") && has_value) {
      options.load = argv[++i];
    } else if (!strcmp(word, "--call") && has_value) {
      options.call = argv[++i];
    } else {
      fail("unknown argument", word);
    }
  }
  return options;
}

// A failing write is the cheapest event that strace shows in its place among the others.
void mark(const Options& options, const char* text) {
  if (options.marks && write(-1, text, strlen(text)) == 0) fail("mark", "was written");
}

int print_object(dl_phdr_info* info, size_t, void*) {
  ElfW(Addr) low = ~ElfW(Addr){0}, high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr < low) low = segment.p_vaddr;
    if (segment.p_vaddr + segment.p_memsz > high) high = segment.p_vaddr + segment.p_memsz;
  }
  dprintf(1, "object %lx %lx %s\n", static_cast<unsigned long>(info->dlpi_addr + low),
          static_cast<unsigned long>(info->dlpi_addr + high), info->dlpi_name);
  return 0;
}

// Copied out as it is; adding up happens outside, where it does not change what is measured.
void print_memory(const char* moment) {
  dprintf(1, "memory %s\n", moment);
  dl_iterate_phdr(print_object, nullptr);
  const int file = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot read", "/proc/self/smaps");
  static char buffer[1 << 14];
  ssize_t got;
  while ((got = read(file, buffer, sizeof buffer)) > 0) {
    if (write(1, buffer, static_cast<size_t>(got)) != got) fail("cannot write", "the memory map");
  }
  close(file);
  dprintf(1, "end\n");
}

long long now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Large enough for any structure that a function called here may fill in.
alignas(64) char output[8192];

}  // namespace

extern "C" {

__attribute__((noinline)) void* phase_load(const char* path, int mode) {
  return dlopen(path, mode);
}

// Every function called here takes at most pointers to memory it may write.
__attribute__((noinline)) int phase_call(void* library, const char* name) {
  auto* function = reinterpret_cast<int (*)(void*, void*, void*)>(dlsym(library, name));
  if (function == nullptr) fail("no such function", name);
  return function(output, output + 1024, output + 2048);
}
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.memory) print_memory("start");
  void* library = nullptr;
  if (options.load != nullptr) {
    mark(options, "begin load");
    const long long begin = now();
    library = phase_load(options.load, options.mode);
    const long long end = now();
    mark(options, "end load");
    if (library == nullptr) fail("cannot load", dlerror());
    dprintf(1, "load_ns %lld\n", end - begin);
    if (options.memory) print_memory("loaded");
  }
  if (options.call != nullptr) {
    mark(options, "begin call");
    const long long begin = now();
    const int result = phase_call(library, options.call);
    const long long end = now();
    mark(options, "end call");
    int value = 0;
    memcpy(&value, output, sizeof value);
    dprintf(1, "call_ns %lld\nresult %d\nvalue %d\n", end - begin, result, value);
    if (options.memory) print_memory("called");
  }
  // The exit handlers of real libraries do not belong to any phase.
  if (!options.run_exit_handlers) _exit(0);
  return 0;
}
