// SPDX-License-Identifier: Apache-2.0
#include "compat/search/verdicts.h"

#include "compat/search/counterparts.h"
#include "compat/search/evaluation.h"
#include "compat/search/load_probe.h"

namespace anycuda {
namespace {

// A file that the user names may be the one that the process has already.
bool is_loaded_already(const Gathered& gathered, const Candidate& candidate) {
  if (candidate.tier == SearchTier::loaded) return true;
  return gathered.report.loaded_major != 0 && is_loaded(gathered.machine, candidate.path);
}

void ask_driver(Gathered* gathered) {
  Report& report = gathered->report;
  if (gathered->machine.driver == nullptr || report.driver_path != nullptr) return;
  const Driver& driver = gathered->machine.driver();
  report.driver = driver.facts;
  report.driver_path = driver.path;
}

std::uint64_t bit_of_major(const Candidate& candidate) {
  return std::uint64_t{1} << (static_cast<unsigned>(candidate.image.version.major) % 64);
}

// The majors of which the environment has two usable candidates or more: names order those better
// than symbols do. (Two majors that share a bit only have versions read without need.)
std::uint64_t shared_majors(Candidate* environment) {
  std::uint64_t once = 0;
  std::uint64_t twice = 0;
  each_usable(environment, [&](const Candidate* c) {
    twice |= once & bit_of_major(*c);
    once |= bit_of_major(*c);
  });
  return twice;
}

void ask_facts(Gathered* gathered) {
  const Report& report = gathered->report;
  Candidate* const environment = gathered->first_here();
  const std::uint64_t shared = shared_majors(environment);
  each_usable(environment, [&](Candidate* c) {
    c->was_loaded = is_loaded_already(*gathered, *c);
    if (needs_driver_version(report, *c)) ask_driver(gathered);
    const bool version_matters = report.request.all_versions || (shared & bit_of_major(*c)) != 0 ||
                                 needs_exact_version(report, *c);
    if (version_matters && !report.library().is_driver) {
      read_toolkit_version(report.library(), c, &gathered->arena);
    }
  });
}

void ask_gpus(Gathered* gathered) {
  Report& report = gathered->report;
  if (report.oldest_gpu != 0 || gathered->machine.oldest_gpu == nullptr) return;
  if (needs_gpus(report, gathered->first_here())) {
    report.oldest_gpu = gathered->machine.oldest_gpu();
  }
}

// Two majors in one environment, and the process has none yet: the first choice decides for all.
void ask_counterparts(Gathered* gathered) {
  const ProcessCuda& process = gathered->report.process;
  if (process.major != 0 || process.stubs == 0 || gathered->library().is_driver) return;
  int first = 0;
  bool differ = false;
  const auto accepted = [](const Candidate& c) {
    return c.verdict == Verdict::accepted && c.tier != SearchTier::loaded;
  };
  each_usable(gathered->first_here(), [&](const Candidate* c) {
    if (!accepted(*c)) return;
    const int major = known_version(*c).major;
    differ = differ || (first != 0 && major != first);
    first = major;
  });
  if (!differ) return;
  each_usable(gathered->first_here(), [&](Candidate* c) {
    if (!accepted(*c)) return;
    c->lacking = missing_counterpart(gathered, c->path, known_version(*c).major);
  });
}

}  // namespace

void give_verdicts(Gathered* gathered) {
  ask_facts(gathered);
  each_usable(gathered->first_here(),
              [&](Candidate* c) { c->verdict = evaluate(gathered->report, *c); });
  ask_gpus(gathered);
  ask_counterparts(gathered);
}

}  // namespace anycuda
