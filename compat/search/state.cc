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
  }
}

Candidate* Search::add(SearchTier tier, const char* path) {
  auto* candidate = static_cast<Candidate*>(arena.take(sizeof(Candidate)));
  const char* kept = candidate != nullptr ? arena.copy(path) : nullptr;
  if (kept == nullptr) return nullptr;
  candidate->path = kept;
  candidate->file_version = "";
  candidate->tier = tier;
  candidate->image.state = FileState::missing;
  candidate->image.version = {};
  candidate->toolkit = {};
  candidate->verdict = Verdict::accepted;
  (last != nullptr ? last->next : first) = candidate;
  last = candidate;
  return candidate;
}

bool Report::variable_names_a_file() const {
  for (const Candidate* c = first; c != nullptr; c = c->next) {
    if (c->tier == SearchTier::variable) return true;
  }
  return false;
}

}  // namespace anycuda
