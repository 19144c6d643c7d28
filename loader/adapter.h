// SPDX-License-Identifier: Apache-2.0

// The loader's interface for adapters. An adapter is a function of the stub that connects a caller
// of one major to a library of another (stubs/<library>/adapters). It runs when the library is open
// and is called through a filled slot, so it must do what the resolver does for other functions:
// preserve errno, report why it refuses, and make its errors visible in the library's last-error
// functions.
//
// tests/stubs/adapters/fake_library.cc is a second implementation of this header, with made-up
// libraries.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "loader/symbols/function.h"

namespace anycuda {

// Every status enumeration of NVIDIA's libraries is an unsigned integer; 0 is success.
using Status = unsigned int;

// cuMemAdvise is the driver's, cudaMemAdvise the library's.
inline bool is_driver_name(const char* name) {
  return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

// The function of that name in the loaded library, or in the process's driver; nullptr if it is
// missing. `cache` caches the answer, including "missing".
void* find_library_function(std::atomic<void*>* cache, const char* name);
void* find_driver_function(std::atomic<void*>* cache, const char* name);

inline void* library_function(std::atomic<void*>* cache, const char* name) {
  void* known = cache->load(std::memory_order_acquire);
  return is_function(known) ? known : find_library_function(cache, name);
}
inline void* driver_function(std::atomic<void*>* cache, const char* name) {
  void* known = cache->load(std::memory_order_acquire);
  return is_function(known) ? known : find_driver_function(cache, name);
}

// The release of the loaded library as CUDA numbers it: 12040 for 12.4. If the minor is unknown,
// the oldest possible release.
int library_release();

// Makes a stub's error this thread's last error, as the library does with its errors. Returns it.
Status remember(Status status);

// The same for a call that neither the library nor the stub can serve. Logs the reason, once per
// function.
Status refuse(Status status, const char* function, const char* why);

// The same where only a newer driver helps, whichever CUDA is installed.
Status refuse_old_driver(Status status, const char* function, const char* why);

// The status of a call whose function is missing; without a driver, the status for that.
Status missing_function(const char* name);

// A driver's answer handed to a caller of the runtime: both number their errors alike, and the
// runtime remembers those that it gets from the driver.
inline Status driver_answer(Status status) { return status == 0 ? 0 : remember(status); }

// A scope that hides the stub's failing library calls from the caller: the destructor restores the
// last error.
class KeepLastError {
 public:
  KeepLastError();
  ~KeepLastError();
  KeepLastError(const KeepLastError&) = delete;
  KeepLastError& operator=(const KeepLastError&) = delete;

 private:
  Status before_;
};

// Restores the caller's errno.
class KeepErrno {
 public:
  KeepErrno() : kept_(errno) {}
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int kept_;
};

}  // namespace anycuda
