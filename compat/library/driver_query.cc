// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/driver_query.h"

#include <utility>

#include "compat/metadata/driver/driver_branch.h"
#include "compat/metadata/driver/driver_problem.h"
#include "compat/search/driver/driver_lookup.h"

namespace anycuda::compat {
namespace {

Version ask_machine_for_cuda() {
  Arena arena;
  const DriverLookup lookup = look_up_driver(&arena, false);
  const std::string problem = driver_problem(lookup, &arena);
  if (!problem.empty()) throw DriverQueryError(problem);
  return lookup.driver.facts.cuda;
}

BranchAnswer ask_machine_for_branch() {
  Arena arena;
  const DriverLookup lookup = look_up_driver(&arena, false);
  if (lookup.report == nullptr) return {0, driver_problem(lookup, &arena)};
  const BranchFound found = find_branch(lookup.driver.path, &arena);
  return {found.number, found.cause, found.version};
}

std::function<Version()> always(const DriverFacts& given) {
  return [given]() -> Version {
    if (!given.present)
      throw DriverQueryError(
          "DriverFacts::present is false: without a driver its CUDA version is unknown");
    if (!given.cuda.known())
      throw DriverQueryError("DriverFacts::cuda is not set: the driver's CUDA version is unknown");
    return given.cuda;
  };
}

std::function<BranchAnswer()> always_or_machine(const DriverFacts& given) {
  if (given.branch == 0) return ask_machine_for_branch;
  return [given] { return BranchAnswer{given.branch, ""}; };
}

}  // namespace

DriverQuery::DriverQuery() : DriverQuery(ask_machine_for_cuda, ask_machine_for_branch) {}

DriverQuery::DriverQuery(const DriverFacts& given)
    : DriverQuery(always(given), always_or_machine(given)) {}

DriverQuery::DriverQuery(std::function<Version()> cuda, std::function<BranchAnswer()> branch)
    : ask_cuda_(std::move(cuda)), ask_branch_(std::move(branch)) {}

// While this thread opens a library, its constructor may wait for another thread that calls this
// function: a lock held during that would deadlock.
template <typename Answer>
Answer DriverQuery::answer(const std::function<Answer()>& ask, std::optional<Answer>* kept) {
  unsigned before = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept->has_value()) return **kept;
    before = clears_;
  }
  Answer mine = ask();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (clears_ != before) return mine;
  if (!kept->has_value()) *kept = mine;
  return **kept;
}

Version DriverQuery::cuda() { return answer(ask_cuda_, &cuda_); }

BranchAnswer DriverQuery::branch() { return answer(ask_branch_, &branch_); }

// What was given is asked for again, and is the same.
void DriverQuery::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++clears_;
  cuda_.reset();
  branch_.reset();
}

}  // namespace anycuda::compat
