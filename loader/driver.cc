#include "loader/driver.h"

#include <dlfcn.h>

#include <atomic>

#include "loader/kept.h"
#include "loader/log.h"
#include "loader/reason.h"
#include "loader/search.h"

namespace anycuda {
namespace {

const Driver kNoDriver{};
std::atomic<const Driver*> known{nullptr};

// A driver that the user names and that is none is said so: without a driver no rule holds, and the
// program would go on with another than was meant.
void report_refused_file(Search* search) {
  for (const Candidate* c = search->first; c != nullptr; c = c->next) {
    if (c->place != Place::variable) continue;
    log_line(LogLevel::error, "%s=%s: %s; going on as without a driver", search->library.variable,
             c->path, reason_of(*c, search));
  }
}

const Driver* look_up() {
  Search search(kDriver);
  if (!search.arena.usable()) return nullptr;
  const Found found = run_search(&search, nullptr, Place::variable, Place::system);
  if (found.handle == nullptr) {
    report_refused_file(&search);
    return nullptr;
  }
  const auto get_version =
      reinterpret_cast<int (*)(int*)>(dlsym(found.handle, "cuDriverGetVersion"));
  if (get_version == nullptr) dlerror();  // ours to clear
  int number = 0;
  if (get_version == nullptr || get_version(&number) != 0) return nullptr;
  Driver driver{};
  driver.facts.present = true;
  driver.facts.cuda = version_from_cuda_number(number);
  driver.handle = found.handle;
  log_step("driver: %s supports CUDA %d.%d", found.path, driver.facts.cuda.major,
           driver.facts.cuda.minor);
  return keep(driver, found.path);
}

}  // namespace

const Driver& driver_of_process() {
  const Driver* driver = known.load(std::memory_order_acquire);
  if (driver != nullptr) return *driver;
  const Driver* mine = look_up();
  if (mine == nullptr) mine = &kNoDriver;
  if (known.compare_exchange_strong(driver, mine, std::memory_order_acq_rel)) return *mine;
  return *driver;
}

}  // namespace anycuda
