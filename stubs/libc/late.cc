// Functions of libc that few searches need: looked up at each call, or made of another.
#include <dlfcn.h>
#include <fnmatch.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "compat/search/machine/loaded.h"

namespace {

template <typename Function>
Function libc_function(const char* name) {
  return reinterpret_cast<Function>(const_cast<void*>(anycuda::loaded_symbol(name)));
}

}  // namespace

extern "C" {

int snprintf(char* into, std::size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(into, size, format, arguments);
  va_end(arguments);
  return length;
}

int fnmatch(const char* pattern, const char* text, int flags) {
  const auto function = libc_function<int (*)(const char*, const char*, int)>("fnmatch");
  return function != nullptr ? function(pattern, text, flags) : FNM_NOMATCH;
}

char* strerror(int error) {
  static char unknown[] = "unknown error";
  const auto function = libc_function<char* (*)(int)>("strerror");
  return function != nullptr ? function(error) : unknown;
}

int dlinfo(void* handle, int request, void* into) {
  const auto function = libc_function<int (*)(void*, int, void*)>("dlinfo");
  return function != nullptr ? function(handle, request, into) : -1;
}
}
