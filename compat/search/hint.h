// SPDX-License-Identifier: Apache-2.0

// The user's remedy for a failed search: a pure function of its facts.
#pragma once

#include "compat/search/search_report.h"

namespace anycuda {

// After a search that found nothing usable. Text in `arena`.
const char* hint_for(const Report& report, Arena* arena);

}  // namespace anycuda
