// Functions of libc that few searches need: looked up at each call.
#include <dlfcn.h>
#include <fnmatch.h>

#include "compat/search/machine/loaded.h"

namespace {

template <typename Function>
Function libc_function(const char* name) {
  return reinterpret_cast<Function>(const_cast<void*>(anycuda::loaded_symbol(name)));
}

}  // namespace

extern "C" {

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
