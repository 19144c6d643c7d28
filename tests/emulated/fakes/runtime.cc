// SPDX-License-Identifier: Apache-2.0

// A runtime that prints its arguments: they must come through the stub, and through adapters, as
// AAPCS64 places them. MAJOR is its CUDA.
#include <cstddef>
#include <cstdio>

struct Dim3 {
  unsigned x, y, z;
};
struct Extent {
  std::size_t width, height, depth;
};
struct PitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct Location {
  int type, id;
};

extern "C" {

int cudaLaunchKernel(const void*, Dim3 grid, Dim3 block, void**, std::size_t shared, void* stream) {
  std::printf("given (%u %u %u) (%u %u %u) %zu %p\n", grid.x, grid.y, grid.z, block.x, block.y,
              block.z, shared, stream);
  return 0;
}

int cudaMalloc3D(PitchedPtr* place, Extent extent) {
  *place = {nullptr, extent.width, extent.height, extent.depth};
  return 0;
}

#if MAJOR >= 13
int cudaMemAdvise(const void*, std::size_t count, int advice, Location location) {
  std::printf("given %zu %d at {%d %d}\n", count, advice, location.type, location.id);
  return 0;
}
#else
int cudaMemAdvise(const void*, std::size_t count, int advice, int device) {
  std::printf("given %zu %d at %d\n", count, advice, device);
  return 0;
}
#endif

int cudaMemcpy2DArrayToArray(void* to, std::size_t w, std::size_t h, const void* from,
                             std::size_t fw, std::size_t fh, std::size_t width, std::size_t height,
                             int kind) {
  std::printf("given %zu %zu %zu %zu %zu %zu %zu %zu %d\n", reinterpret_cast<std::size_t>(to), w, h,
              reinterpret_cast<std::size_t>(from), fw, fh, width, height, kind);
  return 0;
}

}  // extern "C"
