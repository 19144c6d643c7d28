// SPDX-License-Identifier: Apache-2.0

// Statuses of cuDNN 9 as programs of cuDNN 8 know them.
#pragma once

#include "cudnn8_adapters.h"

namespace anycuda {

// The status of the same name, or of the class that a new one belongs to.
Status status_of_8(Status of_9);

}  // namespace anycuda
