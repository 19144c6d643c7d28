// SPDX-License-Identifier: Apache-2.0

// The sections of a host's ELF file.
#pragma once

#include "device_code/region.h"

namespace anycuda::device_code {

bool is_elf(Bytes file);
void read_host_elf(Bytes file, RegionReader* reader);

}  // namespace anycuda::device_code
