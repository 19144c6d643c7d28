#include "compat/search/machine/search_tier.h"

namespace anycuda {
namespace {

constexpr TierOrder kProgram = {SearchTier::variable,     SearchTier::loaded,
                                SearchTier::library_path, SearchTier::environment,
                                SearchTier::toolkit,      SearchTier::system};
constexpr TierOrder kPython = {SearchTier::variable,    SearchTier::loaded,
                               SearchTier::environment, SearchTier::library_path,
                               SearchTier::toolkit,     SearchTier::system};

}  // namespace

const TierOrder& tier_order(bool in_python) { return in_python ? kPython : kProgram; }

const char* tier_name(SearchTier tier, const LibraryDescriptor& library) {
  switch (tier) {
    case SearchTier::variable:
      return library.variable;
    case SearchTier::loaded:
      return "loaded in this process";
    case SearchTier::library_path:
      return "LD_LIBRARY_PATH";
    case SearchTier::environment:
      return "Python packages and conda";
    case SearchTier::toolkit:
      return "CUDA_PATH, CUDA_HOME";
    case SearchTier::system:
      return "the system";
  }
  return "";
}

}  // namespace anycuda
