// SPDX-License-Identifier: Apache-2.0

// Why a text file (compat/base/text_file.h) was not read.
#pragma once

#include "compat/base/text_file.h"

namespace anycuda {

// "cannot be read (permission denied)", for messages; `error` is TextFile's.
const char* describe_state(TextState state, int error);

}  // namespace anycuda
