#include "loader/candidate.h"

namespace anycuda {

const char* place_name(Place place, const LibraryDescriptor& library) {
  switch (place) {
    case Place::variable:
      return library.variable;
    case Place::loaded:
      return "loaded in this process";
    case Place::library_path:
      return "LD_LIBRARY_PATH";
    case Place::environment:
      return "Python packages and conda";
    case Place::toolkit:
      return "CUDA_PATH, CUDA_HOME";
    case Place::system:
      return "the system";
  }
  return "";
}

Candidate* Search::add(Place place, const char* path) {
  auto* candidate = static_cast<Candidate*>(arena.take(sizeof(Candidate)));
  const char* kept = candidate != nullptr ? arena.copy(path) : nullptr;
  if (kept == nullptr) return nullptr;
  candidate->path = kept;
  candidate->file_version = "";
  candidate->place = place;
  candidate->image.state = FileState::missing;
  candidate->image.version = {};
  candidate->toolkit = {};
  candidate->verdict = Verdict::accepted;
  (last != nullptr ? last->next : first) = candidate;
  last = candidate;
  return candidate;
}

bool Search::variable_names_a_file() const {
  for (const Candidate* c = first; c != nullptr; c = c->next) {
    if (c->place == Place::variable) return true;
  }
  return false;
}

}  // namespace anycuda
