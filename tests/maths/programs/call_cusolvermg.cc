// SPDX-License-Identifier: Apache-2.0

// cuSOLVERMg: what it answers without a GPU (calls.h).
#include <cusolverMg.h>

#include "calls.h"

namespace {

using calls::line;

void descriptors() {
  cudaLibMgGrid_t grid = nullptr;
  cudaLibMgMatrixDesc_t matrix = nullptr;
  const std::int32_t devices[1] = {0};
  line("create grid",
       cusolverMgCreateDeviceGrid(&grid, 1, 1, devices, CUDALIBMG_GRID_MAPPING_COL_MAJOR), grid);
  line("create matrix", cusolverMgCreateMatrixDesc(&matrix, 8, 8, 8, 4, CUDA_R_64F, grid), matrix);
  line("destroy matrix", matrix == nullptr ? 0 : cusolverMgDestroyMatrixDesc(matrix));
  line("destroy grid", grid == nullptr ? 0 : cusolverMgDestroyGrid(grid));
  line("create wrong grid",
       cusolverMgCreateDeviceGrid(&grid, 2, 2, devices, CUDALIBMG_GRID_MAPPING_ROW_MAJOR));
}

// A handle needs no GPU; to select one does.
void handle() {
  cusolverMgHandle_t handle = nullptr;
  int devices[1] = {0};
  std::int64_t size = 77;
  line("create", cusolverMgCreate(&handle), handle);
  line("select", cusolverMgDeviceSelect(handle, 1, devices));
  line("potrf size", cusolverMgPotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, 8, nullptr, 1, 1,
                                                nullptr, CUDA_R_64F, &size));
  line("destroy", cusolverMgDestroy(handle));
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv, {{"descriptors", descriptors}, {"handle", handle}});
}
