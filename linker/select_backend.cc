// SPDX-License-Identifier: Apache-2.0
#include "linker/select_backend.h"

#include "anycuda/linker/errors.h"
#include "anycuda/linker/probe.h"
#include "linker/base/message_text.h"
#include "linker/probe_library.h"

namespace anycuda::linker {
namespace {

void force(Backend backend, BackendReport* report) {
  if (backend == Backend::driver) {
    report->backend = backend;
    report->reason = "the driver's linker is used: Options::backend forces it";
    return;
  }
  const NvJitLinkProbe probe = probe_nvjitlink();
  if (probe.presence != Presence::usable) {
    report->refusal = Refusal::needs_nvjitlink;
    report->reason = "Options::backend forces nvJitLink, but " + probe.reason;
    return;
  }
  report->backend = backend;
  report->facts.nvjitlink = probe.version;
  report->reason = "nvJitLink " + describe(probe.version) + " is used: Options::backend forces it";
}

// Absent and too old are the same for the table.
Version version_for_table(const NvJitLinkProbe& probe) {
  const bool counts = probe.presence == Presence::usable || probe.presence == Presence::refused;
  return counts ? probe.version : Version{};
}

Version driver_for_table() { return driver_rules_hold() ? probe_driver().version : Version{}; }

std::string reason_of(const BackendReport& report, const Choice& choice,
                      const NvJitLinkProbe& probe) {
  std::string reason = explain(report.facts, choice);
  if (!choice.backend) return reason + (probe.reason.empty() ? "" : "\n" + probe.reason);
  return probe.presence == Presence::too_old ? reason + "; " + probe.reason : reason;
}

}  // namespace

Selection select_backend(const Options& options, bool lto_ir_input) {
  Selection selection;
  BackendReport& report = selection.report;
  report.facts.lto_ir_input = lto_ir_input;
  report.facts.lto_or_ptx_asked = options.lto || options.output != Output::cubin;
  report.facts.rule = options.rule;
  if (options.backend) {
    force(*options.backend, &report);
    return selection;
  }
  const NvJitLinkProbe probe = probe_nvjitlink();
  report.facts.nvjitlink = version_for_table(probe);
  if (needs_driver(report.facts)) report.facts.driver = driver_for_table();
  const Choice choice = choose(report.facts);
  report.backend = choice.backend;
  report.refusal = choice.refusal;
  report.reason = reason_of(report, choice, probe);
  if (choice.backend == Backend::nvjitlink && probe.presence != Presence::usable) {
    // A setting changed between the two probes.
    throw BackendError(report.reason + "; but " + probe.reason);
  }
  if (!probe.reason.empty()) selection.no_nvjitlink = "; " + probe.reason;
  return selection;
}

}  // namespace anycuda::linker
