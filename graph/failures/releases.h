// SPDX-License-Identifier: Apache-2.0

// Releases that the driver refuses.
#pragma once

namespace anycuda::graph {

// After a call of the driver in a deleter, where no caller reads the status: records a failure.
void check_release(const char* function, unsigned status) noexcept;

}  // namespace anycuda::graph
