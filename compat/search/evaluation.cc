// SPDX-License-Identifier: Apache-2.0
#include "compat/search/evaluation.h"

#include <cstring>

#include "compat/base/linked_sort.h"
#include "compat/rules/gpu_rule.h"
#include "compat/search/candidate_version.h"
#include "compat/search/load_probe.h"
#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

// A file that the user names may be the one that the process has already.
bool is_loaded_already(const Search& search, const Candidate& candidate) {
  if (candidate.tier == SearchTier::loaded) return true;
  if (search.loaded_major == 0) return false;
  return is_loaded(search.machine, candidate.path);
}

void know_driver(Search* search) {
  if (search->machine.driver == nullptr || search->driver_path != nullptr) return;
  const Driver& driver = search->machine.driver();
  search->driver = driver.facts;
  search->driver_path = driver.path;
}

bool usable_in(const Candidate& candidate, int environment) {
  return candidate.environment == environment && candidate.image.state == FileState::usable;
}

std::uint64_t bit_of_major(const Candidate& candidate) {
  return std::uint64_t{1} << (static_cast<unsigned>(candidate.image.version.major) % 64);
}

// The majors of which the environment has two usable candidates or more: metadata orders those
// better than symbols do. (Two majors that share a bit only have versions read without need.)
std::uint64_t shared_majors(const Search& search) {
  std::uint64_t once = 0;
  std::uint64_t twice = 0;
  for (const Candidate* c = search.environment_begin(); c != nullptr; c = c->next) {
    if (!usable_in(*c, search.environment)) continue;
    twice |= once & bit_of_major(*c);
    once |= bit_of_major(*c);
  }
  return twice;
}

struct Context {
  explicit Context(const Report& report) {
    for (int i = 0; i < report.peer_count; ++i) peers[i] = report.peers[i].version;
    value.driver = report.driver;
    value.peers = peers;
    value.peer_count = report.peer_count;
    value.caller_major = report.request.caller_major;
    value.oldest_gpu = report.oldest_gpu;
    value.runtime_major = report.major_of(Bond::runtime);
    value.mode = report.request.policy.mode;
  }
  Version peers[kMostPeers];
  PreferenceContext value;
};

void put_version(const Candidate& candidate, CandidateFacts* facts) {
  facts->version = known_version(candidate);
  facts->exact = candidate.toolkit.version.known();
  facts->newest_major = facts->exact ? facts->version.major : candidate.image.newest_major;
}

CandidateQuery query_about(const Search& search, const Candidate& candidate) {
  CandidateQuery query;
  query.library = search.library().rules;
  put_version(candidate, &query.candidate);
  query.candidate.is_later =
      search.library().earlier_soname != nullptr && !candidate.image.is_earlier;
  query.candidate.needs_runtime = candidate.image.needs_runtime;
  query.candidate.loaded = is_loaded_already(search, candidate);
  query.caller_major = search.request.caller_major;
  query.caller_newest_major = search.library().newest_like(query.caller_major);
  query.loaded_major = search.loaded_major;
  query.group_major = search.major_of(Bond::group);
  query.runtime_major = search.major_of(Bond::runtime);
  query.mode = search.request.policy.mode;
  query.forward_compatibility = search.request.policy.forward_compatibility;
  query.cross_major = search.request.policy.cross_major;
  return query;
}

Verdict evaluate_candidate(Search* search, Candidate* candidate) {
  CandidateQuery query = query_about(*search, *candidate);
  if (needs_driver_version(query)) {
    know_driver(search);
    query.driver = search->driver;
  }
  const bool version_matters =
      search->request.all_versions || !candidate->image.major_is_known() ||
      needs_exact_version(query) || (search->shared_majors & bit_of_major(*candidate)) != 0 ||
      needs_minor(search->library().rules, candidate->image.version, Context(*search).value);
  if (version_matters && !search->library().is_driver) {
    read_toolkit_version(search, candidate);
    put_version(*candidate, &query.candidate);
  }
  return evaluate(query);
}

Rank rank_in(const Report& report, const Candidate& candidate) {
  const int runtime = report.major_of(Bond::runtime);
  Rank rank = rank_of(report.library().rules, known_version(candidate), Context(report).value);
  // One of the majors that its SONAME allows; a loaded file, or one that the user names, keeps its
  // place.
  const bool is_found =
      candidate.tier != SearchTier::loaded && candidate.tier != SearchTier::variable;
  rank.known_major = candidate.image.major_is_known() || !is_found;
  if (!rank.known_major && candidate.image.version.major <= runtime &&
      runtime <= candidate.image.newest_major) {
    rank.runtimes_major = true;
  }
  return rank;
}

// Driver libraries are not ordered by version: the first one found, which the dynamic linker would
// take too, is the one that fits the kernel's module.
bool better(Search* search, Candidate* a, Candidate* b) {
  if (search->library().is_driver) return false;
  const Rank rank_a = rank_in(*search, *a);
  const Rank rank_b = rank_in(*search, *b);
  if (preference(rank_a, rank_b) != Preference::none) return true;
  if (preference(rank_b, rank_a) != Preference::none) return false;
  // Of the same CUDA: the library that the callers were built for needs no adapters, and is
  // complete.
  if (a->image.is_earlier != b->image.is_earlier) return a->image.is_earlier;
  return search->is_newer_file(a, b);
}

void add_relative(Search* search, const LoadedCopy& copy) {
  if (copy.relative == nullptr || search->relative_count == kMostRelatives) return;
  const char* kept = search->arena.copy(copy.path);
  if (kept == nullptr) return;
  search->relatives[search->relative_count++] = {*copy.image_of_relative, kept, copy.relative};
}

void know_relatives(Search* search) {
  for (int i = 0; i < search->relative_count; ++i) {
    LoadedRelative& relative = search->relatives[i];
    if (relative.image.major_is_known()) continue;
    read_release(*relative.relative->library, relative.path, &search->arena, &relative.image);
  }
}

}  // namespace

void note_relation(Search* search, const LoadedCopy& copy) {
  if (copy.peer != nullptr && search->peer_count < kMostPeers) {
    const char* kept = search->arena.copy(copy.path);
    if (kept != nullptr) search->peers[search->peer_count++] = {copy.peer->version, kept};
  }
  add_relative(search, copy);
}

void know_relations(Search* search) {
  for (int i = 0; i < search->peer_count; ++i) {
    PeerLibrary& peer = search->peers[i];
    ImageFacts image;
    image.version = peer.version;
    const ToolkitVersion toolkit =
        read_release(*search->library().peer, peer.path, &search->arena, &image);
    if (toolkit.version.known()) peer.version = toolkit.version;
  }
  know_relatives(search);
}

namespace {

bool is_accepted(const Search& search, const Candidate& candidate) {
  return usable_in(candidate, search.environment) && candidate.verdict == Verdict::accepted;
}

bool gpus_decide_between_accepted(const Search& search) {
  const bool counts = search.library().rules.driver_bound &&
                      search.request.policy.mode != Mode::off && search.oldest_gpu == 0;
  if (!counts || search.machine.oldest_gpu == nullptr) return false;
  const Candidate* first = nullptr;
  for (const Candidate* c = search.environment_begin(); c != nullptr; c = c->next) {
    if (!is_accepted(search, *c) || c->tier == SearchTier::loaded) continue;
    if (first == nullptr) first = c;
    if (gpus_decide(search.driver, known_version(*first).major, known_version(*c).major))
      return true;
  }
  return false;
}

struct Relatives {
  Search* search;
  const char* end;  // those that were loaded before this file
  bool at_end = false;
};

void visit_relative(const LoadedCopy& copy, void* argument) {
  auto* found = static_cast<Relatives*>(argument);
  if (copy.relative != nullptr && std::strcmp(copy.path, found->end) == 0) found->at_end = true;
  if (!found->at_end) add_relative(found->search, copy);
}

// Once more; of a group, only those that were loaded before this file, which is a member.
void gather_relatives(Search* search, const char* before) {
  search->relative_count = 0;
  Relatives found{search, before};
  each_loaded_copy(search->machine, search->library(), visit_relative, &found);
  know_relatives(search);
}

}  // namespace

void evaluate_environment(Search* search) {
  search->shared_majors = shared_majors(*search);
  for (Candidate* c = search->environment_begin(); c != nullptr; c = c->next) {
    if (usable_in(*c, search->environment)) c->verdict = evaluate_candidate(search, c);
  }
  if (gpus_decide_between_accepted(*search)) search->oldest_gpu = search->machine.oldest_gpu();
}

void evaluate_opened(Search* search, Candidate* candidate, const char* path) {
  const int group = search->major_of(Bond::group);
  const int runtime = search->major_of(Bond::runtime);
  gather_relatives(search, path);
  if (search->major_of(Bond::group) == group && search->major_of(Bond::runtime) == runtime) return;
  candidate->verdict = evaluate_candidate(search, candidate);
}

Verdict evaluate_reported(Search* search, Candidate* candidate, Version reported) {
  candidate->toolkit.version = reported;
  candidate->toolkit.source = "the library itself";
  candidate->toolkit.file = candidate->path;
  candidate->toolkit_read = true;
  return evaluate_candidate(search, candidate);
}

Candidate* accepted_by_rank(Search* search) {
  Candidate* accepted = nullptr;
  Candidate** end = &accepted;
  for (Candidate* c = search->environment_begin(); c != nullptr; c = c->next) {
    if (!usable_in(*c, search->environment) || c->verdict != Verdict::accepted) continue;
    *end = c;
    end = &c->next_by_rank;
  }
  *end = nullptr;
  return sorted(accepted, &Candidate::next_by_rank,
                [&](Candidate& a, Candidate& b) { return better(search, &a, &b); });
}

Preference preference_of(const Report& report, const Candidate& a, const Candidate& b) {
  return preference(rank_in(report, a), rank_in(report, b));
}

}  // namespace anycuda
