// SPDX-License-Identifier: Apache-2.0
#include "compat/search/driver/driver_lookup.h"

#include <dlfcn.h>

#include <atomic>

#include "compat/base/intern.h"
#include "compat/base/log.h"
#include "compat/base/shortage.h"
#include "compat/search/driver/driver_branch.h"
#include "compat/search/reason.h"
#include "compat/search/search.h"

namespace anycuda {
namespace {

const Driver kNoDriver{};
std::atomic<const Driver*> known_driver{nullptr};

constexpr int kNotAsked = -1;
std::atomic<int> known_oldest_gpu{kNotAsked};

const Branch kNoBranch{0, "out of memory or file descriptors"};
std::atomic<const Branch*> known_branch{nullptr};

// The first stored record is kept; `mine` may be discarded.
template <typename Record>
const Record& publish(std::atomic<const Record*>* known, const Record* mine) {
  const Record* other = nullptr;
  return known->compare_exchange_strong(other, mine, std::memory_order_acq_rel) ? *mine : *other;
}

// Reports a file that the user names and that is not a driver: without a driver no driver rule
// applies, and the program would run with another driver than the user wants.
void report_refused_file(const Report& report, Arena* arena) {
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (c->tier != SearchTier::variable) continue;
    log_line(LogLevel::error, "%s=%s: %s; the driver is treated as absent",
             report.library().variable, c->path, reason_of(*c, report, arena));
  }
}

const Driver* ask_driver_library() {
  Arena arena;
  const DriverLookup lookup = look_up_driver(&arena);
  if (lookup.report == nullptr) return nullptr;
  const Driver& driver = lookup.driver;
  if (driver.status == Driver::kNoFile) report_refused_file(*lookup.report, &arena);
  if (driver.status == Driver::kNoFile) return nullptr;
  if (!driver.facts.present) {
    const char* failure = describe_failed_driver(driver.path, driver.status, &arena);
    log_line(LogLevel::warn, "driver: %s; it is treated as absent, except with %s=strict",
             failure != nullptr ? failure : driver.path, kStubModeVariable);
    return intern(driver, &Driver::path, driver.path);
  }
  log_step("driver: %s supports CUDA %d.%d", driver.path, driver.facts.cuda.major,
           driver.facts.cuda.minor);
  return intern(driver, &Driver::path, driver.path);
}

// nullptr: a shortage since shortages() returned `before`, or no memory.
const Branch* ask_nvml(const Driver& driver, std::uint64_t before) {
  Arena arena;
  if (!arena.usable()) return nullptr;
  const BranchFound found = find_branch(driver.path, &arena);
  if (found.number == 0 && shortage_since(before) != 0) return nullptr;
  if (found.number != 0) {
    log_step("driver: %s is of branch %d", driver.path, found.number);
  } else {
    log_step("driver: the branch of %s is unknown (%s)", driver.path, found.cause);
  }
  return intern(Branch{found.number, ""}, &Branch::cause, found.cause);
}

}  // namespace

DriverLookup look_up_driver(Arena* arena, bool keeps) {
  DriverLookup lookup;
  Driver& driver = lookup.driver;
  Request request{&kDriver};
  request.only_asks = !keeps;
  lookup.report = search(request, Machine{}, arena);
  if (lookup.report == nullptr || lookup.report->handle == nullptr) {
    driver.status = Driver::kNoFile;
    return lookup;
  }
  driver.path = lookup.report->chosen->path;
  driver.handle = lookup.report->handle;
  const Reported& reported = lookup.report->chosen->reported;
  driver.status = reported.status;
  // No error has a negative number (CUDA Driver API, CUresult).
  if (driver.status <= 0 && !reported.version.known()) {
    driver.status = reported.asked ? Driver::kNoVersion : Driver::kNoFunction;
  }
  driver.facts.present = driver.status == 0;
  driver.facts.cuda = reported.version;
  driver.facts.error = driver.status;
  if (lookup.report->is_others) {
    dlclose(driver.handle);
    driver.handle = nullptr;
  }
  return lookup;
}

const Driver& driver_of_process() {
  if (const Driver* driver = known_driver.load(std::memory_order_acquire)) return *driver;
  const std::uint64_t before = shortages();
  const Driver* mine = ask_driver_library();
  if (mine == nullptr && shortage_since(before) != 0)
    return kNoDriver;  // the next call looks again
  return publish(&known_driver, mine != nullptr ? mine : &kNoDriver);
}

const Branch& branch_of_process(const Driver& driver) {
  if (const Branch* branch = known_branch.load(std::memory_order_acquire)) return *branch;
  const std::uint64_t before = shortages();
  const Branch* mine = ask_nvml(driver, before);
  if (mine == nullptr && shortage_since(before) != 0) return kNoBranch;
  return publish(&known_branch, mine != nullptr ? mine : &kNoBranch);
}

int oldest_gpu_of_process(const Driver& driver) {
  int known = known_oldest_gpu.load(std::memory_order_relaxed);
  if (known != kNotAsked) return known;
  const std::uint64_t before = shortages();
  known = find_oldest_gpu(driver.path);
  if (known == 0 && shortage_since(before) != 0) return 0;  // the next search asks again
  known_oldest_gpu.store(known, std::memory_order_relaxed);
  if (known == 0) {
    log_step("driver: the oldest GPU of %s is unknown: NVML reports no compute capability",
             driver.path);
  } else {
    log_step("driver: the oldest GPU of %s is of compute capability %d.%d", driver.path, known / 10,
             known % 10);
  }
  return known;
}

Machine this_machine() {
  Machine machine;
  machine.driver = driver_of_process;
  machine.branch = []() -> const Branch& { return branch_of_process(driver_of_process()); };
  machine.oldest_gpu = []() { return oldest_gpu_of_process(driver_of_process()); };
  return machine;
}

}  // namespace anycuda
