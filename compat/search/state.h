// A search at work: its report, as far as it is known, and what it is made with.
#pragma once

#include "compat/search/machine/machine.h"
#include "compat/search/report.h"
#include "compat/search/toolkit/site_packages.h"

namespace anycuda {

struct Search : Report {
  Search(const Request& asked, const Machine& world, Arena* memory)
      : Report(asked), machine(world), arena(*memory), sites(memory, world.root()) {}
  // Goes on where another has ended, whose report stays as it is. Without memory for its candidates
  // `whole` is false.
  Search(const Report& so_far, const Machine& world, Arena* memory);
  bool whole = true;
  const Machine& machine;
  Arena& arena;
  Sites sites;  // folders with the records of packages that versions were read in
  using Report::first;
  Candidate* last = nullptr;

  // nullptr: there is no memory.
  Candidate* add(SearchTier tier, const char* path);
};

}  // namespace anycuda
