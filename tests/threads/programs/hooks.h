// SPDX-License-Identifier: Apache-2.0

// What the recorder (fakes/recorder.cc), the liar (fakes/liar.cc) and the object
// (objects/imported.cc) call in the program that has them, so that a program has its whole sequence
// in one file.
#pragma once

#include <atomic>
#include <thread>

extern "C" {
__attribute__((weak)) void in_constructor();  // the runtime's: the loader's lock is held
__attribute__((weak)) void in_fat_binary();   // the runtime's __cudaRegisterFatBinary
__attribute__((weak)) void in_call();         // the runtime's cudaGetDeviceCount
__attribute__((weak)) void in_version();      // the liar's cudaRuntimeGetVersion
__attribute__((weak)) void in_import();       // the object's constructor: the lock is held
__attribute__((weak)) void in_removal();      // the object's destructor: the lock is held
}

namespace anycuda::test {

// Moments of a story that threads wait for.
class Stage {
 public:
  void reach(int stage) {
    int now = stage_.load();
    while (now < stage && !stage_.compare_exchange_weak(now, stage)) {
    }
  }
  void wait_for(int stage) const {
    while (stage_.load() < stage) std::this_thread::yield();
  }

 private:
  std::atomic<int> stage_{0};
};

}  // namespace anycuda::test
