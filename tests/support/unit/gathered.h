// SPDX-License-Identifier: Apache-2.0

// A running search, for tests to inspect.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compat/search/driver/driver_lookup.h"
#include "compat/search/evaluation.h"
#include "compat/search/gather.h"
#include "compat/search/search.h"
#include "compat/search/verdicts.h"
#include "loader/tables.h"

namespace anycuda::unit {

// Paths of all candidates, below `root` where they are, in the order of their names: folders are
// read in whatever order the file system has.
inline std::vector<std::string> paths_of(const Report& report, const std::string& root) {
  std::vector<std::string> paths;
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    std::string path = c->path;
    if (path.compare(0, root.size() + 1, root + "/") == 0) path.erase(0, root.size() + 1);
    paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The test library with one SONAME for two majors of CUDA.
inline constexpr MajorRow kTwoMajors[] = {{12, 13, "libtest.so.12", "libtest.so.12"}};
inline LibraryDescriptor of_two_majors() {
  LibraryDescriptor library = kLibrary;
  library.majors = kTwoMajors;
  library.major_count = 1;
  return library;
}

struct TestMemory {
  Arena memory;
};

inline const Machine kNoDriver{};
inline const Machine kThisMachine = this_machine();

// A report for tests to fill: of the tables' library, of a search that has come to all tiers, for a
// caller of no major.
struct TestSearch : private TestMemory, Report {
  explicit TestSearch(const LibraryDescriptor& library = kLibrary,
                      const LibrarySymbols* symbols = &kTables,
                      const Machine& machine = kThisMachine)
      : Report({&library, symbols}), gathered(this, machine, &memory) {
    for (TierSummary& tier : tiers) tier.searched = true;
  }
  TestSearch(const TestSearch&) = delete;
  TestSearch& operator=(const TestSearch&) = delete;

  using Report::first;
  Arena& arena = memory;
  Gathered gathered;

  Candidate* add(SearchTier tier, const char* path) { return gathered.add(tier, path); }
  TierSummary& summary(SearchTier tier) { return gathered.summary(tier); }
  void gather(SearchTier tier) {
    gather_tier(&gathered, tier, {[](void*) { return false; }, nullptr});
  }
  // The present environment, as a search does.
  void evaluate() { give_verdicts(&gathered); }
  Candidate* best() { return best_accepted(*this, gathered.first_here(), &arena); }
  // The paths of its accepted candidates, the best first.
  std::vector<std::string> order() {
    std::vector<Candidate*> taken;
    std::vector<std::string> paths;
    while (Candidate* const next = best()) {
      next->image.state = FileState::open_failed;
      taken.push_back(next);
      paths.emplace_back(next->path);
    }
    for (Candidate* const candidate : taken) candidate->image.state = FileState::usable;
    return paths;
  }
  // The whole search, whose report this becomes.
  void run() { Report::operator=(*search(request, gathered.machine, &arena)); }
};

}  // namespace anycuda::unit
