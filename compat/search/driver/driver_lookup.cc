// SPDX-License-Identifier: Apache-2.0
#include "compat/search/driver/driver_lookup.h"

#include <dlfcn.h>

#include <atomic>

#include "compat/base/environment.h"
#include "compat/base/intern.h"
#include "compat/base/log.h"
#include "compat/base/shortage.h"
#include "compat/search/driver/oldest_gpu.h"
#include "compat/search/reason.h"
#include "compat/search/search.h"

namespace anycuda {
namespace {

const Driver kNoDriver{};
std::atomic<const Driver*> known_driver{nullptr};

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

Machine this_machine() {
  Machine machine;
  machine.driver = driver_of_process;
  machine.oldest_gpu = [] { return oldest_gpu_below(system_root()); };
  return machine;
}

}  // namespace anycuda
