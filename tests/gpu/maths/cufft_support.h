// SPDX-License-Identifier: Apache-2.0

// The common parts of the programs of cuFFT: the transforms by their definition, and plans.
#pragma once

#include <cufft.h>

#include <cmath>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cufftResult status) {
  return status == CUFFT_NOT_IMPLEMENTED || status == CUFFT_NOT_SUPPORTED;
}

namespace maths {

using Complex = std::complex<float>;
using Wide = std::complex<double>;

// Along one axis of `count` numbers that lie `step` apart, by the definition.
inline void transform_axis(std::vector<Wide>& values, int count, int step, int sign) {
  std::vector<Wide> line(count);
  for (std::size_t first = 0; first < values.size(); ++first) {
    if (first / step % count != 0) continue;
    for (int k = 0; k < count; ++k) {
      Wide sum = 0;
      for (int i = 0; i < count; ++i) {
        sum += values[first + static_cast<std::size_t>(i) * step] *
               std::polar(1.0, sign * 2 * M_PI * i * k / count);
      }
      line[k] = sum;
    }
    for (int k = 0; k < count; ++k) values[first + static_cast<std::size_t>(k) * step] = line[k];
  }
}

// Of `sizes` numbers, the last of which lie side by side; any batch comes before them.
template <typename T>
std::vector<Wide> transformed(const std::vector<T>& values, const std::vector<int>& sizes,
                              int sign = CUFFT_FORWARD) {
  std::vector<Wide> all(values.begin(), values.end());
  int step = 1;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    transform_axis(all, *size, step, sign);
    step *= *size;
  }
  return all;
}

// Of the last axis only the half that a transform of real numbers gives.
inline std::vector<Wide> half_of(const std::vector<Wide>& all, int last) {
  std::vector<Wide> half;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i % last) <= last / 2) half.push_back(all[i]);
  }
  return half;
}

// A plan that is destroyed with it.
struct Plan {
  Plan() = default;
  ~Plan() {
    if (made) cufftDestroy(*handle);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  bool take(Check& check, const char* text, cufftResult status) {
    made = check.call(text, status);
    INTACT(check, handle);
    return made;
  }
  Guarded<cufftHandle> handle;
  bool made = false;
};

}  // namespace maths
