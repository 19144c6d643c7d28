// The instance of the process, and the free functions.
#include "anycuda/compat/guard_rails.h"

namespace anycuda::compat {

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
