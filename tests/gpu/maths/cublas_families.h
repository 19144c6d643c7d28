// SPDX-License-Identifier: Apache-2.0

// For the programs that call one family of cuBLAS's functions after the other.
#pragma once

#include <tuple>
#include <utility>

#include "cublas_matrices.h"
#include "cublas_support.h"

namespace maths {

// A function, its name and the type of its numbers.
template <typename T, typename Function>
struct Named {
  using Number = T;
  const char* name;
  Function function;

  // Calls it and waits for the GPU.
  template <typename... Arguments>
  bool operator()(Check& check, Arguments... arguments) const {
    return check.call(name, function(raw(arguments)...)) && CALL(check, cudaDeviceSynchronize());
  }
};
template <typename T, typename Function>
Named<T, Function> named(const char* name, Function function) {
  return {name, function};
}
#define FORM(type, function) named<type>(#function, function)
// Of a name that C++ has twice: the other has the older type of computation.
#define CALLED(type, function) named<type>(#function, [](auto... all) { return function(all...); })
// CUDA 11 has no 64-bit forms.
#if CUBLAS_VERSION >= 120000
#define WIDE(type, function) FORM(type, function)
#define WIDE_CALLED(type, function) CALLED(type, function)
#else
#define WIDE(type, function) \
  Missing { #function }
#define WIDE_CALLED(type, function) WIDE(type, function)
#endif

// A form's place in a vector, which it writes: int, or in 64-bit forms std::int64_t.
template <typename... Arguments>
auto last_pointer(cublasStatus_t (*)(cublasHandle_t, Arguments...)) {
  return std::get<sizeof...(Arguments) - 1>(std::tuple<Arguments...>());
}
template <typename Form>
using IndexOf = std::remove_pointer_t<decltype(last_pointer(std::declval<Form>().function))>;

}  // namespace maths
