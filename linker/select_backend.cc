// SPDX-License-Identifier: Apache-2.0
#include "linker/select_backend.h"

#include "anycuda/linker/errors.h"
#include "anycuda/linker/probe.h"
#include "linker/base/message_text.h"
#include "linker/probe_library.h"

namespace anycuda::linker {
namespace {

Selection forced(Backend backend) {
  if (backend == Backend::driver)
    return {backend, "the driver's linker is used: Options::backend forces it", {}, {}, {}};
  const NvJitLinkProbe probe = probe_nvjitlink();
  if (probe.presence != Presence::usable) {
    throw BackendError("Options::backend forces nvJitLink, but " + probe.reason);
  }
  return {backend,
          "nvJitLink " + describe(probe.version) + " is used: Options::backend forces it",
          {},
          probe.version,
          {}};
}

// Absent and too old are the same for the table.
Version version_for_table(const NvJitLinkProbe& probe) {
  const bool counts = probe.presence == Presence::usable || probe.presence == Presence::refused;
  return counts ? probe.version : Version{};
}

Version driver_for_table() { return driver_rules_hold() ? probe_driver().version : Version{}; }

}  // namespace

Selection select_backend(const Options& options, bool lto_ir_input) {
  if (options.backend) return forced(*options.backend);
  const NvJitLinkProbe probe = probe_nvjitlink();
  Facts facts;
  facts.nvjitlink = version_for_table(probe);
  facts.lto_ir_input = lto_ir_input;
  facts.lto_or_ptx_asked = options.lto || options.output != Output::cubin;
  facts.rule = options.rule;
  if (needs_driver(facts)) facts.driver = driver_for_table();
  const Choice choice = choose(facts);
  std::string reason = explain(facts, choice);
  if (!choice.backend) {
    throw BackendError(reason + (probe.reason.empty() ? "" : "\n" + probe.reason));
  }
  if (*choice.backend == Backend::nvjitlink && probe.presence != Presence::usable) {
    // A setting changed between the two probes.
    throw BackendError(reason + "; but " + probe.reason);
  }
  if (probe.presence == Presence::too_old) reason += "; " + probe.reason;
  return {*choice.backend, reason, facts.driver, facts.nvjitlink,
          probe.reason.empty() ? "" : "; " + probe.reason};
}

}  // namespace anycuda::linker
