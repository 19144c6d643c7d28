// SPDX-License-Identifier: Apache-2.0

// Makes a first call on a fiber, whose stack is `BYTES` large and has a guard page below: through
// the stub, or, where the library's path is given, as a program does that opens it. Prints the
// call's status, and how many bytes of the stack it has written.
//
//   small_stack BYTES FUNCTION [LIBRARY]
#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
int cudaRuntimeGetVersion(int*);
int nvrtcVersion(int*, int*);
}

namespace {

using Function = int (*)(int*, int*);
constexpr std::size_t kGuard = std::size_t{64} << 10;
constexpr unsigned char kPaint = 0xa5;

const char* function;
const char* library = nullptr;
int status = -1;
ucontext_t program;
ucontext_t fiber;

void call() {
  int major = 0;
  int minor = 0;
  if (library != nullptr) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void* const found = handle != nullptr ? dlsym(handle, function) : nullptr;
    if (found != nullptr) status = reinterpret_cast<Function>(found)(&major, &minor);
  } else if (std::strcmp(function, "nvrtcVersion") == 0) {
    status = nvrtcVersion(&major, &minor);
  } else {
    status = cudaRuntimeGetVersion(&major);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const auto size = static_cast<std::size_t>(std::atol(arguments[1]));
  function = arguments[2];
  if (count > 3) library = arguments[3];
  void* const pages =
      mmap(nullptr, kGuard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, kGuard, PROT_NONE) != 0) return 2;
  auto* const stack = static_cast<unsigned char*>(pages) + kGuard;
  std::memset(stack, kPaint, size);
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = size;
  fiber.uc_link = &program;
  makecontext(&fiber, call, 0);
  swapcontext(&program, &fiber);
  std::size_t unused = 0;
  while (unused < size && stack[unused] == kPaint) ++unused;
  std::printf("%d %zu\n", status, size - unused);
  return 0;
}
