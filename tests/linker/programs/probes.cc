// SPDX-License-Identifier: Apache-2.0

// The installed linkers, queried without a Linker, from the memo, and again.
#include <cstdlib>
#include <thread>

#include "child.h"

namespace child {
namespace {

void tell(const char* when) {
  NvJitLinkProbe probe;
  std::string what;
  const std::string error = error_of([&] { probe = probe_nvjitlink(); }, &what);
  if (!error.empty()) return say("%s: %s: %s", when, error.c_str(), what.c_str());
  constexpr const char* kNames[] = {"usable", "absent", "too old", "refused"};
  say("%s: nvJitLink %s %d.%d", when, kNames[static_cast<int>(probe.presence)], probe.version.major,
      probe.version.minor);
  if (!probe.reason.empty()) say("  %s", probe.reason.c_str());
}

}  // namespace

// Then the path of an nvJitLink that is named later.
int probes(const Arguments& arguments) {
  std::thread threads[4];
  for (std::thread& thread : threads) thread = std::thread([] { probe_nvjitlink(); });
  for (std::thread& thread : threads) thread.join();
  tell("first");
  const DriverProbe driver = probe_driver();
  say("driver %d.%d, %s", driver.version.major, driver.version.minor, driver.problem.c_str());
  if (arguments.empty()) return 0;
  setenv("ANYCUDA_COMPAT", "lenient", 1);
  reset_probes();
  tell("wrong setting");
  say("of the driver: %s", error_of([] { probe_driver(); }).c_str());
  unsetenv("ANYCUDA_COMPAT");
  tell("right again");
  setenv("ANYCUDA_NVJITLINK", arguments[0].c_str(), 1);
  tell("kept");
  reset_probes();
  tell("reset");
  // The stub has opened it, so it stays the one in use.
  setenv("ANYCUDA_NVJITLINK", "/nothing", 1);
  reset_probes();
  tell("in use");
  say("still the same: %d", probe_nvjitlink().path == arguments[0]);
  return 0;
}

}  // namespace child
