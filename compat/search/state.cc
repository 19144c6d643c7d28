#include "compat/search/state.h"

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
    if (copy->inode == 0 || copy->tier == SearchTier::loaded) continue;
    Candidate** bucket = bucket_of(*copy);
    copy->same_bucket = *bucket;
    *bucket = copy;
  }
}

Candidate* Search::add(SearchTier tier, const char* path) {
  auto* candidate = static_cast<Candidate*>(arena.take(sizeof(Candidate)));
  const char* kept = candidate != nullptr ? arena.copy(path) : nullptr;
  if (kept == nullptr) return nullptr;
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

Candidate** Search::bucket_of(const Candidate& candidate) {
  return &buckets_[(candidate.inode ^ candidate.device) % kBuckets];
}

bool Search::drop_if_seen(Candidate* candidate, Candidate* before) {
  if (candidate->inode == 0) return false;
  Candidate** bucket = bucket_of(*candidate);
  for (const Candidate* other = *bucket; other != nullptr; other = other->same_bucket) {
    if (other->inode != candidate->inode || other->device != candidate->device) continue;
    last = before;
    (before != nullptr ? before->next : first) = nullptr;
    return true;
  }
  candidate->same_bucket = *bucket;
  *bucket = candidate;
  return false;
}

const Interpreter& Search::program() {
  if (!interpreter_known_) interpreter_ = machine.interpreter(&arena);
  interpreter_known_ = true;
  return interpreter_;
}

bool Report::variable_names_a_file() const {
  for (const Candidate* c = first; c != nullptr; c = c->next) {
    if (c->tier == SearchTier::variable) return true;
  }
  return false;
}

}  // namespace anycuda
