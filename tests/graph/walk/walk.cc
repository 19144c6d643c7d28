// SPDX-License-Identifier: Apache-2.0

// The threads of a walk, its options and its report.
#include "tests/graph/walk/walk.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "tests/graph/walk/failures.h"
#include "tests/graph/walk/walker.h"

namespace walk {
namespace {

using Clock = std::chrono::steady_clock;
// From here on each operation must have succeeded at least once: else nothing was shown of it.
constexpr std::size_t kEnough = 2000;

bool number(const char* text, double most, double* out) {
  char* end = nullptr;
  *out = std::strtod(text, &end);
  return end != text && *end == '\0' && *out >= 0 && *out <= most;
}

struct Shared {
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
};

void walk_of(const Machine& machine, const Options& options, unsigned thread,
             std::unique_ptr<Walker>* walker, Shared* shared) {
  const ReportedThread reported(options, thread);
  try {
    *walker = std::make_unique<Walker>(machine, options, thread);
    reported.walks(walker->get());
    const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
    const auto goes_on = [&] {
      return options.seconds > 0 ? Clock::now() < end : (*walker)->steps() < options.steps;
    };
    while (!shared->stop && goes_on()) (*walker)->step();
    if (!shared->stop) (*walker)->finish();
  } catch (const std::exception& error) {
    // Only the first: the others may be its consequences.
    if (!shared->failed.exchange(true)) {
      report_failure(error.what());
    }
    shared->stop = true;
  }
}

// False where an operation has never succeeded.
bool report(const Options& options, const std::vector<std::unique_ptr<Walker>>& walkers) {
  std::size_t steps = 0;
  for (const auto& walker : walkers) steps += walker->steps();
  std::printf("walk: seed %lu, %u threads, %zu steps\n", options.seed, options.threads, steps);
  bool all = true;
  for (std::size_t at = 0; at < Operations::count(); ++at) {
    Walker::Count sum;
    for (const auto& walker : walkers) {
      sum.done += walker->counts()[at].done;
      sum.refused += walker->counts()[at].refused;
    }
    const bool never = sum.done == 0 && steps >= kEnough * options.threads;
    std::printf("  %-20s %8zu done %8zu not possible\n", Operations::name(at), sum.done,
                sum.refused);
    if (never) std::printf("FAILED: walk: %s was never done\n", Operations::name(at));
    all = all && !never;
  }
  return all;
}

}  // namespace

bool parse(int argc, char** argv, Options* options) {
  for (int at = 1; at < argc; ++at) {
    const std::string name = argv[at];
    const char* const value = at + 1 < argc ? argv[++at] : "";
    double given = 0;
    if (name == "--steps" && number(value, 1e15, &given)) {
      options->steps = static_cast<std::size_t>(given);
    } else if (name == "--seconds" && number(value, 1e6, &given)) {
      options->seconds = given;
    } else if (name == "--seed" && number(value, 1e15, &given)) {
      options->seed = static_cast<unsigned long>(given);
    } else if (name == "--threads" && number(value, kMostThreads, &given) && given >= 1) {
      options->threads = static_cast<unsigned>(given);
    } else {
      std::fprintf(stderr, "%s %s: expected [--steps N] [--seconds N] [--seed S] [--threads T]\n",
                   name.c_str(), value);
      return false;
    }
  }
  return true;
}

bool run(const Machine& machine, const Options& options) {
  watch_for_crashes();
  std::fflush(stdout);
  Shared shared;
  std::vector<std::unique_ptr<Walker>> walkers(options.threads);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < options.threads; ++thread) {
    threads.emplace_back(walk_of, std::cref(machine), std::cref(options), thread, &walkers[thread],
                         &shared);
  }
  {
    const Watchdog watchdog(options);
    for (std::thread& thread : threads) thread.join();
  }
  if (shared.failed) {
    // What a fault has left behind must not be destroyed: that may end the process.
    for (auto& walker : walkers) walker.release();
    return false;
  }
  const bool all = report(options, walkers);
  walkers.clear();
  const auto end = Clock::now() + std::chrono::seconds(10);
  std::string left = machine.left_over();
  while ((pending() != 0 || !left.empty()) && Clock::now() < end) {
    drain();
    left = machine.left_over();
  }
  if (pending() != 0) left += " owners that wait for drain()";
  if (!left.empty()) std::printf("FAILED: walk: at the end there are%s\n", left.c_str());
  return all && left.empty();
}

}  // namespace walk
