// SPDX-License-Identifier: Apache-2.0
#include "compat/search/search.h"

#include <dlfcn.h>

#include <cstring>
#include <new>

#include "compat/base/log.h"
#include "compat/base/uncancelled.h"
#include "compat/search/binding.h"
#include "compat/search/candidate_version.h"
#include "compat/search/check_opened.h"
#include "compat/search/evaluation.h"
#include "compat/search/gather.h"
#include "compat/search/load_probe.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/machine/roots.h"
#include "compat/search/reason.h"
#include "compat/search/search_state.h"

namespace anycuda {
namespace {

int open_flags(Search* search, const Candidate& candidate) {
  if (candidate.tier == SearchTier::loaded) return kOpenFlags | RTLD_NOLOAD;
  const bool lazily = may_bind_lazily(candidate.path, search->machine, &search->arena);
  return lazily ? kLazyFlags : kOpenFlags;
}

// For a library that is kept: slots point into it, so it must never be unloaded. For the same
// reason its handle is never closed.
constexpr int kKeepFlags = kOpenFlags | RTLD_NOLOAD | RTLD_NODELETE;

// A loaded library was never read from disk: its required symbols are looked up instead.
const char* missing_required_symbol(const Search& search, void* handle, int major) {
  const LibrarySymbols& symbols = *search.request.symbols;
  // glibc's handle of a library is its entry in the link map.
  const LoadedSymbols loaded = LoadedNames(*static_cast<const link_map*>(handle)).symbols();
  const int missing = symbols.missing_required_symbol(search.library(), major, [&](int symbol) {
    if (loaded.has_hashes()) return loaded.defines(symbols.hashes[symbol]);
    return dlsym(handle, symbols.symbol_name(symbol)) != nullptr;
  });
  if (missing < 0) return nullptr;
  if (!loaded.has_hashes()) dlerror();  // the program must not find this failed look-up there
  return symbols.symbol_name(missing);
}

// Why an opened library is not used after all; `usable`: it is.
FileState check(Search* search, Candidate* candidate, void* handle) {
  if (candidate->tier == SearchTier::loaded && search->request.symbols != nullptr) {
    candidate->image.detail =
        missing_required_symbol(*search, handle, candidate->image.version.major);
    if (candidate->image.detail != nullptr) return FileState::required_symbol_missing;
  }
  return check_opened(search, candidate, handle);
}

// nullptr: it cannot be opened, or was closed again.
void* open_and_check(Search* search, Candidate* candidate) {
  const LoadProbe probe;
  const Machine& machine = search->machine;
  const bool loaded = candidate->tier == SearchTier::loaded;
  const bool is_others =
      search->request.only_asks && (loaded || is_loaded(machine, candidate->path));
  const OpenResult opened = machine.open(candidate->path, open_flags(search, *candidate));
  void* const handle = opened.handle;
  if (handle == nullptr) {
    candidate->image.state = FileState::open_failed;
    if (search->summary(candidate->tier).unusable++ < kMostUnusable) {
      candidate->image.detail = search->arena.copy(opened.error);
    }
    return nullptr;
  }
  candidate->image.state = check(search, candidate, handle);
  if (candidate->image.state == FileState::usable && candidate->verdict == Verdict::accepted) {
    search->is_others = is_others;
    if (is_others) return handle;
    machine.open(candidate->path, kKeepFlags);
    return handle;
  }
  dlclose(handle);
  return nullptr;
}

void* open_candidate(Search* search, Candidate* candidate) {
  candidate->tried = true;
  if (search->logs_steps) log_step("%s: opening %s", search->library().name, candidate->path);
  void* const handle = open_and_check(search, candidate);
  // A library that stays loaded after closing would be loaded beside the next one.
  const bool closed = handle == nullptr && candidate->image.state != FileState::open_failed &&
                      candidate->tier != SearchTier::loaded;
  candidate->stays_open = closed && stays_loaded(search->machine, candidate->path);
  return handle;
}

void log_candidates(Search* search) {
  if (!search->logs_steps) return;
  for (const Candidate* c = search->environment_begin(); c != nullptr; c = c->next) {
    if (c->environment != search->environment) continue;
    const std::size_t mark = search->arena.mark();
    const bool acceptable = c->image.state == FileState::usable && c->verdict == Verdict::accepted;
    log_step("%s: candidate %s (%s): %s", search->library().name, c->path,
             describe_version(search->library(), *c, &search->arena),
             acceptable ? "acceptable" : reason_of(*c, *search, &search->arena));
    search->arena.rewind(mark);
  }
}

void log_refusal(Search* search, const Candidate& candidate) {
  if (!log_enabled(LogLevel::info)) return;
  const std::size_t mark = search->arena.mark();
  log_line(LogLevel::info, "%s: passed over %s: %s", search->library().name, candidate.path,
           reason_of(candidate, *search, &search->arena));
  search->arena.rewind(mark);
}

// Takes the best of an environment. True ends the search.
bool choose(Search* search) {
  evaluate_environment(search);
  log_candidates(search);
  // An opened library stays. A missed file may be a nearer or newer library, or the driver, without
  // which the chosen library may be unable to run.
  if (search->is_short()) return true;
  for (Candidate* candidate = accepted_by_rank(search); candidate != nullptr;
       candidate = candidate->next_by_rank) {
    search->handle = open_candidate(search, candidate);
    if (search->handle != nullptr) search->chosen = candidate;
    if (search->handle == nullptr) log_refusal(search, *candidate);
    if (search->handle != nullptr || candidate->stays_open || search->is_short()) return true;
  }
  return false;
}

bool evaluate_only(Search* search) {
  evaluate_environment(search);
  return false;
}

void note_loaded_major(Search* search) {
  for (const Candidate* c = search->first; c != nullptr; c = c->next) {
    const int major = c->image.version.major;
    if (c->tier == SearchTier::loaded && major > search->loaded_major) search->loaded_major = major;
  }
}

// The loaded libraries are facts for the rules of all other search tiers. Their list also has
// libraries that another thread is opening, and that may fail to open: asking the dynamic linker
// for one waits for that thread, and shows whether it is loaded. (The tier `loaded` asks for the
// library that it takes.) To be called before another tier has candidates.
void know_what_is_loaded(Search* search) {
  if (search->knows_what_is_loaded) return;
  search->knows_what_is_loaded = true;
  Candidate** link = &search->first;
  search->last = nullptr;
  while (Candidate* candidate = *link) {
    if (!is_loaded(search->machine, candidate->path)) {
      *link = candidate->next;
      continue;
    }
    search->last = candidate;
    link = &candidate->next;
  }
  note_loaded_major(search);
}

// The search found nothing while another thread had a library open for a moment, which the rules
// treated as a library that the process has loaded.
bool is_outdated(const Search& search) {
  if (search.handle != nullptr || search.loaded_major == 0) return false;
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    const bool loaded = c->tier == SearchTier::loaded;
    if (loaded && !stays_loaded(search.machine, c->path)) return true;
  }
  return false;
}

// The number of threads that can each have opened one.
constexpr int kMostSearches = 64;

// The report of a finished search, nullptr: no memory.
const Report* finished(const Search& search) {
  void* const memory = search.arena.take(sizeof(Report));
  return memory != nullptr ? new (memory) Report(search) : nullptr;
}

bool needs_what_is_loaded(const Search& search, SearchTier tier) {
  if (tier == SearchTier::loaded) return false;
  return tier != SearchTier::variable ||
         search.machine.variable(search.library().variable) != nullptr;
}

void search_tiers(Search* search) {
  gather_loaded(search);
  know_relations(search);
  if (search->logs_steps) search->request.all_versions = true;
  for (int i = 0; i < kTierCount; ++i) {
    // A driver is in no package: the order of those tiers does not matter to it.
    const bool in_python =
        i >= kFirstOfPython && !search->library().is_driver && search->program().is_python();
    const SearchTier tier = tier_order(in_python)[i];
    if (!has(search->request.tiers, tier)) continue;
    search->summary(tier).searched = true;
    if (needs_what_is_loaded(*search, tier)) know_what_is_loaded(search);
    if (tier == SearchTier::toolkit && !search->library().is_driver) {
      search->differing_variables = differing_toolkit_variables(search->machine, &search->arena);
    }
    if (gather_tier(search, tier, choose)) return;
    // A file that the user names is used or refused, never silently replaced.
    if (tier == SearchTier::variable && search->variable_names_a_file()) return;
  }
}

}  // namespace

void run_search(Search* search) {
  search_tiers(search);
  if (search->handle == nullptr) {
    know_what_is_loaded(search);
  } else if (!search->knows_what_is_loaded) {
    note_loaded_major(search);  // for a report of the tiers behind
  }
}

const Report* search(const Request& request, const Machine& machine, Arena* arena) {
  const Uncancelled uncancelled;
  // Taken first: a search that fills the arena must not lose the library that it has opened.
  void* const memory = arena->usable() ? arena->take(sizeof(Report)) : nullptr;
  if (memory == nullptr) return nullptr;
  const std::size_t mark = arena->mark();
  for (int i = 1;; ++i) {
    Search work(request, machine, arena);
    if (request.policy.wrong_count == 0) run_search(&work);
    if (i == kMostSearches || !is_outdated(work)) return new (memory) Report(work);
    arena->rewind(mark);
  }
}

const Report* with_versions(const Report& report, Arena* arena) {
  const std::size_t mark = arena->mark();
  const Machine without_driver;
  Search work(report, without_driver, arena);
  if (work.whole) read_toolkit_versions(&work);
  const Report* more = work.whole ? finished(work) : nullptr;
  if (more == nullptr) arena->rewind(mark);
  return more;
}

const Report* with_unreached_tiers(const Report& report, const Machine& machine, Arena* arena) {
  Search work(report, machine, arena);
  if (!work.whole) return nullptr;
  for (int i = 0; i < kTierCount; ++i) {
    const auto tier = static_cast<SearchTier>(i);
    // The chosen one's tier was left at its environment.
    const bool left = report.chosen != nullptr && report.chosen->tier == tier;
    const bool complete = tier == SearchTier::variable || tier == SearchTier::loaded;
    if (!report.tiers[i].searched || (left && !complete)) gather_tier(&work, tier, evaluate_only);
  }
  std::memcpy(work.tiers, report.tiers, sizeof work.tiers);
  return finished(work);
}

}  // namespace anycuda
