// SPDX-License-Identifier: Apache-2.0

// fake_library.h for the adapters of the CUDA runtime.
#pragma once

#include "cudart_adapters.h"
#include "tests/stubs/adapters/fake_library.h"
