// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// y = a * x + y on the GPU, if there is one.
struct Saxpy {
  bool on_gpu;
  std::string what;  // the CUDA runtime that computed it, or why CUDA was not usable
};
Saxpy saxpy(float a, const std::vector<float>& x, std::vector<float>* y);
