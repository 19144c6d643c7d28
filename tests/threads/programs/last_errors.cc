// SPDX-License-Identifier: Apache-2.0

// Sixty-four threads call a function that the library does not have, all at once, and look at their
// last error right after it: each must see its own, however far the others have come.
#include <cstdio>

#include "runtime.h"
#include "together.h"

extern "C" int cudaMallocAsync(void**, std::size_t, void*);

int main() {
  cudaGetLastError();  // from here on these two go straight to the library
  cudaPeekAtLastError();
  std::atomic<int> wrong{0};
  anycuda::test::together(64, [&](int) {
    void* memory = nullptr;
    const int told = cudaMallocAsync(&memory, 1, nullptr);
    const int peeked = cudaPeekAtLastError();
    const int got = cudaGetLastError();
    const int after = cudaGetLastError();
    if (told != 302 || peeked != 302 || got != 302 || after != 0) ++wrong;
  });
  std::printf("threads with a wrong last error: %d\n", wrong.load());
  return 0;
}
