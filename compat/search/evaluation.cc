// SPDX-License-Identifier: Apache-2.0
#include "compat/search/evaluation.h"

#include "compat/rules/gpu_rule.h"

namespace anycuda {
namespace {

CandidateQuery query_about(const Report& report, const Candidate& candidate) {
  const LibraryDescriptor& library = report.library();
  const Request& request = report.request;
  CandidateQuery query;
  query.library = library.rules;
  CandidateFacts& facts = query.candidate;
  facts.version = known_version(candidate);
  facts.exact = candidate.toolkit.version.known();
  facts.newest_major = facts.exact ? facts.version.major : candidate.image.newest_major;
  facts.is_later = library.earlier_soname != nullptr && !candidate.image.is_earlier;
  facts.needs_runtime = candidate.image.needs_runtime;
  facts.loaded = candidate.was_loaded;
  query.driver = report.driver;
  query.caller_major = request.caller_major;
  query.caller_newest_major = library.newest_like(query.caller_major);
  query.loaded_major = report.loaded_major;
  query.group_major = report.major_of(Bond::group);
  query.runtime_major = report.major_of(Bond::runtime);
  query.mode = request.policy.mode;
  query.forward_compatibility = request.policy.forward_compatibility;
  query.cross_major = request.policy.cross_major;
  return query;
}

PreferenceContext context_of(const Report& report) {
  PreferenceContext context;
  context.driver = report.driver;
  context.peers = report.peers;
  context.peer_count = report.peer_count;
  context.caller_major = report.request.caller_major;
  context.oldest_gpu = report.oldest_gpu;
  context.process_major = report.process.major;
  context.mode = report.request.policy.mode;
  return context;
}

Rank rank_in(const Report& report, const Candidate& candidate) {
  const PreferenceContext context = context_of(report);
  Rank rank = rank_of(report.library().rules, known_version(candidate), context);
  rank.complete = candidate.lacking == nullptr;
  // One of the majors that its SONAME allows; a loaded file, or one that the user names, keeps its
  // place.
  const bool is_found =
      candidate.tier != SearchTier::loaded && candidate.tier != SearchTier::variable;
  rank.known_major = candidate.image.major_is_known() || !is_found;
  if (!rank.known_major && candidate.image.version.major <= context.process_major &&
      context.process_major <= candidate.image.newest_major) {
    rank.process_major = true;
  }
  return rank;
}

// Driver libraries are not ordered by version: the first one found, which the dynamic linker would
// take too, is the one that fits the kernel's module.
bool better(const Report& report, Candidate* a, Candidate* b, Arena* arena) {
  if (report.library().is_driver) return false;
  const Rank rank_a = rank_in(report, *a);
  const Rank rank_b = rank_in(report, *b);
  if (preference(rank_a, rank_b) != Preference::none) return true;
  if (preference(rank_b, rank_a) != Preference::none) return false;
  // Of the same CUDA: the library that the callers were built for needs no adapters, and is
  // complete.
  if (a->image.is_earlier != b->image.is_earlier) return a->image.is_earlier;
  return is_newer_file(a, b, arena);
}

}  // namespace

Verdict evaluate(const Report& report, const Candidate& candidate) {
  return evaluate(query_about(report, candidate));
}

bool needs_driver_version(const Report& report, const Candidate& candidate) {
  return needs_driver_version(query_about(report, candidate));
}

bool needs_exact_version(const Report& report, const Candidate& candidate) {
  return !candidate.image.major_is_known() || needs_exact_version(query_about(report, candidate)) ||
         needs_minor(report.library().rules, candidate.image.version, context_of(report));
}

bool needs_gpus(const Report& report, Candidate* environment) {
  if (!report.library().rules.driver_bound || report.request.policy.mode == Mode::off) return false;
  const Candidate* first = nullptr;
  bool decide = false;
  each_usable(environment, [&](Candidate* c) {
    if (c->verdict != Verdict::accepted || c->tier == SearchTier::loaded) return;
    if (first == nullptr) first = c;
    decide =
        decide || gpus_decide(report.driver, known_version(*first).major, known_version(*c).major);
  });
  return decide;
}

Candidate* best_accepted(const Report& report, Candidate* environment, Arena* arena) {
  Candidate* best = nullptr;
  each_usable(environment, [&](Candidate* c) {
    const bool is_accepted = c->verdict == Verdict::accepted;
    if (is_accepted && (best == nullptr || better(report, c, best, arena))) best = c;
  });
  return best;
}

bool is_of_process(const Report& report, const Candidate& candidate) {
  return rank_in(report, candidate).process_major;
}

Preference preference_of(const Report& report, const Candidate& a, const Candidate& b) {
  return preference(rank_in(report, a), rank_in(report, b));
}

}  // namespace anycuda
