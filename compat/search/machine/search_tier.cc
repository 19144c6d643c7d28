// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/search_tier.h"

namespace anycuda {
namespace {

constexpr TierOrder kProgram = {
    SearchTier::variable,  SearchTier::loaded,  SearchTier::rpath,  SearchTier::library_path,
    SearchTier::runpath,   SearchTier::caller,  SearchTier::python, SearchTier::conda,
    SearchTier::activated, SearchTier::toolkit, SearchTier::system};
constexpr TierOrder kPython = {
    SearchTier::variable,  SearchTier::loaded,  SearchTier::rpath, SearchTier::runpath,
    SearchTier::caller,    SearchTier::python,  SearchTier::conda, SearchTier::library_path,
    SearchTier::activated, SearchTier::toolkit, SearchTier::system};

constexpr bool same_until(int place) {
  for (int i = 0; i < place; ++i) {
    if (kProgram[i] != kPython[i]) return false;
  }
  return true;
}
static_assert(same_until(kFirstOfPython));

}  // namespace

const TierOrder& tier_order(bool in_python) { return in_python ? kPython : kProgram; }

const char* tier_name(SearchTier tier, const LibraryDescriptor& library) {
  switch (tier) {
    case SearchTier::variable:
      return library.variable;
    case SearchTier::loaded:
      return "loaded in this process";
    case SearchTier::rpath:
      return "the caller's DT_RPATH";
    case SearchTier::library_path:
      return "LD_LIBRARY_PATH";
    case SearchTier::runpath:
      return "the caller's DT_RUNPATH";
    case SearchTier::caller:
      return "the caller's site-packages";
    case SearchTier::python:
      return "this Python's packages";
    case SearchTier::conda:
      return "this Python's conda";
    case SearchTier::activated:
      return "VIRTUAL_ENV, CONDA_PREFIX";
    case SearchTier::toolkit:
      return "CUDA_PATH, CUDA_HOME, ...";
    case SearchTier::system:
      return "the system";
  }
  return "";
}

}  // namespace anycuda
