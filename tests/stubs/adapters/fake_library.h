// SPDX-License-Identifier: Apache-2.0

// A library and a driver made of single functions, for adapters that run without either.
//
// A test says what the loaded library has (`fake("cudaMemAdvise", function)`; whatever else the
// adapter asks for is missing), calls the adapter as a caller of its major would, with its structs
// between guard bytes, and looks at what came back and what was written where.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "loader/adapter.h"

namespace anycuda::test {

// What the loaded library, or the driver, has under that name. A plain function: a lambda without
// captures needs a + in front.
void fake_address(const char* name, void* function);
template <typename Function>
void fake(const char* name, Function* function) {
  fake_address(name, reinterpret_cast<void*>(function));
}
template <typename Function>
void fake_driver(const char* name, Function* function) {
  fake(name, function);
}

// The error that adapters made this thread's last, 0 if none; the fake runtime's own last error.
Status remembered();
void set_library_error(Status status);
Status library_error();

// What adapters refused or did not find: "cudaMemAdvise: reason", in order.
const std::vector<std::string>& refused();

// Forgets all of the above. Every test begins with it.
void reset();

// Memory that a caller gives for one object, between guard bytes that must stay.
template <typename T>
class Guarded {
 public:
  explicit Guarded(unsigned char fill = 0x5a) {
    std::memset(bytes_, kGuard, sizeof bytes_);
    std::memset(bytes_ + kMargin, fill, sizeof(T));
  }
  T* get() { return reinterpret_cast<T*>(bytes_ + kMargin); }
  T* operator->() { return get(); }
  T& operator*() { return *get(); }
  // Are the bytes around it as they were?
  bool intact() const {
    for (std::size_t i = 0; i < kMargin; ++i) {
      if (bytes_[i] != kGuard || bytes_[kMargin + sizeof(T) + i] != kGuard) return false;
    }
    return true;
  }
  // Is the object itself as it was?
  bool untouched(unsigned char fill = 0x5a) const {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      if (bytes_[kMargin + i] != fill) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kMargin = 256;  // a multiple of every alignment
  static constexpr unsigned char kGuard = 0xc3;
  alignas(64) unsigned char bytes_[kMargin + sizeof(T) + kMargin];
};

}  // namespace anycuda::test
