// Where a search looks: tiers, each of which comes before the next whatever the versions in them.
#pragma once

#include <cstdint>

#include "compat/descriptor/library.h"

namespace anycuda {

enum class SearchTier : std::uint8_t {
  variable,      // the file that the user names
  loaded,        // the objects of this process
  library_path,  // LD_LIBRARY_PATH
  environment,   // Python packages and conda
  toolkit,       // CUDA_PATH, CUDA_HOME
  system
};
constexpr int kTierCount = 6;

// A set of tiers, one bit each.
using SearchTiers = unsigned;
constexpr SearchTiers only(SearchTier tier) { return 1U << static_cast<unsigned>(tier); }
constexpr SearchTiers kAllTiers = (1U << kTierCount) - 1;
constexpr bool has(SearchTiers tiers, SearchTier tier) { return (tiers & only(tier)) != 0; }

// The tiers in the order of a search. In a Python process its packages come before
// LD_LIBRARY_PATH: what is imported later finds its CUDA among them (by an RPATH, or
// cuda-pathfinder, which has this order), and would bring it as a second one.
using TierOrder = SearchTier[kTierCount];
const TierOrder& tier_order(bool in_python);

// "LD_LIBRARY_PATH", as reports name the tier.
const char* tier_name(SearchTier tier, const LibraryDescriptor& library);

}  // namespace anycuda
