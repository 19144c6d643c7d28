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
