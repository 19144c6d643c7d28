// One search: search tier by search tier, the newest candidate that the rules accept and that
// opens.
#pragma once

#include "compat/search/machine/machine.h"
#include "compat/search/report.h"

namespace anycuda {

// Finds the library and opens it, for ever. The report lives in `arena`; nullptr: there is no
// memory for it. A policy with a setting that is not understood finds nothing. Takes no lock; any
// thread.
const Report* search(const Request& request, const Machine& machine, Arena* arena);

// The same report with more in it, for people; nullptr: there is no memory for it. With the
// versions of all usable candidates:
const Report* with_versions(const Report& report, Arena* arena);
// With the candidates of the search tiers that it did not come to, evaluated and not opened:
const Report* with_unreached_tiers(const Report& report, const Machine& machine, Arena* arena);

struct Search;
// Runs on the state of a search, whatever its policy.
void run_search(Search* search);

}  // namespace anycuda
