// SPDX-License-Identifier: Apache-2.0

// Enumerators as the answers name them: for programs, so they stay what they are.
#pragma once

#include "compat/base/text.h"
#include "compat/outcome_texts.h"

namespace anycuda::doctor {

inline const char* name_of(SearchTier tier) { return text::row(kTierNames, tier); }
inline const char* name_of(FileState state) { return text::row(kStateNames, state); }
inline const char* name_of(Verdict verdict) { return text::row(kVerdictNames, verdict); }
inline const char* name_of(DriverVerdict verdict) { return text::row(kDriverNames, verdict); }

}  // namespace anycuda::doctor
