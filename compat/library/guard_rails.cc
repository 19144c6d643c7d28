#include "anycuda/compat/guard_rails.h"

#include "compat/base/environment.h"
#include "compat/library/guard_rails_core.h"

namespace anycuda::compat {
namespace {

#if defined(__linux__)
constexpr bool kLinux = true;
#else
constexpr bool kLinux = false;
#endif

// Nothing of a privileged process' environment counts (compat/base/environment.h).
Policy policy_of(const Options& options) {
  return resolve_policy(
      options,
      {environment_variable(kModeVariable), environment_variable(kDriverCompatVariable),
       environment_variable(kApiModeVariable)},
      kLinux);
}

}  // namespace

struct CompatibilityGuardRails::State {
  explicit State(const Options& options)
      : core(options, policy_of(options), machine_seams(options)) {}
  Core core;
};

CompatibilityGuardRails::CompatibilityGuardRails(const Options& options)
    : state_(std::make_unique<State>(options)) {}
CompatibilityGuardRails::~CompatibilityGuardRails() = default;

LoadedLibrary CompatibilityGuardRails::load_dynamic_library(std::string_view name) {
  return state_->core.load(name);
}
std::string CompatibilityGuardRails::find_headers(std::string_view name) {
  return locate_headers(name).path;
}
Located CompatibilityGuardRails::locate_headers(std::string_view name) {
  return state_->core.locate(Kind::headers, name);
}
std::string CompatibilityGuardRails::find_static_library(std::string_view name) {
  return locate_static_library(name).path;
}
Located CompatibilityGuardRails::locate_static_library(std::string_view name) {
  return state_->core.locate(Kind::static_library, name);
}
std::string CompatibilityGuardRails::find_bitcode_library(std::string_view name) {
  return locate_bitcode_library(name).path;
}
Located CompatibilityGuardRails::locate_bitcode_library(std::string_view name) {
  return state_->core.locate(Kind::bitcode_library, name);
}
std::string CompatibilityGuardRails::find_program(std::string_view name) {
  return locate_program(name).path;
}
Located CompatibilityGuardRails::locate_program(std::string_view name) {
  return state_->core.locate(Kind::program, name);
}
void CompatibilityGuardRails::declare_pipeline(const Pipeline& pipeline) {
  state_->core.declare(pipeline);
}
Mode CompatibilityGuardRails::mode() const { return state_->core.mode(); }
void CompatibilityGuardRails::clear_caches() { state_->core.clear(); }

}  // namespace anycuda::compat
