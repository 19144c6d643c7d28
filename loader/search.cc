#include "loader/search.h"

#include <dlfcn.h>

#include "loader/candidate_version.h"
#include "loader/interpreter.h"
#include "loader/judging.h"
#include "loader/loaded.h"
#include "loader/log.h"
#include "loader/places.h"
#include "loader/reason.h"

namespace anycuda {
namespace {

// NODELETE: slots point into the library, so nobody may unload it. Never dlclosed for the same
// reason. NOW: a library that needs a symbol nobody has is refused here, where the next can still
// be tried; bound lazily it would end the program in the middle of a call.
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

// A loaded library was never read from disk: its core symbols are looked up instead.
const char* missing_core(const Search& search, void* handle, int major) {
  const Tables& tables = *search.tables;
  const int missing = tables.missing_core(search.library, major, [&](int symbol) {
    return dlsym(handle, tables.symbol_name(symbol)) != nullptr;
  });
  if (missing < 0) return nullptr;
  dlerror();  // ours to clear: the program must not find our failed look-up there
  return tables.symbol_name(missing);
}

void* open_candidate(Search* search, Candidate* candidate) {
  candidate->tried = true;
  const bool loaded = candidate->place == Place::loaded;
  log_step("%s: opening %s", search->library.name, candidate->path);
  void* handle = dlopen(candidate->path, kOpenFlags | (loaded ? RTLD_NOLOAD : 0));
  if (handle == nullptr) {
    const char* error = dlerror();
    candidate->image.state = FileState::open_failed;
    candidate->image.detail = search->arena.copy(error != nullptr ? error : "no reason given");
    return nullptr;
  }
  if (loaded && search->tables != nullptr) {
    candidate->image.detail = missing_core(*search, handle, candidate->image.version.major);
    if (candidate->image.detail != nullptr) {
      candidate->image.state = FileState::core_symbol_missing;
      return nullptr;
    }
  }
  return handle;
}

void log_candidates(Search* search, Place place) {
  if (!log_enabled(LogLevel::debug)) return;
  for (const Candidate* c = search->first; c != nullptr; c = c->next) {
    if (c->place != place) continue;
    const std::size_t mark = search->arena.mark();
    const bool acceptable = c->image.state == FileState::usable && c->verdict == Verdict::accepted;
    const char* version =
        search->library.is_driver ? "driver" : version_in_words(*c, &search->arena);
    log_step("%s: candidate %s (%s): %s", search->library.name, c->path, version,
             acceptable ? "acceptable" : reason_of(*c, search));
    search->arena.rewind(mark);
  }
}

// What is loaded already is a fact for the rules of every place. The list that it is read from also
// has what another thread is just opening, and may fail to: asking the loader for it waits for that
// thread, and tells whether it came to stay.
void gather_what_is_loaded(Search* search) {
  gather_loaded(search);
  Candidate** link = &search->first;
  search->last = nullptr;
  while (Candidate* candidate = *link) {
    if (dlopen(candidate->path, RTLD_LAZY | RTLD_NOLOAD) == nullptr) {
      dlerror();  // ours to clear
      *link = candidate->next;
      continue;
    }
    const int major = candidate->image.version.major;
    if (major > search->loaded_major) search->loaded_major = major;
    search->last = candidate;
    link = &candidate->next;
  }
}

// In a Python process its packages come before LD_LIBRARY_PATH, the other way round than in others:
// what is imported later finds its CUDA among them (by an RPATH, or cuda-pathfinder, which has this
// order), and would bring it as a second one.
Place place_at(int position, bool in_python) {
  const auto place = static_cast<Place>(position);
  if (in_python && place == Place::library_path) return Place::environment;
  if (in_python && place == Place::environment) return Place::library_path;
  return place;
}

bool in_python(Search* search) {
  if (search->library.is_driver) return false;  // it is in no package: the order does not matter
  const std::size_t mark = search->arena.mark();
  const bool found = this_interpreter(&search->arena).base_prefix != nullptr;
  search->arena.rewind(mark);
  return found;
}

}  // namespace

Found run_search(Search* search, const void* caller, Place first_place, Place last_place) {
  gather_what_is_loaded(search);
  gather_partners(search);
  if (log_enabled(LogLevel::debug)) search->all_versions = true;
  const bool python = in_python(search);
  for (int p = static_cast<int>(first_place); p <= static_cast<int>(last_place); ++p) {
    const Place place = place_at(p, python);
    search->searched[static_cast<int>(place)] = true;
    gather_place(search, place, caller);
    judge_place(search, place);
    log_candidates(search, place);
    while (Candidate* candidate = best_untried(*search, place)) {
      void* handle = open_candidate(search, candidate);
      if (handle != nullptr) return {handle, known_version(*candidate), candidate->path, candidate};
    }
    // A file that the user names is used or refused, never silently replaced.
    if (place == Place::variable && search->variable_names_a_file()) break;
  }
  return {};
}

}  // namespace anycuda
