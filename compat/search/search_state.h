// SPDX-License-Identifier: Apache-2.0

// The state of a running search: its report so far, and its working memory.
#pragma once

#include <cstdint>

#include "compat/base/log.h"
#include "compat/base/shortage.h"
#include "compat/search/machine/machine.h"
#include "compat/search/search_report.h"

namespace anycuda {

struct Search : Report {
  Search(const Request& asked, const Machine& world, Arena* memory)
      : Report(asked), machine(world), arena(*memory) {}
  // Continues a finished search, whose report is not changed. `whole` is false if memory for its
  // candidates is missing.
  Search(const Report& so_far, const Machine& world, Arena* memory);
  bool whole = true;
  const std::uint64_t shortages_before = shortages();
  // Asked once, since it reads the environment.
  const bool logs_steps = log_enabled(LogLevel::debug);
  const Machine& machine;
  Arena& arena;
  using Report::first;
  Candidate* last = nullptr;
  bool knows_what_is_loaded = false;  // loaded_major, and the candidates of that tier
  int environment = 0;                // of candidates that are added now
  bool environment_begun = false;
  Candidate* before_environment = nullptr;  // the last one that was there when it began
  std::uint64_t shared_majors = 0;          // one bit each (evaluation.cc)

  // Has the search missed something that the next one may find?
  bool is_short() const { return shortage_since(shortages_before) != 0; }

  // The first candidate that may belong to the environment. Environments follow each other in the
  // list, except that the loaded libraries come first.
  Candidate* environment_begin() const {
    return before_environment != nullptr ? before_environment->next : first;
  }

  // nullptr: out of memory; the file is counted as left out of its search tier.
  Candidate* add(SearchTier tier, const char* path);
  // Of the environment's usable candidates of that major the one whose name has the oldest version,
  // where there are kMostUsable of them; else nullptr.
  Candidate* oldest_of_many(int major);
  // Puts a file in the place of such a candidate. False: the file is left out, since it is not
  // newer or memory is missing.
  bool replace(Candidate* old, const char* path);
  // By the versions in the names of the files.
  bool is_newer_file(Candidate* file, Candidate* other);
  // Is it a folder that this was not asked for? A toolkit's lib64 is a link to its targets/*/lib,
  // and /usr/local/cuda to one of the toolkits beside it. True again if there are too many.
  bool is_new_folder(const char* path);
  // Is there a candidate with this file, under any path?
  bool is_seen(dev_t device, ino_t inode) const;
  // Marks the file as seen, if there is memory. To be called when its candidate is kept.
  void mark_seen(Candidate* candidate);
  TierSummary& summary(SearchTier tier) { return tiers[static_cast<int>(tier)]; }
  // The program that this process runs, asked once.
  const Interpreter& program();  // gather.cc

 private:
  static int bucket_of(dev_t device, ino_t inode) {
    return static_cast<int>((inode ^ device) % kBuckets);
  }

  void unlink_seen(const Candidate* old);
  // All majors that the database does not know count as one.
  bool is_usable_here(const Candidate& candidate, int major) const {
    const int newest = library().rules.newest_known_major;
    const int other = candidate.image.version.major;
    return candidate.environment == environment && candidate.image.state == FileState::usable &&
           (other == major || (other > newest && major > newest));
  }

  struct SeenFolder {
    dev_t device;
    ino_t inode;
  };
  static constexpr int kMostFolders = 16;
  SeenFolder folders_[kMostFolders];
  int folder_count_ = 0;
  static constexpr int kBuckets = 64;  // some hundred files of a folder are candidates
  Candidate** buckets_ = nullptr;      // candidates by device and inode; in the arena
  Interpreter interpreter_;
  bool interpreter_known_ = false;
};

}  // namespace anycuda
