#include "loader/search.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "loader/driver.h"
#include "loader/interpreter.h"
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

// A file that the user names may be the one that the process has already.
bool is_loaded(const Search& search, const Candidate& candidate) {
  if (candidate.place == Place::loaded) return true;
  if (search.loaded_major == 0) return false;
  if (dlopen(candidate.path, RTLD_LAZY | RTLD_NOLOAD) != nullptr) return true;
  dlerror();  // ours to clear
  return false;
}

Verdict judge_candidate(Search* search, const Candidate& candidate) {
  Question question;
  question.library = search->library.rules;
  question.candidate.version = candidate.image.version;
  question.candidate.loaded = is_loaded(*search, candidate);
  question.caller_major = search->caller_major;
  question.loaded_major = search->loaded_major;
  question.cross_major = search->cross_major;
  if (search->library.rules.driver_bound && !question.candidate.loaded) {
    if (search->driver_path == nullptr) {
      const Driver& driver = driver_of_process();
      search->driver = driver.facts;
      search->driver_path = driver.path;
    }
    question.driver = search->driver;
  }
  return judge(question);
}

// Numeric order of "12.9.79" and "12.10".
int compare_dotted(const char* a, const char* b) {
  while (*a != '\0' || *b != '\0') {
    char* after_a;
    char* after_b;
    const long x = std::strtol(a, &after_a, 10);
    const long y = std::strtol(b, &after_b, 10);
    if (x != y) return x < y ? -1 : 1;
    if (after_a == a && after_b == b) return std::strcmp(a, b);
    a = *after_a == '.' ? after_a + 1 : after_a;
    b = *after_b == '.' ? after_b + 1 : after_b;
  }
  return 0;
}

// Drivers have one major, and the one that fits the kernel's module is no matter of numbers: the
// first that is found is what the dynamic linker would take.
bool better(const LibraryDescriptor& library, const Candidate& a, const Candidate& b) {
  if (library.is_driver) return false;
  if (newer(a.image.version, b.image.version)) return true;
  if (newer(b.image.version, a.image.version)) return false;
  return compare_dotted(a.file_version, b.file_version) > 0;
}

void judge_place(Search* search, Place place) {
  for (Candidate* c = search->first; c != nullptr; c = c->next) {
    if (c->place == place && c->image.state == FileState::usable) {
      c->verdict = judge_candidate(search, *c);
    }
  }
}

Candidate* best_untried(const Search& search, Place place) {
  Candidate* best = nullptr;
  for (Candidate* c = search.first; c != nullptr; c = c->next) {
    const bool possible = c->place == place && !c->tried && c->image.state == FileState::usable &&
                          c->verdict == Verdict::accepted;
    if (possible && (best == nullptr || better(search.library, *c, *best))) best = c;
  }
  return best;
}

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
    log_step("%s: candidate %s (CUDA %d): %s", search->library.name, c->path,
             c->image.version.major, acceptable ? "acceptable" : reason_of(*c, search));
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
  const bool python = in_python(search);
  for (int p = static_cast<int>(first_place); p <= static_cast<int>(last_place); ++p) {
    const Place place = place_at(p, python);
    search->searched[static_cast<int>(place)] = true;
    gather_place(search, place, caller);
    judge_place(search, place);
    log_candidates(search, place);
    while (Candidate* candidate = best_untried(*search, place)) {
      void* handle = open_candidate(search, candidate);
      if (handle != nullptr) return {handle, candidate->image.version, candidate->path};
    }
    // A file that the user names is used or refused, never silently replaced.
    if (place == Place::variable && search->variable_names_a_file()) break;
  }
  return {};
}

}  // namespace anycuda
