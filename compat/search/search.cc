// SPDX-License-Identifier: Apache-2.0
#include "compat/search/search.h"

#include <dlfcn.h>

#include <cstring>
#include <new>

#include "compat/base/log.h"
#include "compat/base/shortage.h"
#include "compat/base/uncancelled.h"
#include "compat/search/binding.h"
#include "compat/search/check_opened.h"
#include "compat/search/companions/companions.h"
#include "compat/search/evaluation.h"
#include "compat/search/gather.h"
#include "compat/search/load_probe.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/machine/roots.h"
#include "compat/search/reason.h"
#include "compat/search/verdicts.h"

namespace anycuda {
namespace {

// For a library that is kept: slots point into it, so it must never be unloaded. For the same
// reason its handle is never closed.
constexpr int kKeepFlags = kOpenFlags | RTLD_NOLOAD | RTLD_NODELETE;

// A loaded library was never read from disk: its required symbols are looked up instead.
const char* missing_required_symbol(const Request& request, void* handle, int major) {
  const LibrarySymbols& symbols = *request.symbols;
  // glibc's handle of a library is its entry in the link map.
  const LoadedSymbols loaded = LoadedNames(*static_cast<const link_map*>(handle)).symbols();
  const GnuHashBuckets buckets = loaded.buckets();
  const int missing = symbols.missing_required_symbol(*request.library, major, [&](int symbol) {
    if (buckets.count != 0) return buckets.has(symbols.hashes[symbol]);
    return dlsym(handle, symbols.symbol_name(symbol)) != nullptr;
  });
  if (missing < 0) return nullptr;
  if (buckets.count == 0) dlerror();  // the program must not find this failed look-up there
  return symbols.symbol_name(missing);
}

bool same(Version a, Version b) { return a.major == b.major && a.minor == b.minor; }

// The work of one search: it gathers candidates tier by tier, and opens the best one.
class Search {
 public:
  Search(Report* report, const Machine& machine, AbsentNames absent, Arena* arena)
      : gathered_(report, machine, arena, absent), report_(*report) {}

  void run() {
    search_tiers();
    if (report_.handle == nullptr) open_waiting();
    if (report_.handle != nullptr && report_.chosen->tier != SearchTier::loaded) {
      log_two_cudas(*report_.chosen);
      log_missing(*report_.chosen);
    }
    if (report_.handle == nullptr) {
      know_what_is_loaded();
    } else if (!knows_what_is_loaded_) {
      note_loaded_major();  // for a report of the tiers behind
    }
  }

  // It found nothing while another thread had a library open for a moment, which the rules treated
  // as a library that the process has loaded.
  bool is_outdated() const {
    if (report_.handle != nullptr || report_.loaded_major == 0) return false;
    for (const Candidate* c = report_.candidates(); c != nullptr; c = c->next) {
      if (c->tier == SearchTier::loaded && !stays_loaded(gathered_.machine, c->path)) return true;
    }
    return false;
  }

 private:
  void search_tiers() {
    gather_loaded(&gathered_);
    if (gathered_.logs_steps) report_.request.all_versions = true;
    const auto choose = [](void* search) { return static_cast<Search*>(search)->choose(); };
    for (int i = 0; i < kTierCount; ++i) {
      // A driver is in no package: the order of those tiers does not matter to it.
      report_.in_python =
          i >= kFirstOfPython && !library().is_driver && gathered_.program().is_python();
      const SearchTier tier = tier_order(report_.in_python)[i];
      if (!has(report_.request.tiers, tier)) continue;
      gathered_.summary(tier).searched = true;
      if (needs_what_is_loaded(tier)) know_what_is_loaded();
      if (needs_process(tier)) know_process();
      if (tier == SearchTier::toolkit && !library().is_driver) {
        report_.differing_variables =
            differing_toolkit_variables(gathered_.machine, &gathered_.arena);
      }
      if (gather_tier(&gathered_, tier, {choose, this})) return;
      // A file that the user names is used or refused, never silently replaced.
      if (tier == SearchTier::variable && report_.variable_names_a_file()) return;
    }
  }

  bool needs_what_is_loaded(SearchTier tier) const {
    if (tier == SearchTier::loaded) return false;
    return tier != SearchTier::variable ||
           gathered_.machine.variable(library().variable) != nullptr;
  }

  // One loaded copy, or one file that the user names, is taken whatever else the process has.
  bool needs_process(SearchTier tier) const {
    if (tier == SearchTier::loaded) {
      return gathered_.first() != nullptr && gathered_.first()->next != nullptr;
    }
    return tier != SearchTier::variable;
  }

  void know_process() {
    if (!knows_process_ && !library().is_driver) gather_process(&gathered_);
    knows_process_ = true;
  }

  // The loaded libraries are facts for the rules of all other search tiers. Their list also has
  // libraries that another thread is opening, and that may fail to open: asking the dynamic linker
  // for one waits for that thread, and shows whether it is loaded. (The tier `loaded` asks for the
  // library that it takes.)
  void know_what_is_loaded() {
    if (knows_what_is_loaded_) return;
    knows_what_is_loaded_ = true;
    gathered_.confirm_loaded();
    note_loaded_major();
  }

  void note_loaded_major() {
    int& newest = report_.loaded_major;
    for (const Candidate* c = report_.candidates(); c != nullptr; c = c->next) {
      const int major = c->image.version.major;
      if (c->tier == SearchTier::loaded && major > newest) newest = major;
    }
  }

  // Takes the best of an environment. True ends the search.
  bool choose() {
    give_verdicts(&gathered_);
    log_candidates();
    return open_best(gathered_.first_here(), Patience::for_complete_of_process);
  }

  // What a better library in a farther environment is waited for.
  enum class Patience { none, for_complete, for_complete_of_process };

  bool open_best(Candidate* environment, Patience patience) {
    // An opened library stays. A missed file may be a nearer or newer library, or the driver,
    // without which the chosen library may be unable to run.
    while (!is_short()) {
      Candidate* const best = best_accepted(report_, environment, &gathered_.arena);
      if (best == nullptr) return false;
      if (is_found_incomplete(best)) continue;  // it comes after complete ones
      if (waits(*best, patience)) {
        has_waiting_ = true;
        return false;
      }
      report_.handle = open(best);
      if (report_.handle != nullptr) {
        report_.chosen = best;
        return true;
      }
      log_passed_over(*best, report_, &gathered_.arena);
      if (best->stays_open) return true;
    }
    return true;
  }

  // Asked for a candidate that would be opened: the answer takes system calls.
  bool is_found_incomplete(Candidate* candidate) {
    if (candidate->knows_companions || candidate->tier == SearchTier::loaded) return false;
    candidate->knows_companions = true;
    const char* const missing =
        missing_companion(gathered_.machine, library(), candidate->path, known_version(*candidate),
                          candidate->toolkit.version.known(), &gathered_.arena);
    if (missing == nullptr) return false;
    candidate->lacking = missing;
    candidate->is_incomplete = true;
    return true;
  }

  bool waits(const Candidate& candidate, Patience patience) const {
    if (candidate.tier == SearchTier::loaded || candidate.tier == SearchTier::variable)
      return false;
    if (library().is_driver || patience == Patience::none) return false;
    return candidate.is_incomplete ||
           (patience == Patience::for_complete_of_process && !is_of_process(report_, candidate));
  }

  // Nothing better was found: the nearest of another CUDA, else the nearest incomplete one.
  void open_waiting() {
    for (const Patience patience : {Patience::for_complete, Patience::none}) {
      Candidate* next = has_waiting_ ? gathered_.first() : nullptr;
      while (next != nullptr) {
        if (open_best(next, patience)) return;
        const int environment = next->environment;
        while (next != nullptr && next->environment == environment) next = next->next;
      }
    }
  }

  // Has the search missed something that the next one may find?
  bool is_short() const { return shortage_since(shortages_before_) != 0; }

  // nullptr: it is not used, and is not among the accepted ones any more.
  void* open(Candidate* candidate) {
    candidate->tried = true;
    if (gathered_.logs_steps) log_step("%s: opening %s", library().name, candidate->path);
    void* const handle = open_and_check(candidate);
    // A library that stays loaded after closing would be loaded beside the next one.
    const bool closed = handle == nullptr && candidate->image.state != FileState::open_failed &&
                        candidate->tier != SearchTier::loaded;
    candidate->stays_open = closed && stays_loaded(gathered_.machine, candidate->path);
    return handle;
  }

  void* open_and_check(Candidate* candidate) {
    const LoadProbe probe;
    const Machine& machine = gathered_.machine;
    const bool loaded = candidate->tier == SearchTier::loaded;
    const bool is_others =
        report_.request.only_asks && (loaded || is_loaded(machine, candidate->path));
    const bool lazily = !loaded && candidate->image.needs_only_libc &&
                        may_bind_lazily(candidate->path, machine, &gathered_.arena);
    const int flags = loaded ? kOpenFlags | RTLD_NOLOAD : lazily ? kLazyFlags : kOpenFlags;
    Companions companions(machine, &gathered_.arena);
    const bool needs_companions = candidate->image.needs_companions && !library().is_driver;
    if (!loaded && needs_companions) companions.open_needed(candidate->path);
    const OpenResult opened = machine.open(candidate->path, flags);
    if (opened.handle == nullptr) {
      candidate->image.state = FileState::open_failed;
      if (gathered_.summary(candidate->tier).unusable++ < kMostUnusable) {
        candidate->image.detail = gathered_.arena.copy(opened.error);
      }
      return nullptr;
    }
    candidate->image.state = check(candidate, opened.handle);
    if (candidate->image.state == FileState::usable && candidate->verdict == Verdict::accepted) {
      report_.is_others = is_others;
      if (!loaded) companions.open_parts(library(), candidate->path);
      if (!is_others) machine.open(candidate->path, kKeepFlags);
      return opened.handle;
    }
    dlclose(opened.handle);
    return nullptr;
  }

  // What is wrong with an opened library; `usable`: nothing, if its verdict still accepts it.
  FileState check(Candidate* candidate, void* handle) {
    const bool loaded = candidate->tier == SearchTier::loaded;
    ImageFacts& image = candidate->image;
    if (loaded && report_.request.symbols != nullptr) {
      image.detail = missing_required_symbol(report_.request, handle, image.version.major);
      if (image.detail != nullptr) return FileState::required_symbol_missing;
    }
    const FileState state = compare_opened(library(), candidate, handle, &gathered_.arena);
    if (state != FileState::usable || library().is_driver) return state;
    const Version reported = candidate->reported.version;
    ToolkitVersion& toolkit = candidate->toolkit;
    if (reported.known() && toolkit.version.known() && !same(toolkit.version, reported)) {
      toolkit = {reported, "the library itself", candidate->path, ""};
    }
    if (!loaded && library().relative_count != 0) {
      gather_relatives_before(opened_path(handle), &gathered_);
    }
    candidate->verdict = evaluate(report_, *candidate);
    return state;
  }

  void log_candidates() {
    if (!gathered_.logs_steps) return;
    const Candidate* const first = gathered_.first_here();
    for (const Candidate* c = first; c != nullptr && c->environment == first->environment;
         c = c->next) {
      const std::size_t mark = gathered_.arena.mark();
      const bool accepted = c->image.state == FileState::usable && c->verdict == Verdict::accepted;
      log_step("%s: candidate %s (%s): %s", library().name, c->path,
               describe_version(library(), *c, &gathered_.arena),
               accepted ? "acceptable" : reason_of(*c, report_, &gathered_.arena));
      gathered_.arena.rewind(mark);
    }
  }

  void log_missing(const Candidate& candidate) {
    if (!candidate.is_incomplete) return;
    log_line(LogLevel::warn, "%s: %s is incomplete: %s is missing, which it opens at its first use",
             library().name, candidate.path, candidate.lacking);
  }

  void log_two_cudas(const Candidate& candidate) {
    if (library().is_driver || !log_enabled(LogLevel::info)) return;
    know_process();
    if (is_of_process(report_, candidate)) return;
    log_line(LogLevel::info, "%s: %s (%s) is used beside CUDA %d: %s", library().name,
             candidate.path, describe_version(library(), candidate, &gathered_.arena),
             report_.process.major, report_.process.path);
  }

  const LibraryDescriptor& library() const { return report_.library(); }

  Gathered gathered_;
  Report& report_;
  const std::uint64_t shortages_before_ = shortages();
  bool has_waiting_ = false;
  bool knows_process_ = false;
  bool knows_what_is_loaded_ = false;  // loaded_major, and the candidates of that tier
};

// The number of threads that can each have opened one.
constexpr int kMostSearches = 64;

// A copy of a report, still with the candidates of the other; nullptr: out of memory.
Report* copy_of(const Report& report, Arena* arena) {
  void* const memory = arena->take_raw(sizeof(Report));
  return memory != nullptr ? new (memory) Report(report) : nullptr;
}

}  // namespace

const Report* search(const Request& request, const Machine& machine, Arena* arena) {
  const Uncancelled uncancelled;
  // Taken first: a search that fills the arena must not lose the library that it has opened.
  void* const memory = arena->usable() ? arena->take_raw(sizeof(Report)) : nullptr;
  if (memory == nullptr) return nullptr;
  const std::size_t mark = arena->mark();
  AbsentNames absent = shared_absent_names();
  for (int i = 1;; ++i) {
    // What did not exist for an earlier search may be installed by now. (Of the driver one answer
    // counts for all stubs.)
    const bool may_ask_again = absent.any() && !request.library->is_driver;
    auto* const report = new (memory) Report(request);
    Search work(report, machine, absent, arena);
    if (request.policy.wrong_count == 0) work.run();
    const bool asks_again = may_ask_again && report->candidates() == nullptr;
    if (i == kMostSearches || (!asks_again && !work.is_outdated())) return report;
    if (asks_again) absent = {};
    arena->rewind(mark);
  }
}

const Report* with_versions(const Report& report, Arena* arena) {
  const std::size_t mark = arena->mark();
  const Machine without_driver;
  Report* const more = copy_of(report, arena);
  if (more != nullptr) {
    Gathered gathered(more, without_driver, arena);
    if (gathered.copy_candidates()) {
      for (Candidate* c = gathered.first(); c != nullptr; c = c->next) {
        const bool has_version = c->image.state == FileState::usable && !report.library().is_driver;
        if (has_version) read_toolkit_version(report.library(), c, arena);
      }
      return more;
    }
  }
  arena->rewind(mark);
  return nullptr;
}

const Report* with_unreached_tiers(const Report& report, const Machine& machine, Arena* arena) {
  Report* const more = copy_of(report, arena);
  if (more == nullptr) return nullptr;
  Gathered gathered(more, machine, arena);
  if (!gathered.copy_candidates()) return nullptr;
  const auto evaluate_only = [](void* all) {
    give_verdicts(static_cast<Gathered*>(all));
    return false;
  };
  for (int i = 0; i < kTierCount; ++i) {
    const auto tier = static_cast<SearchTier>(i);
    // The chosen one's tier was left at its environment.
    const bool left = report.chosen != nullptr && report.chosen->tier == tier;
    const bool complete = tier == SearchTier::variable || tier == SearchTier::loaded;
    if (!report.tiers[i].searched || (left && !complete)) {
      gather_tier(&gathered, tier, {evaluate_only, &gathered});
    }
  }
  std::memcpy(more->tiers, report.tiers, sizeof more->tiers);
  return more;
}

}  // namespace anycuda
