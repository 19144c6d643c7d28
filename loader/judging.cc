#include "loader/judging.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "loader/candidate_version.h"
#include "loader/driver.h"
#include "loader/loaded.h"

namespace anycuda {
namespace {

// A file that the user names may be the one that the process has already.
bool is_loaded(const Search& search, const Candidate& candidate) {
  if (candidate.place == Place::loaded) return true;
  if (search.loaded_major == 0) return false;
  if (dlopen(candidate.path, RTLD_LAZY | RTLD_NOLOAD) != nullptr) return true;
  dlerror();  // ours to clear
  return false;
}

void know_driver(Search* search) {
  if (search->driver_library == nullptr || search->driver_path != nullptr) return;
  const Driver& driver = driver_of_process(*search->driver_library);
  search->driver = driver.facts;
  search->driver_path = driver.path;
}

void know_branch(Search* search) {
  if (search->branch_problem != nullptr) return;
  const Branch& branch = branch_of_process(driver_of_process(*search->driver_library));
  search->driver.branch = branch.number;
  search->branch_problem = branch.cause;
}

bool usable_in(const Candidate& candidate, Place place) {
  return candidate.place == place && candidate.image.state == FileState::usable;
}

// Two of one major: which is newer, their metadata knows better than their symbols.
bool has_rival(const Search& search, const Candidate& candidate) {
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    const bool same_major = c->image.version.major == candidate.image.version.major;
    if (c != &candidate && same_major && usable_in(*c, candidate.place)) return true;
  }
  return false;
}

// LTO-IR of another major goes nowhere, whatever the minors.
bool partner_asks_version(const Search& search, const Candidate& candidate) {
  for (int i = 0; i < search.partner_count; ++i) {
    if (search.partners[i].version.major == candidate.image.version.major) return true;
  }
  return false;
}

Question question_about(const Search& search, const Candidate& candidate) {
  Question question;
  question.library = search.library.rules;
  question.candidate.version = known_version(candidate);
  question.candidate.exact = candidate.toolkit.version.known();
  question.candidate.loaded = is_loaded(search, candidate);
  question.driver = search.driver;
  question.caller_major = search.caller_major;
  question.loaded_major = search.loaded_major;
  question.mode = search.policy.mode;
  question.forward_compatibility = search.policy.forward_compatibility;
  question.cross_major = search.policy.cross_major;
  return question;
}

Verdict judge_candidate(Search* search, Candidate* candidate) {
  Question question = question_about(*search, *candidate);
  if (asks_driver(question)) {
    know_driver(search);
    question.driver = search->driver;
  }
  const bool version_matters = search->all_versions || asks_exact_version(question) ||
                               has_rival(*search, *candidate) ||
                               partner_asks_version(*search, *candidate);
  if (version_matters && !search->library.is_driver) {
    read_toolkit_version(search, candidate);
    question.candidate.version = known_version(*candidate);
    question.candidate.exact = candidate->toolkit.version.known();
  }
  // A driver that speaks of CUDA M is of the branch that M came with, or a later one, and that is
  // the minimum: the answer cannot refuse what is in the field. To ask wakes NVML up, for
  // milliseconds, in every thread that comes then. So only who wants to know and not to believe has
  // it asked.
  if (search->policy.mode == Mode::strict && asks_branch(question)) {
    know_branch(search);
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

Fit fit_in(const Search& search, const Candidate& candidate) {
  Version partners[kMostPartners];
  for (int i = 0; i < search.partner_count; ++i) partners[i] = search.partners[i].version;
  Company company;
  company.driver = search.driver;
  company.partners = partners;
  company.partner_count = search.partner_count;
  company.caller_major = search.caller_major;
  company.mode = search.policy.mode;
  return fit_of(search.library.rules, known_version(candidate), company);
}

// Drivers have one major, and the one that fits the kernel's module is no matter of numbers: the
// first that is found is what the dynamic linker would take.
bool better(const Search& search, const Candidate& a, const Candidate& b) {
  if (search.library.is_driver) return false;
  if (preference_of(search, a, b) != Preference::none) return true;
  if (preference_of(search, b, a) != Preference::none) return false;
  return compare_dotted(a.file_version, b.file_version) > 0;
}

void add_partner(const char* path, int major, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* kept = search->partner_count < kMostPartners ? search->arena.copy(path) : nullptr;
  if (kept != nullptr) search->partners[search->partner_count++] = {{major, -1}, kept};
}

}  // namespace

void gather_partners(Search* search) {
  if (search->library.partner == nullptr) return;
  each_loaded_copy(*search->library.partner, add_partner, search);
  for (int i = 0; i < search->partner_count; ++i) {
    Partner& partner = search->partners[i];
    const ToolkitVersion told = toolkit_version_of(partner.path, &search->arena, &search->sites);
    if (told.version.major == partner.version.major) partner.version = told.version;
  }
}

void judge_place(Search* search, Place place) {
  for (Candidate* c = search->first; c != nullptr; c = c->next) {
    if (usable_in(*c, place)) c->verdict = judge_candidate(search, c);
  }
}

Candidate* best_untried(const Search& search, Place place) {
  Candidate* best = nullptr;
  for (Candidate* c = search.first; c != nullptr; c = c->next) {
    const bool possible = usable_in(*c, place) && !c->tried && c->verdict == Verdict::accepted;
    if (possible && (best == nullptr || better(search, *c, *best))) best = c;
  }
  return best;
}

Preference preference_of(const Search& search, const Candidate& a, const Candidate& b) {
  return preference(fit_in(search, a), fit_in(search, b));
}

}  // namespace anycuda
