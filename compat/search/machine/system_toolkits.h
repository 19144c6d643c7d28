// SPDX-License-Identifier: Apache-2.0

// The CUDA Toolkits that are installed in the system.
#pragma once

#include "compat/base/arena.h"
#include "compat/search/machine/absent_names.h"

namespace anycuda {

// Visits their folders below `root`, whether or not they exist: those of NVIDIA's installer
// (/usr/local/cuda, then the newest), a distribution's (/opt/cuda), those of NVIDIA's HPC SDK
// (/opt/nvidia/hpc_sdk/Linux_x86_64/24.5/cuda/12.4; its newest first). False ends the visits.
void each_system_toolkit(AbsentNames absent, const char* root, Arena* arena,
                         bool (*visit)(const char*, void*), void* argument);

}  // namespace anycuda
