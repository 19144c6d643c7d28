// SPDX-License-Identifier: Apache-2.0

// Makes the n-th allocation of this thread fail, as when memory is exhausted.
#pragma once

#include <cstddef>

namespace anycuda::graph {

void fail_allocation(std::size_t nth);  // from 1; 0: none
bool allocation_failed();               // since the last call of fail_allocation

}  // namespace anycuda::graph
