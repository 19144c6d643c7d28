// SPDX-License-Identifier: Apache-2.0
#include "compat/search/gathered.h"

#include <sys/stat.h>

#include <new>

#include "compat/base/shortage.h"
#include "compat/search/load_probe.h"

namespace anycuda {

const Interpreter& Gathered::program() {
  if (!interpreter_known_) interpreter_ = machine.interpreter(&arena);
  interpreter_known_ = true;
  return interpreter_;
}

void Gathered::begin_environment() {
  ++environment;
  before_environment_ = last;
}

void Gathered::begin_loaded() {
  before_environment_ = nullptr;
  for (Candidate* c = report.first; c != nullptr; c = c->next) {
    if (c->tier == SearchTier::loaded) c->environment = environment;
  }
}

void Gathered::confirm_loaded() {
  Candidate* next = report.first;
  report.first = nullptr;
  last = nullptr;
  while (Candidate* const candidate = next) {
    next = candidate->next;
    if (is_loaded(machine, candidate->path)) append(candidate);
  }
}

Candidate* Gathered::first_here() const {
  Candidate* const begin =
      before_environment_ != nullptr ? before_environment_->next : report.first;
  return begin != nullptr && begin->environment == environment ? begin : nullptr;
}

void Gathered::append(Candidate* candidate) {
  candidate->next = nullptr;
  (last != nullptr ? last->next : report.first) = candidate;
  last = candidate;
}

Candidate* Gathered::add(SearchTier tier, const char* path) {
  const std::size_t mark = arena.mark();
  void* const memory = arena.take_raw(sizeof(Candidate));
  const char* const kept = memory != nullptr ? arena.copy(path) : nullptr;
  if (kept == nullptr) {
    arena.rewind(mark);
    ++summary(tier).left_out;
    summary(tier).is_full = true;
    return nullptr;
  }
  auto* const candidate = new (memory) Candidate{};
  candidate->path = kept;
  candidate->tier = tier;
  candidate->environment = environment;
  append(candidate);
  return candidate;
}

bool Gathered::is_new_folder(const char* path) {
  if (path == nullptr) return false;
  const std::uint64_t name = AbsentNames::name_of(path);
  bool is_known = absent.has(name);
  for (int i = 0; i < folder_count_; ++i) {
    is_known = is_known || absent.has(folders_[i].name * name);
  }
  if (is_known) return false;
  struct stat status;
  if (!absent.note(name, noted(stat(path, &status)) == 0)) return false;
  for (int i = 0; i < folder_count_; ++i) {
    if (folders_[i].inode != status.st_ino || folders_[i].device != status.st_dev) continue;
    absent.add(folders_[i].name * name);  // never both in one search
    return false;
  }
  if (folder_count_ == kMostFolders) return true;
  folders_[folder_count_++] = {status.st_dev, status.st_ino, name};
  return true;
}

bool Gathered::copy_candidates() {
  const Candidate* const chosen = report.chosen;
  const Candidate* original = report.first;
  report.first = nullptr;
  for (; original != nullptr; original = original->next) {
    void* const memory = arena.take_raw(sizeof(Candidate));
    if (memory == nullptr) return false;
    auto* const copy = new (memory) Candidate(*original);
    append(copy);
    if (original == chosen) report.chosen = copy;
    if (copy->environment > environment) environment = copy->environment;
    if (copy->inode != 0 && copy->tier != SearchTier::loaded) mark_seen(copy);
  }
  return true;
}

Candidate** Gathered::seen(dev_t device, ino_t inode) const {
  Candidate** link = &buckets_[(inode ^ device) % kBuckets];
  while (*link != nullptr && ((*link)->inode != inode || (*link)->device != device)) {
    link = &(*link)->same_bucket;
  }
  return link;
}

void Gathered::mark_seen(Candidate* candidate) {
  if (buckets_ == nullptr) {
    buckets_ = static_cast<Candidate**>(arena.take(kBuckets * sizeof(void*)));
  }
  if (buckets_ == nullptr) return;
  Candidate** const bucket = &buckets_[(candidate->inode ^ candidate->device) % kBuckets];
  candidate->same_bucket = *bucket;
  *bucket = candidate;
}

void Gathered::unmark_seen(const Candidate& candidate) {
  if (buckets_ == nullptr) return;
  Candidate** const link = seen(candidate.device, candidate.inode);
  if (*link == &candidate) *link = candidate.same_bucket;
}

bool Report::variable_names_a_file() const {
  for (const Candidate* c = first; c != nullptr; c = c->next) {
    if (c->tier == SearchTier::variable) return true;
  }
  return false;
}

}  // namespace anycuda
