// SPDX-License-Identifier: Apache-2.0
#include "compat/library/guard_rails_log.h"

#include "compat/base/log.h"
#include "compat/library/errors/one_line.h"

namespace anycuda::compat {
namespace {

std::string name_of(const Component& component) {
  return std::string(component.name) + " (" + std::string(compat::name_of(component.kind)) + ")";
}

void write(LogLevel level, const Component& component, const std::string& text) {
  log_line(level, "%s: %s", name_of(component).c_str(), one_line(text).c_str());
}

std::string toolkit_of(const ComponentInstance& instance) {
  const Version version = instance.version;
  if (!version.known()) return instance.problem.empty() ? "" : ", of an unknown CUDA Toolkit";
  std::string text = ", CUDA " + std::to_string(version.major);
  if (version.minor >= 0) text += "." + std::to_string(version.minor);
  return instance.source.empty() ? text : text + " by " + instance.source;
}

std::string place_of(const ComponentInstance& instance) {
  return instance.path + " (" + compat::name_of(instance.where) + toolkit_of(instance) + ")";
}

}  // namespace

void log_candidate(const ComponentInstance& candidate) {
  if (!log_enabled(LogLevel::debug)) return;
  write(LogLevel::debug, *candidate.component, "candidate " + place_of(candidate));
}

void log_refused(const Component& component, const Refusal& refusal) {
  if (!log_enabled(LogLevel::info)) return;
  write(LogLevel::info, component, "refused " + refusal.candidate + ": " + refusal.headline);
}

void log_used(const ComponentInstance& instance) {
  if (!log_enabled(LogLevel::info)) return;
  write(LogLevel::info, *instance.component, "using " + place_of(instance));
}

void log_no_driver(const Component& component, const std::string& cause) {
  if (!log_enabled(LogLevel::info)) return;
  write(LogLevel::info, component, "the driver does not answer: " + cause);
}

void log_not_found(const Component& component, const std::string& what) {
  if (!log_enabled(LogLevel::info)) return;
  write(LogLevel::info, component, what.substr(0, what.find_first_of(":\n")));  // the places follow
}

void log_opening(const Component& component, const std::string& name) {
  if (!log_enabled(LogLevel::debug)) return;
  write(LogLevel::debug, component, "opening " + name);
}

void log_not_opened(const Component& component, const std::string& name, const std::string& cause) {
  if (!log_enabled(LogLevel::info)) return;
  write(LogLevel::info, component, "not opened " + name + ": " + cause);
}

void log_pipeline(const Pipeline& pipeline, bool declared) {
  if (!log_enabled(LogLevel::debug)) return;
  std::string text = "pipeline " + pipeline.producer + " -> " + pipeline.consumer + ":";
  for (const Format format : pipeline.formats) text += std::string(" ") + compat::name_of(format);
  log_step("%s %s", text.c_str(), declared ? "declared" : "refused");
}

}  // namespace anycuda::compat
