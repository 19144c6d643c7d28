// SPDX-License-Identifier: Apache-2.0

// NVIDIA's headers of one release, with the old functions that they declare for NVIDIA's own use.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include "tests/stubs/api/facts.h"

api_test::Facts api_test::NVIDIAS() {
#include "tests/stubs/api/facts.inc"
}
