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

}  // namespace

int main(int argc, char** argv) { return calls::make(argc, argv, {{"first", first_interface}}); }
