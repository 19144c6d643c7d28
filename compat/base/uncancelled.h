// SPDX-License-Identifier: Apache-2.0

// Holds back pthread_cancel(): code that opens files, takes memory and keeps states has no other
// way to clean up.
#pragma once

#include <pthread.h>

namespace anycuda {

// While it lives, its thread is not cancelled; a request waits for the thread's next cancellation
// point. So nothing unwinds through the functions that it calls, which need no unwind tables
// (compat/CMakeLists.txt).
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;  // a libc without threads does not set it
};

}  // namespace anycuda
