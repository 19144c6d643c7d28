// What a call gets that cannot be handed on: a status its caller knows, outputs without garbage.
#pragma once

#include "loader/frame.h"
#include "loader/tables.h"

namespace anycuda {

enum class Failure { no_library, absent, rejected };

// The status that the library's functions return for it.
std::int32_t status_of(const SlotRow& slot, Failure failure);

// Fills frame->result and zeroes the call's single-object outputs.
void fail_call(const SlotRow& slot, Failure failure, Frame* frame);

}  // namespace anycuda
