// SPDX-License-Identifier: Apache-2.0

// The request for a search, and its result. Printers make messages, doctor rows and exceptions of
// it (reason.h, hint.h).
#pragma once

#include "compat/descriptor/symbols.h"
#include "compat/search/candidate.h"
#include "compat/search/policy.h"

namespace anycuda {

struct Request {
  const LibraryDescriptor* library;
  const LibrarySymbols* symbols = nullptr;  // nullptr: required symbols are not checked
  int caller_major = kUnversionedCaller;
  const void* caller = nullptr;  // in the object that made the call: its folders come first
  Policy policy = {};
  SearchTiers tiers = kAllTiers;
  bool all_versions = false;  // read every version, not only those that a decision depends on
  // The caller only queries the chosen library: if the process had it before, it is not pinned
  // (Report::is_others).
  bool only_asks = false;
};

constexpr int kMostPeers = 4;

// A loaded library whose CUDA affects the choice.
struct LoadedRelative {
  ImageFacts image;
  const char* path;
  const Relative* relative;
};
constexpr int kMostRelatives = 8;

// The number of unusable files of a search tier that become candidates. A folder may have tens of
// thousands of them: the others are only counted, to leave memory for usable files.
constexpr int kMostUnusable = 100;
// The number of usable files of one major in an environment that become candidates, the newest by
// their names: later environments need memory, too.
constexpr int kMostUsable = 256;

// The CUDA that the process has: of its runtime, else of the first loaded library whose SONAME has
// CUDA's major, else of the file that such a library's variable names.
struct ProcessCuda {
  int major = 0;  // 0: it has none
  const char* path = nullptr;
  std::uint32_t stubs = 0;  // loaded ones: the bit of toolkit_library_of() of each
};

struct TierSummary {
  bool searched;  // before the search ended
  int folders;    // that were looked into
  int unusable;   // candidates whose files turned out to be unusable
  int left_out;   // files that were only counted, also for lack of memory
  bool is_full;   // memory for a file was missing
};

// Immutable once search() has returned it. All of it lives in the arena of that search.
struct Report {
  [[gnu::noinline]] explicit Report(const Request& asked) : request(asked) {}
  Request request;
  void* handle = nullptr;  // of dlopen; nullptr: no library was found
  // With Request::only_asks: the process had the library before, and may unload it. The caller of
  // the search closes the handle.
  bool is_others = false;
  const Candidate* chosen = nullptr;
  TierSummary tiers[kTierCount] = {};
  DriverFacts driver;                         // as far as they were asked for
  const char* driver_path = nullptr;          // nullptr: the driver was not asked for
  int oldest_gpu = 0;                         // 0: not asked for, or not known
  const char* differing_variables = nullptr;  // of toolkits, in words, or nullptr
  // Loaded libraries that LTO-IR could come from, or go to.
  Version peers[kMostPeers];
  const char* peer_paths[kMostPeers] = {};
  int peer_count = 0;
  int loaded_major = 0;
  bool in_python = false;   // the process runs Python, whose packages count
  std::uint64_t loads = 0;  // load_count() (load_mark.h) when the loaded objects were read
  LoadedRelative relatives[kMostRelatives] = {};
  int relative_count = 0;
  ProcessCuda process;

  // The first loaded one of that bond whose major is known, nullptr: none.
  const LoadedRelative* relative(Bond bond) const {
    for (int i = 0; i < relative_count; ++i) {
      const bool is_known = relatives[i].image.major_is_known();
      if (is_known && relatives[i].relative->bond == bond) return &relatives[i];
    }
    return nullptr;
  }
  int major_of(Bond bond) const {
    const LoadedRelative* const found = relative(bond);
    return found != nullptr ? found->image.version.major : 0;
  }

  const LibraryDescriptor& library() const { return *request.library; }
  // All candidates, in the order in which they were found.
  const Candidate* candidates() const { return first; }
  // Did the search come to the candidate's tier?
  bool reached(const Candidate& candidate) const {
    return tiers[static_cast<int>(candidate.tier)].searched;
  }
  // Files that are not among the candidates.
  int left_out() const {
    int count = 0;
    for (const TierSummary& tier : tiers) count += tier.left_out;
    return count;
  }
  // Was a file left out for lack of memory? It may be newer than the chosen one.
  bool is_full() const {
    bool full = false;
    for (const TierSummary& tier : tiers) full = full || tier.is_full;
    return full;
  }
  // Does the process have this file, and cannot use it? It keeps every other file out.
  bool is_in_the_way(const Candidate& candidate) const {
    return candidate.tier == SearchTier::loaded && candidate.image.state != FileState::usable &&
           library().rules.one_per_process;
  }
  // Does the library's variable name a file?
  bool variable_names_a_file() const;

 protected:
  friend struct Gathered;
  Candidate* first = nullptr;
};

}  // namespace anycuda
