// SPDX-License-Identifier: Apache-2.0

// The runtime under test: the stub, or NVIDIA's own library, by its path. Functions are those that
// a program built for CUDA 12 gets.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace stress {

class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
    if (handle_ == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(2);
    }
  }
  void* find(const char* name) const {
    void* found = dlvsym(handle_, name, "libcudart.so.12");
    if (found == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(2);
    }
    return found;
  }
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(find(name));
  }
  template <typename Function>
  void get(Function** function, const char* name) const {
    *function = this->function<Function>(name);
  }

 private:
  void* handle_;
};

}  // namespace stress
