// SPDX-License-Identifier: Apache-2.0

// Arguments of any type as numbers, for libraries that record their calls.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace anycuda::test {

using Word = std::uintptr_t;
using Words = std::vector<Word>;

template <typename T>
Word word(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<Word>(value);
  } else {
    return static_cast<Word>(value);
  }
}

}  // namespace anycuda::test
