// SPDX-License-Identifier: Apache-2.0

// Enumerators as the answers name them: for programs, so they stay what they are.
#pragma once

#include "compat/search/candidate.h"

namespace anycuda::doctor {

const char* name_of(SearchTier tier);
const char* name_of(FileState state);
const char* name_of(Verdict verdict);
const char* name_of(DriverVerdict verdict);

}  // namespace anycuda::doctor
