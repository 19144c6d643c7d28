// SPDX-License-Identifier: Apache-2.0

// Watches the child's heap: which of its blocks live, and an allocation that fails on request.
#pragma once

namespace child {

// Every allocation after that many fails, once; -1: none.
void fail_after(long allocations);
bool failed();  // did it come to that?

}  // namespace child

// For the fake driver: is this address in a live block of operator new?
extern "C" __attribute__((visibility("default"))) int child_is_live(const void* address);
