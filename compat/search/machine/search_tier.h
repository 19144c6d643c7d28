// SPDX-License-Identifier: Apache-2.0

// The tiers of a search. Each is preferred to the next, independent of versions.
#pragma once

#include <cstdint>

#include "compat/descriptor/library.h"

namespace anycuda {

enum class SearchTier : std::uint8_t {
  variable,      // the file that the user names
  loaded,        // the objects of this process
  rpath,         // the caller's DT_RPATH
  library_path,  // LD_LIBRARY_PATH
  runpath,       // the caller's DT_RUNPATH
  caller,        // the site-packages that the caller is installed in
  python,        // the packages of the Python that this process is
  conda,         // the conda environment that this Python belongs to
  activated,     // PYTHONPATH, VIRTUAL_ENV, CONDA_PREFIX, of a program that is not Python
  toolkit,       // CUDA_PATH and its like
  system
};
constexpr int kTierCount = 11;

// A set of tiers, one bit each.
using SearchTiers = unsigned;
constexpr SearchTiers only(SearchTier tier) { return 1U << static_cast<unsigned>(tier); }
constexpr SearchTiers kAllTiers = (1U << kTierCount) - 1;
constexpr bool has(SearchTiers tiers, SearchTier tier) { return (tiers & only(tier)) != 0; }

// The search tiers in their order: the dynamic linker's, then the nearest environment. In a Python
// process LD_LIBRARY_PATH comes after the environment: a module that is imported later finds its
// CUDA there (by an RPATH, or cuda-pathfinder, which has this order), and would load it as a second
// one.
using TierOrder = SearchTier[kTierCount];
const TierOrder& tier_order(bool in_python);
constexpr int kFirstOfPython = 2;  // the first place where the two orders may differ

// "LD_LIBRARY_PATH", as reports name the tier.
const char* tier_name(SearchTier tier, const LibraryDescriptor& library);

}  // namespace anycuda
