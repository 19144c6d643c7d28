// The candidates of a search tier: the files in it that are named like the library.
#pragma once

#include "compat/search/state.h"

namespace anycuda {

// Adds them to the search, with what each file says about itself; none is loaded.
void gather_tier(Search* search, SearchTier tier);

// The candidates of the tier `loaded`. Separate, since they are facts for the rules of every search
// tier; gather_tier() adds nothing for it.
void gather_loaded(Search* search);

}  // namespace anycuda
