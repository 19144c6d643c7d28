// SPDX-License-Identifier: Apache-2.0

// What a running search has gathered: its report so far, and the memory for more of it.
#pragma once

#include "compat/base/log.h"
#include "compat/search/machine/absent_names.h"
#include "compat/search/machine/machine.h"
#include "compat/search/search_report.h"

namespace anycuda {

struct Gathered {
  Gathered(Report* so_far, const Machine& world, Arena* memory,
           AbsentNames others = shared_absent_names())
      : report(*so_far), machine(world), arena(*memory), absent(others) {}

  Report& report;
  const Machine& machine;
  Arena& arena;
  const AbsentNames absent;
  // Asked once, since it reads the environment.
  const bool logs_steps = log_enabled(LogLevel::debug);
  Candidate* last = nullptr;
  int environment = 0;  // of candidates that are added now

  const LibraryDescriptor& library() const { return report.library(); }
  TierSummary& summary(SearchTier tier) { return report.tiers[static_cast<int>(tier)]; }
  // The program that this process runs, asked once.
  const Interpreter& program();

  // Candidates that are added from now on are of another environment.
  void begin_environment();
  // Makes the candidates of the tier `loaded`, which are the first of the list, the environment.
  void begin_loaded();
  // Drops those that the dynamic linker does not have. To be called before another tier has
  // candidates.
  void confirm_loaded();
  Candidate* first() const { return report.first; }
  // The environment's first candidate, nullptr: it has none.
  Candidate* first_here() const;

  // nullptr: out of memory; the file is counted as left out of its search tier.
  Candidate* add(SearchTier tier, const char* path);
  // After a copy of a report: copies its candidates, too, which the other report keeps. False:
  // memory for them is missing.
  bool copy_candidates();

  // Is it a folder that this was not asked for? A toolkit's lib64 is a link to its targets/*/lib,
  // and /usr/local/cuda to one of the toolkits beside it. True again if there are too many.
  bool is_new_folder(const char* path);
  // Is there a candidate with this file, under any path?
  bool is_seen(dev_t device, ino_t inode) const {
    return buckets_ != nullptr && *seen(device, inode) != nullptr;
  }
  // Marks the file as seen, if there is memory. To be called when its candidate is kept.
  void mark_seen(Candidate* candidate);
  // Its path becomes another file's.
  void unmark_seen(const Candidate& candidate);

 private:
  void append(Candidate* candidate);
  // The link to the candidate of that file, or the end of its bucket.
  Candidate** seen(dev_t device, ino_t inode) const;

  struct SeenFolder {
    dev_t device;
    ino_t inode;
    std::uint64_t name;  // AbsentNames::name_of()
  };
  static constexpr int kMostFolders = 16;
  SeenFolder folders_[kMostFolders];
  int folder_count_ = 0;
  static constexpr int kBuckets = 64;  // some hundred files of a folder are candidates
  Candidate** buckets_ = nullptr;      // candidates by device and inode; in the arena
  Candidate* before_environment_ = nullptr;
  Interpreter interpreter_;
  bool interpreter_known_ = false;
};

}  // namespace anycuda
