// SPDX-License-Identifier: Apache-2.0

// Lets one driver call, or one allocation, of this program fail. The program defines the driver
// functions that the graph library calls itself (driver_calls.py writes which), so the library's
// calls come here first; they go on to the driver's stub.
#pragma once

namespace gputest {

// The n-th call or allocation of this thread from now on fails, n from 1 on; a call returns
// CUDA_ERROR_OUT_OF_MEMORY and does nothing.
void fail_at(int n);
struct Passed {
  int calls;           // calls and allocations that came
  const char* failed;  // the one that failed; nullptr if there were fewer
};
Passed fail_no_more();

}  // namespace gputest
