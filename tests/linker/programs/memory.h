// SPDX-License-Identifier: Apache-2.0

// The child's heap, watched: which of its blocks live, and an allocation that fails when it is told
// to.
#pragma once

namespace child {

// Every allocation after that many fails, once; -1: none.
void fail_after(long allocations);
bool failed();  // did it come to that?

}  // namespace child

// For the fake driver: does this address lie in a living block of operator new?
extern "C" __attribute__((visibility("default"))) int child_is_live(const void* address);
