// SPDX-License-Identifier: Apache-2.0
#include "api/cuda_api.h"
#include "api/nvjitlink_api.h"
#include "api/nvrtc_api.h"
#include "tests/stubs/api/facts.h"

using namespace anycuda::api;

api_test::Facts api_test::ours() {
#include "tests/stubs/api/facts.inc"
}
