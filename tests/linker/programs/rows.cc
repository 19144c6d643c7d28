// SPDX-License-Identifier: Apache-2.0

// Every row of the table that this machine can show, each with a real link.
#include <optional>

#include "child.h"

namespace child {
namespace {

struct Kind {
  const char* name;
  InputType input;
  bool lto;
  Output output;
};

constexpr Kind kKinds[] = {
    {"PTX", InputType::ptx, false, Output::cubin},
    {"PTX, lto asked", InputType::ptx, true, Output::cubin},
    {"LTO-IR", InputType::lto_ir, true, Output::cubin},
    {"LTO-IR, PTX asked", InputType::lto_ir, true, Output::ptx},
};

std::string text(Version version) {
  return version.known() ? std::to_string(version.major) + "." + std::to_string(version.minor)
                         : "unknown";
}

std::string asked(const std::vector<Input>& inputs, const Options& options) {
  BackendReport report;
  const std::string error = error_of([&] { report = which_backend(inputs, options); });
  if (!error.empty()) return error;
  if (!report.backend) return "none: " + report.reason.substr(0, report.reason.find('\n'));
  if (!options.backend && choose(report.facts).backend != report.backend) return "another choice";
  return name_of(*report.backend);
}

void forced(const std::string& folder) {
  Options options = options_for(InputType::ptx);
  options.backend = Backend::nvjitlink;
  say("which_backend of forced nvJitLink | %s",
      asked(modules(folder, InputType::ptx), options).c_str());
}

void row(const std::string& folder, Rule rule, const Kind& kind) {
  Options options = options_for(kind.input);
  options.lto = kind.lto;
  options.output = kind.output;
  options.rule = rule;
  const char* rule_name = rule == Rule::same_major ? "same_major" : "newer_driver";
  say("which_backend of %s | %s | %s", rule_name, kind.name,
      asked(modules(folder, kind.input), options).c_str());
  std::optional<Linker> linker;
  std::string what;
  std::string answer =
      error_of([&] { linker.emplace(modules(folder, kind.input), options); }, &what);
  if (linker) {
    answer = linker->backend() == Backend::driver ? "driver" : "nvJitLink";
    std::string bytes;
    const std::string error = error_of([&] { bytes = linker->link(); }, &what);
    answer += error.empty() ? std::string(" gives ") + name_of(kind.output) : ", " + error;
  }
  say("%s | %s | %s", rule_name, kind.name, answer.c_str());
  if (linker) {
    say("  driver %s, nvJitLink %s: %s", text(linker->driver_version()).c_str(),
        text(linker->nvjitlink_version()).c_str(), linker->selection_reason().c_str());
  }
  if (!what.empty()) say("  %s", what.c_str());
}

}  // namespace

int rows(const Arguments& arguments) {
  for (const Rule rule : {Rule::same_major, Rule::newer_driver}) {
    for (const Kind& kind : kKinds) row(arguments.at(0), rule, kind);
  }
  forced(arguments.at(0));
  return 0;
}

}  // namespace child
