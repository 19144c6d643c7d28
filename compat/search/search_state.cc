// SPDX-License-Identifier: Apache-2.0
#include "compat/search/search_state.h"

#include <sys/stat.h>

#include <cstring>

#include "compat/base/dotted_order.h"

namespace anycuda {

Search::Search(const Report& so_far, const Machine& world, Arena* memory)
    : Report(so_far), machine(world), arena(*memory) {
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
  candidate->file_version = nullptr;
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

bool Search::is_new_folder(const char* path) {
  struct stat status;
  if (path == nullptr || noted(stat(path, &status)) != 0) return false;
  for (int i = 0; i < folder_count_; ++i) {
    if (folders_[i].inode == status.st_ino && folders_[i].device == status.st_dev) return false;
  }
  if (folder_count_ < kMostFolders) folders_[folder_count_++] = {status.st_dev, status.st_ino};
  return true;
}

bool Search::is_newer_file(Candidate* file, Candidate* other) {
  return compare_dotted(file_version_of(file, &arena), file_version_of(other, &arena)) > 0;
}

Candidate* Search::oldest_of_many(int major) {
  int count = 0;
  for (const Candidate* c = environment_begin(); c != nullptr; c = c->next) {
    count += is_usable_here(*c, major);
  }
  if (count < kMostUsable) return nullptr;
  Candidate* oldest = nullptr;
  for (Candidate* c = environment_begin(); c != nullptr; c = c->next) {
    if (is_usable_here(*c, major) && (oldest == nullptr || is_newer_file(oldest, c))) oldest = c;
  }
  return oldest;
}

bool Search::replace(Candidate* old, const char* path) {
  ++summary(old->tier).left_out;
  if (library().is_driver) return false;  // of drivers the first counts, independent of versions
  file_version_of(old, &arena);           // which stays, whatever becomes of the other
  const std::size_t mark = arena.mark();
  Candidate other{};
  other.path = arena.copy(path);
  const bool is_newer = other.path != nullptr && is_newer_file(&other, old);
  if (is_newer && other.file_version != nullptr) {
    old->path = other.path;
    old->file_version = other.file_version;
    unlink_seen(old);
    return true;
  }
  if (other.file_version == nullptr) summary(old->tier).is_full = true;  // without memory
  arena.rewind(mark);
  return false;
}

void Search::unlink_seen(const Candidate* old) {
  if (buckets_ == nullptr) return;
  Candidate** link = &buckets_[bucket_of(old->device, old->inode)];
  while (*link != nullptr && *link != old) link = &(*link)->same_bucket;
  if (*link != nullptr) *link = old->same_bucket;
}

bool Search::is_seen(dev_t device, ino_t inode) const {
  if (buckets_ == nullptr) return false;
  const Candidate* other = buckets_[bucket_of(device, inode)];
  while (other != nullptr && (other->inode != inode || other->device != device)) {
    other = other->same_bucket;
  }
  return other != nullptr;
}

void Search::mark_seen(Candidate* candidate) {
  if (buckets_ == nullptr) {
    buckets_ = static_cast<Candidate**>(arena.take(kBuckets * sizeof(void*)));
  }
  if (buckets_ == nullptr) return;
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
