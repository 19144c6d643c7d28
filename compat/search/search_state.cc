// SPDX-License-Identifier: Apache-2.0
#include "compat/search/search_state.h"

#include <cstring>

#include "compat/base/dotted_order.h"

namespace anycuda {

Search::Search(const Report& so_far, const Machine& world, Arena* memory)
    : Report(so_far), machine(world), arena(*memory), sites(memory, world.root()) {
  first = nullptr;
  chosen = nullptr;
  for (const Candidate* c = so_far.candidates(); c != nullptr; c = c->next) {
    auto* copy = static_cast<Candidate*>(arena.take(sizeof(Candidate)));
    if (copy == nullptr) {
      whole = false;
      return;
    }
    *copy = *c;
    copy->next = nullptr;
    (last != nullptr ? last->next : first) = copy;
    last = copy;
    if (c == so_far.chosen) chosen = copy;
    if (copy->environment > environment) environment = copy->environment;
    if (copy->inode != 0 && copy->tier != SearchTier::loaded) mark_seen(copy);
  }
}

Candidate* Search::add(SearchTier tier, const char* path) {
  const std::size_t mark = arena.mark();
  auto* candidate = static_cast<Candidate*>(arena.take(sizeof(Candidate)));
  const char* kept = candidate != nullptr ? arena.copy(path) : nullptr;
  if (kept == nullptr) {
    arena.rewind(mark);
    ++summary(tier).left_out;
    summary(tier).is_full = true;
    return nullptr;
  }
  candidate->path = kept;
  candidate->file_version = "";
  candidate->tier = tier;
  candidate->environment = environment;
  candidate->image.state = FileState::missing;
  candidate->image.version = {};
  candidate->toolkit = {};
  candidate->verdict = Verdict::accepted;
  (last != nullptr ? last->next : first) = candidate;
  last = candidate;
  return candidate;
}

Candidate* Search::oldest_of_many(int major) {
  Candidate* oldest = nullptr;
  int count = 0;
  for (Candidate* c = environment_begin(); c != nullptr; c = c->next) {
    if (!is_usable_here(*c, major)) continue;
    ++count;
    if (oldest == nullptr || compare_dotted(c->file_version, oldest->file_version) < 0) oldest = c;
  }
  return count >= kMostUsable ? oldest : nullptr;
}

bool Search::replace(Candidate* old, const char* path, const char* file_version) {
  ++summary(old->tier).left_out;
  // Of drivers the first counts, independent of versions.
  if (library().is_driver || compare_dotted(old->file_version, file_version) >= 0) return false;
  const char* new_path = arena.copy(path);
  const char* new_version = arena.copy(file_version);
  if (new_path == nullptr || new_version == nullptr) {
    summary(old->tier).is_full = true;
    return false;
  }
  old->path = new_path;
  old->file_version = new_version;
  Candidate** link = &buckets_[bucket_of(old->device, old->inode)];
  while (*link != nullptr && *link != old) link = &(*link)->same_bucket;
  if (*link != nullptr) *link = old->same_bucket;
  return true;
}

bool Search::is_seen(dev_t device, ino_t inode) const {
  const Candidate* other = buckets_[bucket_of(device, inode)];
  while (other != nullptr && (other->inode != inode || other->device != device)) {
    other = other->same_bucket;
  }
  return other != nullptr;
}

void Search::mark_seen(Candidate* candidate) {
  Candidate** bucket = &buckets_[bucket_of(candidate->device, candidate->inode)];
  candidate->same_bucket = *bucket;
  *bucket = candidate;
}

bool Report::variable_names_a_file() const {
  for (const Candidate* c = first; c != nullptr; c = c->next) {
    if (c->tier == SearchTier::variable) return true;
  }
  return false;
}

}  // namespace anycuda
