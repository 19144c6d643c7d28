// SPDX-License-Identifier: Apache-2.0
#include "compat/search/driver/driver_lookup.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "compat/base/environment.h"
#include "compat/base/log.h"
#include "compat/base/shortage.h"
#include "compat/search/driver/oldest_gpu.h"
#include "compat/search/machine/absent_names.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/reason.h"
#include "compat/search/search.h"

namespace anycuda {
namespace {

const Driver kNoDriver{};
std::atomic<const Driver*> known_driver{nullptr};

// A copy that lives until the process ends: other threads may hold it. nullptr without memory.
const Driver* keep(const Driver& driver) {
  const std::size_t length = std::strlen(driver.path) + 1;
  void* const pages = mmap(nullptr, sizeof(Driver) + length, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    note_shortage(ENOMEM);
    return nullptr;
  }
  auto* const copy = new (pages) Driver(driver);
  copy->path = static_cast<char*>(std::memcpy(copy + 1, driver.path, length));
  return copy;
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

// Stands for "no driver" (docs/copies.md): the search depends on these two.
std::uint64_t name_of_absence() {
  const char* const path = environment_variable("LD_LIBRARY_PATH");
  return 3 * AbsentNames::hash(system_root()) * AbsentNames::hash(path != nullptr ? path : "");
}

// nullptr without a driver or without memory.
const Driver* ask_driver_library() {
  const std::uint64_t before = shortages();
  const std::uint64_t absence = name_of_absence();
  // Another stub has found none, and nobody has loaded one since.
  if (shared_absent_names().has(absence) && environment_variable(kDriver.variable) == nullptr &&
      !is_defined(kDriver.version_function.name)) {
    return nullptr;
  }
  Arena arena;
  const DriverLookup lookup = look_up_driver(&arena);
  const Driver& driver = lookup.driver;
  if (driver.status == Driver::kNoFile) {
    if (lookup.report == nullptr) return nullptr;
    report_refused_file(*lookup.report, &arena);
    const bool is_absent = lookup.report->candidates() == nullptr && shortage_since(before) == 0;
    if (is_absent) shared_absent_names().add(absence);
    return nullptr;
  }
  if (driver.facts.present) {
    log_step("driver: %s supports CUDA %d.%d", driver.path, driver.facts.cuda.major,
             driver.facts.cuda.minor);
  } else {
    const char* failure = describe_failed_driver(driver.path, driver.status, &arena);
    log_line(LogLevel::warn, "driver: %s; it is treated as absent, except with %s=strict",
             failure != nullptr ? failure : driver.path, kStubModeVariable);
  }
  return keep(driver);
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
  const Driver* driver = known_driver.load(std::memory_order_acquire);
  if (driver != nullptr) return *driver;
  const std::uint64_t before = shortages();
  const Driver* mine = ask_driver_library();
  if (mine == nullptr && shortage_since(before) != 0) return kNoDriver;  // the next call asks again
  if (mine == nullptr) mine = &kNoDriver;
  // The first one that is stored stays.
  const bool is_first =
      known_driver.compare_exchange_strong(driver, mine, std::memory_order_acq_rel);
  return is_first ? *mine : *driver;
}

Machine this_machine() {
  Machine machine;
  machine.driver = driver_of_process;
  machine.oldest_gpu = [] { return oldest_gpu_below(system_root()); };
  return machine;
}

}  // namespace anycuda
