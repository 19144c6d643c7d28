// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/search_tier.h"

#include "compat/base/text.h"
#include "compat/outcome_texts.h"

namespace anycuda {
namespace {

constexpr bool same_until(int place) {
  for (int i = 0; i < place; ++i) {
    if (kTierOrders[0][i] != kTierOrders[1][i]) return false;
  }
  return true;
}
static_assert(same_until(kFirstOfPython));

}  // namespace

const TierOrder& tier_order(bool in_python) { return kTierOrders[in_python ? 1 : 0]; }

const char* tier_name(SearchTier tier, const LibraryDescriptor& library) {
  return tier == SearchTier::variable ? library.variable : text::row(kTierTitles, tier);
}

}  // namespace anycuda
