// SPDX-License-Identifier: Apache-2.0

// Functions of libc that few searches need: looked up at their first call, or made from another.
#include <dlfcn.h>
#include <fnmatch.h>

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "compat/search/machine/loaded.h"

namespace {

// Looked up once for each `kept`.
template <typename Function>
Function libc_function(std::atomic<const void*>* kept, const char* name) {
  const void* known = kept->load(std::memory_order_relaxed);
  if (known == nullptr) {
    known = anycuda::loaded_symbol(name);
    kept->store(known, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function>(const_cast<void*>(known));
}

}  // namespace

extern "C" {

int vsnprintf(char* into, std::size_t size, const char* format, va_list arguments) {
  static std::atomic<const void*> kept{nullptr};
  const auto function =
      libc_function<int (*)(char*, std::size_t, const char*, va_list)>(&kept, "vsnprintf");
  if (function != nullptr) return function(into, size, format, arguments);
  if (size != 0) *into = '\0';
  return 0;
}

int snprintf(char* into, std::size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(into, size, format, arguments);
  va_end(arguments);
  return length;
}

int fnmatch(const char* pattern, const char* text, int flags) {
  static std::atomic<const void*> kept{nullptr};
  const auto function = libc_function<int (*)(const char*, const char*, int)>(&kept, "fnmatch");
  return function != nullptr ? function(pattern, text, flags) : FNM_NOMATCH;
}

// Of a path that may be written over: without memory from malloc().
char* realpath(const char* path, char* into) {
  static std::atomic<const void*> kept{nullptr};
  const auto function = libc_function<char* (*)(const char*, char*)>(&kept, "realpath");
  return function != nullptr && into != nullptr ? function(path, into) : nullptr;
}

char* strerror(int error) {
  static char unknown[] = "unknown error";
  static std::atomic<const void*> kept{nullptr};
  const auto function = libc_function<char* (*)(int)>(&kept, "strerror");
  return function != nullptr ? function(error) : unknown;
}

int dlinfo(void* handle, int request, void* into) {
  static std::atomic<const void*> kept{nullptr};
  const auto function = libc_function<int (*)(void*, int, void*)>(&kept, "dlinfo");
  return function != nullptr ? function(handle, request, into) : -1;
}
}
