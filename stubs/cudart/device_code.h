// SPDX-License-Identifier: Apache-2.0

// Logs, at the level warn of ANYCUDA_LOG, the objects with device code that this machine cannot
// load.
#pragma once

#include <cstdint>

namespace anycuda::registration {

// `fat_binary`: the argument of __cudaRegisterFatBinary. One line for an object, however many of
// its fat binaries cannot be loaded. Asks the driver, and NVML for the GPUs.
void report_device_code(std::uint64_t fat_binary);

}  // namespace anycuda::registration
