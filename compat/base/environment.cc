#include "compat/base/environment.h"

#include <sys/auxv.h>

#include <cstdlib>

namespace anycuda {

bool is_privileged() { return getauxval(AT_SECURE) != 0; }

const char* environment_variable(const char* name) {
  const char* value = std::getenv(name);
  const bool is_set = value != nullptr && *value != '\0';
  return is_set && !is_privileged() ? value : nullptr;
}

const char* system_root() {
  const char* root = environment_variable("ANYCUDA_SYSTEM_ROOT");
  return root != nullptr && *root == '/' ? root : "";
}

}  // namespace anycuda
