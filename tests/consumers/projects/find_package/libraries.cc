// SPDX-License-Identifier: Apache-2.0

// One function of each library, declared as its header does, since each header would be another
// download.
#include <cstddef>
#include <cstdio>

extern "C" {
int cublasCreate_v2(void** handle);
int cusparseCreate(void** handle);
std::size_t cudnnGetVersion();
int ncclGetVersion(int* version);
}

int main() {
  void* blas = nullptr;
  void* sparse = nullptr;
  int version = -1;
  std::printf("cublasCreate %d\n", cublasCreate_v2(&blas));
  std::printf("cusparseCreate %d\n", cusparseCreate(&sparse));
  std::printf("cudnnGetVersion %zu\n", cudnnGetVersion());
  std::printf("ncclGetVersion %d\n", ncclGetVersion(&version));
}
