// SPDX-License-Identifier: Apache-2.0

// The public class, the instance of the process, and the free functions on that.
#include "anycuda/compat/guard_rails.h"

#include <mutex>

#include "compat/base/environment.h"
#include "compat/base/log.h"
#include "compat/library/guard_rails_impl.h"

namespace anycuda::compat {
namespace {

#if defined(__linux__)
constexpr bool kLinux = true;
#else
constexpr bool kLinux = false;
#endif

// A privileged process reads no variable (compat/base/environment.h).
Policy policy_of(const Options& options) {
  return resolve_policy(
      options,
      {environment_variable(kModeVariable), environment_variable(kDriverCompatVariable),
       environment_variable(kApiModeVariable)},
      kLinux);
}

// Making an instance only reads variables, so the lock may be held meanwhile.
struct ProcessInstance {
  std::mutex mutex;
  std::vector<std::unique_ptr<CompatibilityGuardRails>> made;
  bool is_made = false;  // the last of them is in use
};

ProcessInstance& process_instance() {
  static auto* const process = new ProcessInstance;
  return *process;
}

}  // namespace

CompatibilityGuardRails::CompatibilityGuardRails(const Options& options)
    : impl_(std::make_unique<GuardRailsImpl>(options, policy_of(options), system_of(options))) {
  report_wrong_settings();
}
CompatibilityGuardRails::~CompatibilityGuardRails() = default;

LoadedLibrary CompatibilityGuardRails::load_dynamic_library(std::string_view name) {
  return impl_->load(name);
}
std::string CompatibilityGuardRails::find_dynamic_library(std::string_view name) {
  return locate_dynamic_library(name).path;
}
Located CompatibilityGuardRails::locate_dynamic_library(std::string_view name) {
  return impl_->locate(Kind::dynamic_library, name);
}
std::string CompatibilityGuardRails::find_headers(std::string_view name) {
  return locate_headers(name).path;
}
Located CompatibilityGuardRails::locate_headers(std::string_view name) {
  return impl_->locate(Kind::headers, name);
}
std::string CompatibilityGuardRails::find_static_library(std::string_view name) {
  return locate_static_library(name).path;
}
Located CompatibilityGuardRails::locate_static_library(std::string_view name) {
  return impl_->locate(Kind::static_library, name);
}
std::string CompatibilityGuardRails::find_bitcode_library(std::string_view name) {
  return locate_bitcode_library(name).path;
}
Located CompatibilityGuardRails::locate_bitcode_library(std::string_view name) {
  return impl_->locate(Kind::bitcode_library, name);
}
std::string CompatibilityGuardRails::find_program(std::string_view name) {
  return locate_program(name).path;
}
Located CompatibilityGuardRails::locate_program(std::string_view name) {
  return impl_->locate(Kind::program, name);
}
void CompatibilityGuardRails::declare_pipeline(const Pipeline& pipeline) {
  impl_->declare(pipeline);
}
Mode CompatibilityGuardRails::mode() const { return impl_->mode(); }
void CompatibilityGuardRails::clear_caches() { impl_->clear(); }

// Neither it nor the instances that it had are ever destroyed: other objects' destructors may still
// ask them while the process ends, and threads may be in them.
CompatibilityGuardRails& process_guard_rails() {
  ProcessInstance& process = process_instance();
  const std::lock_guard<std::mutex> lock(process.mutex);
  if (!process.is_made) {
    process.made.push_back(std::make_unique<CompatibilityGuardRails>());
    process.is_made = true;
  }
  return *process.made.back();
}

void reset_process_guard_rails() {
  ProcessInstance& process = process_instance();
  const std::lock_guard<std::mutex> lock(process.mutex);
  process.is_made = false;
}

LoadedLibrary load_dynamic_library(std::string_view name) {
  return process_guard_rails().load_dynamic_library(name);
}
std::string find_dynamic_library(std::string_view name) {
  return locate_dynamic_library(name).path;
}
Located locate_dynamic_library(std::string_view name) {
  return process_guard_rails().locate_dynamic_library(name);
}
std::string find_headers(std::string_view name) { return locate_headers(name).path; }
Located locate_headers(std::string_view name) { return process_guard_rails().locate_headers(name); }
std::string find_static_library(std::string_view name) { return locate_static_library(name).path; }
Located locate_static_library(std::string_view name) {
  return process_guard_rails().locate_static_library(name);
}
std::string find_bitcode_library(std::string_view name) {
  return locate_bitcode_library(name).path;
}
Located locate_bitcode_library(std::string_view name) {
  return process_guard_rails().locate_bitcode_library(name);
}
std::string find_program(std::string_view name) { return locate_program(name).path; }
Located locate_program(std::string_view name) { return process_guard_rails().locate_program(name); }
void declare_pipeline(const Pipeline& pipeline) {
  process_guard_rails().declare_pipeline(pipeline);
}

}  // namespace anycuda::compat
