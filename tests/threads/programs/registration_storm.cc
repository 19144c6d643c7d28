// SPDX-License-Identifier: Apache-2.0

// Eight threads register and unregister fat binaries while a ninth makes the first call, so that
// the replay runs into the middle of it.
#include <string>
#include <vector>

#include "runtime.h"
#include "together.h"

namespace {

constexpr int kThreads = 8;
constexpr int kFatBinaries = 60;  // of each thread
constexpr int kFunctions = 4;     // of each fat binary
std::atomic<int> registered{0};
int fat_binaries[kThreads][kFatBinaries];
std::string names[kThreads][kFatBinaries][kFunctions];

void register_one(int thread, int number) {
  void** handle = __cudaRegisterFatBinary(&fat_binaries[thread][number]);
  for (std::string& name : names[thread][number]) {
    name = "t" + std::to_string(thread) + "b" + std::to_string(number) + "f" +
           std::to_string(&name - names[thread][number]);
    __cudaRegisterFunction(handle, name.c_str(), name.data(), name.c_str(), -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  }
  __cudaRegisterFatBinaryEnd(handle);
  ++registered;
  if (number % 3 == 2) __cudaUnregisterFatBinary(handle);
}

}  // namespace

int main() {
  int status = -1;
  int devices = 0;
  anycuda::test::together(kThreads + 1, [&](int thread) {
    if (thread == kThreads) {
      while (registered < kThreads * kFatBinaries / 4) std::this_thread::yield();
      status = cudaGetDeviceCount(&devices);
      return;
    }
    for (int i = 0; i < kFatBinaries; ++i) register_one(thread, i);
  });
  return status == 0 && devices == 3 ? 0 : 1;
}
