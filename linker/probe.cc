// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/probe.h"

#include <new>

#include "anycuda/linker/errors.h"
#include "api/nvjitlink_api.h"
#include "compat/metadata/driver/driver_problem.h"
#include "compat/search/driver/driver_lookup.h"
#include "linker/base/message_text.h"
#include "linker/base/results.h"
#include "linker/memo.h"
#include "linker/nvrtc_probe.h"
#include "linker/probe_library.h"

namespace anycuda::linker {
namespace {

// Never destroyed: a Linker may be used by the last destructor of the process.
template <typename Answer>
Memo<Answer>& memo() {
  static auto* const answer = new Memo<Answer>;
  return *answer;
}

Version ask_nvjitlink_version(const std::string& path) {
  unsigned major = 0;
  unsigned minor = 0;
  const unsigned result = api::nvJitLinkVersion(&major, &minor);
  if (result == api::NVJITLINK_SUCCESS) return {static_cast<int>(major), static_cast<int>(minor)};
  throw BackendError("nvJitLinkVersion of " + in_one_line(path) +
                     " failed: " + nvjitlink_result(result));
}

NvJitLinkProbe look_for_nvjitlink() {
  const LibraryProbe found = probe_library("nvjitlink");
  NvJitLinkProbe probe;
  probe.path = found.path;
  if (found.handle == nullptr) {
    probe.presence = found.refused.known() ? Presence::refused : Presence::absent;
    probe.version = found.refused;
    probe.path = found.refused_path;
    probe.reason = found.report;
    return probe;
  }
  if (!has_symbol(found.handle, "nvJitLinkVersion")) {
    probe.presence = Presence::too_old;
    probe.reason = "nvJitLink " + in_one_line(found.path) + " (" + describe(found.version) +
                   ") is too old: it lacks nvJitLinkVersion, which came with 12.3; install a newer "
                   "one in its place, or name one in ANYCUDA_NVJITLINK";
    return probe;
  }
  probe.presence = Presence::usable;
  probe.version = ask_nvjitlink_version(found.path);
  return probe;
}

DriverProbe look_for_driver() {
  check_settings(kDriver, read_policy());
  Arena arena;
  const DriverLookup lookup = look_up_driver(&arena, false);
  if (lookup.report == nullptr) throw std::bad_alloc();
  const Driver& driver = lookup.driver;
  DriverProbe probe;
  probe.path = driver.path;
  probe.problem = in_one_line(driver_problem(lookup, &arena));
  if (probe.problem.empty()) probe.version = driver.facts.cuda;
  return probe;
}

NvrtcProbe look_for_nvrtc() {
  const LibraryProbe found = probe_library("nvrtc");
  return {found.handle, found.path, found.report};
}

}  // namespace

NvJitLinkProbe probe_nvjitlink() { return memo<NvJitLinkProbe>().get(look_for_nvjitlink); }

DriverProbe probe_driver() { return memo<DriverProbe>().get(look_for_driver); }

NvrtcProbe probe_nvrtc() { return memo<NvrtcProbe>().get(look_for_nvrtc); }

// A stub uses the library that it has opened until the process ends, even if a search would find
// another one now.
void reset_probes() {
  memo<NvJitLinkProbe>().reset(
      [](const auto& probe) { return probe.presence == Presence::usable; });
  memo<DriverProbe>().reset([](const auto&) { return false; });
  memo<NvrtcProbe>().reset([](const auto& probe) { return probe.handle != nullptr; });
}

}  // namespace anycuda::linker
