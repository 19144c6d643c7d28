// SPDX-License-Identifier: Apache-2.0

// The result of a call that cannot be forwarded: a status that its caller knows, defined outputs.
#pragma once

#include "loader/frame.h"
#include "loader/tables.h"

namespace anycuda {

// too_early: the process has not started (loader/process/process_start.h). Its status is that of
// no_library.
enum class Failure { no_library, absent, rejected, too_early };

// The status that the library's functions return for it.
std::int32_t status_of(const SlotRow& slot, Failure failure);

// Fills frame->result and zeroes the call's single-object outputs.
void fail_call(const SlotRow& slot, Failure failure, Frame* frame);

}  // namespace anycuda
