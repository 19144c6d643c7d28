// SPDX-License-Identifier: Apache-2.0

// A file that may be the library, and the facts about it.
#pragma once

#include <sys/types.h>

#include "anycuda/compat/version.h"
#include "compat/base/arena.h"
#include "compat/descriptor/library.h"
#include "compat/rules/candidate_rule.h"
#include "compat/search/elf/image_facts.h"
#include "compat/search/machine/search_tier.h"
#include "compat/search/version/release_by_name.h"

namespace anycuda {

// The version that an opened library reports.
struct Reported {
  bool asked = false;  // it has the function, in a release in which that initialises nothing
  int status = 0;      // that the function returned
  Version version;     // unknown: the function failed, or gave no version
};

struct Candidate {
  Candidate* next;
  Candidate* same_bucket;  // of Gathered
  const char* path;
  const char* file_version;  // file_version_of(); nullptr: not looked at
  dev_t device;
  ino_t inode;
  SearchTier tier;
  int environment;  // only candidates of one environment are compared with each other
  ImageFacts image;
  ToolkitVersion toolkit;  // of the file, once that has been read
  bool toolkit_read;
  bool was_loaded;  // in the process before the search opened it
  Verdict verdict;
  Reported reported;
  // A file that the process will need, and that is missing beside this one; nullptr: all are there.
  const char* lacking;
  bool is_incomplete;     // and it is useless without that file
  bool knows_companions;  // the file was looked for
  bool stays_open;        // it was refused once it was open, and could not be closed
  bool listed_only;       // ld.so.cache lists it, but its folder has no entry of that name
  bool tried;  // opening it was tried; false for those that an earlier success made needless
};

// Calls `visit` for the usable ones of an environment, whose first candidate this is (nullptr: it
// has none).
template <typename Visit>
void each_usable(Candidate* first, Visit visit) {
  for (Candidate* c = first; c != nullptr && c->environment == first->environment; c = c->next) {
    if (c->image.state == FileState::usable) visit(c);
  }
}

// "12", "12 or 13", "11, 12 or 13".
struct MajorsText {
  char text[32];
};
MajorsText format_majors(int first, int newest);
// The majors with the SONAME of `major`.
MajorsText majors_like(const LibraryDescriptor& library, int major);

// The exact version where one is known; else the major, and a minor that it is at least.
Version known_version(const Candidate& candidate);

// "12.9.79" of libcudart.so.12.9.79 behind all links, "" if its name has no version: for the order
// of files that nothing else distinguishes. Looked at when it is first asked for.
const char* file_version_of(Candidate* candidate, Arena* arena);
// By these versions.
bool is_newer_file(Candidate* file, Candidate* other, Arena* arena);

// Reads its release, once.
void read_toolkit_version(const LibraryDescriptor& library, Candidate* candidate, Arena* arena);

// "CUDA 12.9, says wheel nvidia-cuda-runtime-cu12 12.9.79", "CUDA 12.8 or later", "CUDA 12"; for a
// driver "a driver", or after the driver was asked "a driver that supports up to CUDA 13.0".
const char* describe_version(const LibraryDescriptor& library, const Candidate& candidate,
                             Arena* arena);

}  // namespace anycuda
