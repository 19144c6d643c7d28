#include "compat/base/environment.h"

#include <sys/auxv.h>

#include <cstdlib>

namespace anycuda {

bool is_privileged() { return getauxval(AT_SECURE) != 0; }

const char* environment_variable(const char* name) {
  if (is_privileged()) return nullptr;
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

const char* system_root() {
  const char* root = environment_variable("ANYCUDA_SYSTEM_ROOT");
  return root != nullptr && *root == '/' ? root : "";
}

}  // namespace anycuda
