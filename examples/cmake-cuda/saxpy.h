#pragma once

#include <string>
#include <vector>

// y = a * x + y on the GPU, if there is one.
struct Saxpy {
  bool on_gpu;
  std::string what;  // the CUDA runtime that did it, or why there was none
};
Saxpy saxpy(float a, const std::vector<float>& x, std::vector<float>* y);
