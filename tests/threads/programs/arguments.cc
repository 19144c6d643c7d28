// SPDX-License-Identifier: Apache-2.0

// First calls with arguments in every place of the calling convention, each printed back.
#include <cerrno>
#include <cstdio>

#include "strange.h"

char told[1024];
Frames* frames_in_constructor = nullptr;
Frames* frames_in_replay = nullptr;

int main() {
  errno = 42;
  const long result = cudaMemcpy3D(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5,
                                   7.5, 8.5, {11, 12, 13}, {14, 15}, {16, 9.5}, 10.25L);
  std::printf("%s -> %ld, errno %d\n", told, result, errno);
  std::printf("%g\n", cudaMemset3D(1.5F, 2.25, 3));
  const int length = cudaMemcpyPeer("%d %g %s %g %ld %g", 1, 2.5, "three", 4.5, 5L, 6.5);
  std::printf("%s -> %d\n", told, length);
  const Large large = cudaMallocArray(21);
  const Mixed mixed = cudaFreeArray(31);
  std::printf("{%ld %ld %ld} {%ld %g}\n", large.a, large.b, large.c, mixed.a, mixed.b);
  return 0;
}
