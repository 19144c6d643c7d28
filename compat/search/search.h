// SPDX-License-Identifier: Apache-2.0

// A search finds, tier by tier, the newest candidate that the rules accept and that can be opened.
#pragma once

#include "compat/search/machine/machine.h"
#include "compat/search/search_report.h"

namespace anycuda {

// Finds the library and opens it; it is never closed. The report lives in `arena`; nullptr: out of
// memory. A policy with an invalid setting finds nothing. Takes no lock; any thread.
const Report* search(const Request& request, const Machine& machine, Arena* arena);

// The report with more details, for messages; nullptr: out of memory. With the versions of all
// usable candidates:
const Report* with_versions(const Report& report, Arena* arena);
// With the candidates of the search tiers that the search did not reach, evaluated and not opened:
const Report* with_unreached_tiers(const Report& report, const Machine& machine, Arena* arena);

}  // namespace anycuda
