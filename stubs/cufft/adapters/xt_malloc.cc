// SPDX-License-Identifier: Apache-2.0

// Formats of cufftXtMalloc between CUDA 11 and later: 11.7 and 11.8 number those from 5 on
// differently, and their SONAME is the same. The first five are equal in all releases.
#include "cufft_adapters.h"

namespace anycuda {
namespace {

constexpr unsigned kFirstOther = v12::CUFFT_XT_FORMAT_DISTRIBUTED_INPUT;
static_assert(v11::CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED + 1 == kFirstOther,
              "the last common format must be the one before kFirstOther");

}  // namespace

unsigned adapt_xt_malloc(int plan, v11::cudaLibXtDesc_t** descriptor, unsigned format) {
  if (format < kFirstOther) return v12::cufftXtMalloc(plan, descriptor, format);
  return refuse(
      v12::CUFFT_NOT_SUPPORTED, "cufftXtMalloc",
      "CUDA 11.7 and 11.8 number the formats from 5 on differently: use a format below 5, "
      "or install cuFFT of the CUDA that the program was built for");
}

}  // namespace anycuda
