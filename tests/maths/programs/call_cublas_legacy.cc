// SPDX-License-Identifier: Apache-2.0

// cuBLAS: the functions of its first interface, which keep their status in the library (calls.h).
#include <cublas.h>

#include "calls.h"

namespace {

using calls::line;

void first_interface() {
  float x[4] = {1, 2, 3, 4};
  void* memory = nullptr;
  line("init", cublasInit());
  line("error after init", cublasGetError());
  line("alloc", cublasAlloc(4, sizeof(float), &memory), memory);
  line("free", cublasFree(nullptr));
  line("set kernel stream", cublasSetKernelStream(nullptr));
  line("snrm2", double(cublasSnrm2(4, x, 1)));
  // Without a GPU the result of cublasIsamax() is whatever the library's stack has: not compared.
  cublasSscal(4, 2.0f, x, 1);
  line("error after sscal", cublasGetError(), double(x[0]));
  cublasSgemm('n', 'n', 2, 2, 2, 1.0f, x, 2, x, 2, 0.0f, x, 2);
  line("error after sgemm", cublasGetError());
  line("shutdown", cublasShutdown());
}

double half(double number) { return number / 2; }

// Results in vector registers, where half() has left its own. Of the stub only: the library sets
// none without a GPU.
void numbers() {
  if (steps::loaded("libcublas.") != "none") return;
  const double y[4] = {1, 2, 3, 4};
  const cuComplex c = {1, 2};
  double before = half(6.5);
  const double product = cublasDdot(4, y, 1, y, 1);
  line("ddot", product, before);
  before = half(2.5);
  const cuComplex complex = cublasCdotu(1, &c, 1, &c, 1);
  line("cdotu", complex.x, complex.y, before);
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv, {{"first", first_interface}, {"numbers", numbers}});
}
