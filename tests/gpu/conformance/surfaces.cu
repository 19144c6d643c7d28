// SPDX-License-Identifier: Apache-2.0

// Surface objects: a kernel's reads and writes through them, and their descriptors.
#include "support.h"
#include "texture_desc.h"
#include "topics.h"

namespace conformance {

namespace {

__global__ void add_one(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const float was = surf2Dread<float>(surface, x * static_cast<int>(sizeof(float)), y);
  surf2Dwrite(was + 1.0F, surface, x * static_cast<int>(sizeof(float)), y);
}

void of_array() {
  Check check("surfaces.array");
  Array array;
  if (!fill_array(check, array, cudaArraySurfaceLoadStore)) return;
  const cudaResourceDesc resource = resource_of(array);
  Surface surface;
  if (!CALL(check, cudaCreateSurfaceObject(&surface, &resource))) return;
  add_one<<<1, dim3(kWidth, kHeight)>>>(surface);
  CALL(check, cudaGetLastError());
  CALL(check, cudaDeviceSynchronize());
  std::vector<float> pixels(kWidth * kHeight);
  CALL(check, cudaMemcpy2DFromArray(pixels.data(), kWidth * sizeof(float), array, 0, 0,
                                    kWidth * sizeof(float), kHeight, cudaMemcpyDeviceToHost));
  std::vector<float> want = image();
  for (float& number : want) number += 1.0F;
  EQUAL(check, pixels == want, true);

  Guarded<cudaResourceDesc> got;
  if (CALL(check, cudaGetSurfaceObjectResourceDesc(got.get(), surface))) {
    same_resource_desc(check, *got, resource);
  }
  INTACT(check, got);
}

void wrong() {
  Check check("surfaces.wrong");
  Guarded<cudaSurfaceObject_t> surface;
  STATUS(check, "no_resource", cudaCreateSurfaceObject(surface.get(), nullptr));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  STATUS(check, "not_an_array", cudaCreateSurfaceObject(surface.get(), &resource));
  INTACT(check, surface);
  Guarded<cudaResourceDesc> got;
  STATUS(check, "no_such_surface", cudaGetSurfaceObjectResourceDesc(got.get(), 0));
  INTACT(check, got);
}

}  // namespace

void surfaces() {
  of_array();
  wrong();
}

}  // namespace conformance
