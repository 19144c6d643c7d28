// The public class, the instance of the process, and the free functions on that.
#include "anycuda/compat/guard_rails.h"

#include "compat/base/environment.h"
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

}  // namespace

CompatibilityGuardRails::CompatibilityGuardRails(const Options& options)
    : impl_(std::make_unique<GuardRailsImpl>(options, policy_of(options), system_of(options))) {}
CompatibilityGuardRails::~CompatibilityGuardRails() = default;

LoadedLibrary CompatibilityGuardRails::load_dynamic_library(std::string_view name) {
  return impl_->load(name);
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

// Never destroyed: other objects' destructors may still ask it while the process ends.
CompatibilityGuardRails& process_guard_rails() {
  static auto* const rails = new CompatibilityGuardRails;
  return *rails;
}

LoadedLibrary load_dynamic_library(std::string_view name) {
  return process_guard_rails().load_dynamic_library(name);
}
std::string find_headers(std::string_view name) { return process_guard_rails().find_headers(name); }
std::string find_static_library(std::string_view name) {
  return process_guard_rails().find_static_library(name);
}
std::string find_bitcode_library(std::string_view name) {
  return process_guard_rails().find_bitcode_library(name);
}
std::string find_program(std::string_view name) { return process_guard_rails().find_program(name); }
void declare_pipeline(const Pipeline& pipeline) {
  process_guard_rails().declare_pipeline(pipeline);
}

}  // namespace anycuda::compat
