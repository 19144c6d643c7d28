// SPDX-License-Identifier: Apache-2.0

// The functions of cublas.h, which take numbers by value, letters and no handle; cublasGetError has
// their status.
#pragma once

#include <cublas.h>

#include "cublas_matrices.h"

inline bool is_absent(cublasStatus_t status) { return status == CUBLAS_STATUS_NOT_SUPPORTED; }

namespace maths {

// NVIDIA's complex numbers that come back by value.
inline Value value_of(double value) { return value; }
inline Value value_of(cuComplex value) { return {value.x, value.y}; }
inline Value value_of(cuDoubleComplex value) { return {value.x, value.y}; }

template <typename T, typename Function>
struct Old {
  using Number = T;
  std::string name;
  Function function;

  // A function that returns nothing.
  template <typename... Arguments>
  bool operator()(Check& check, Arguments... arguments) const {
    function(raw(arguments)...);
    return ended(check);
  }
  // A function whose result must be near `want`.
  template <typename... Arguments>
  void gives(Check& check, const Value& want, Arguments... arguments) const {
    const Value got = value_of(function(raw(arguments)...));
    if (ended(check))
      check.near("result", {got.real(), got.imag()}, {want.real(), want.imag()}, tolerance<T>);
  }

 private:
  bool ended(Check& check) const {
    return check.call(name.c_str(), cublasGetError()) && CALL(check, cudaDeviceSynchronize());
  }
};
template <typename T, typename Function>
Old<T, Function> old(const char* name, Function function) {
  return {name, function};
}
#define OLD(type, function) old<type>(#function, function)

// The checks are named legacy.<function>: cublas.<function> is one of cublas_v2.h.
template <typename Body, typename... Forms>
void each_old(Body body, Forms... forms) {
  each_of("legacy.", body, forms...);
}

// The library from its start to its end.
template <typename Body>
void with_library(Body body) {
  {
    Check check("legacy.init");
    NEED(check, cublasInit());
  }
  body();
  Check check("legacy.shutdown");
  CALL(check, cublasShutdown());
}

}  // namespace maths
