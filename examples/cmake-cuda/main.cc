// SPDX-License-Identifier: Apache-2.0
#include "saxpy.h"

#include <cstdio>

int main() {
  const std::vector<float> x(1000, 2.0f);
  std::vector<float> y(1000, 1.0f);
  const Saxpy done = saxpy(3.0f, x, &y);
  if (!done.on_gpu) {  // a program for everyone has another way
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 3.0f * x[i] + y[i];
  }
  std::printf("%s: %s, y = %g\n", done.on_gpu ? "on the GPU" : "on the CPU", done.what.c_str(),
              y[999]);
  return y[999] == 7.0f ? 0 : 1;
}
