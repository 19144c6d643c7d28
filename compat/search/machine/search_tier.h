// SPDX-License-Identifier: Apache-2.0

// The tiers of a search. Each is preferred to the next, independent of versions.
#pragma once

#include "compat/descriptor/library.h"
#include "compat/outcomes.h"  // SearchTier

namespace anycuda {

// A set of tiers, one bit each.
using SearchTiers = unsigned;
constexpr SearchTiers only(SearchTier tier) { return 1U << static_cast<unsigned>(tier); }
constexpr SearchTiers kAllTiers = (1U << kTierCount) - 1;
constexpr bool has(SearchTiers tiers, SearchTier tier) { return (tiers & only(tier)) != 0; }

// Their order (catalogue/outcomes.toml says why Python's differs).
using TierOrder = SearchTier[kTierCount];
const TierOrder& tier_order(bool in_python);
constexpr int kFirstOfPython = 2;  // the first place where the two orders may differ

// "LD_LIBRARY_PATH", as reports name the tier.
const char* tier_name(SearchTier tier, const LibraryDescriptor& library);

}  // namespace anycuda
