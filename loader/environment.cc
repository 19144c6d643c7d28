#include "loader/environment.h"

#include <sys/auxv.h>

#include <cstdlib>
#include <cstring>

namespace anycuda {

const char* environment_variable(const char* name) {
  if (getauxval(AT_SECURE) != 0) return nullptr;
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

const char* system_root() {
  const char* root = environment_variable("ANYCUDA_SYSTEM_ROOT");
  return root != nullptr && *root == '/' ? root : "";
}

CrossMajorSetting cross_major_setting() {
  const char* text = environment_variable("ANYCUDA_CROSS_MAJOR");
  if (text == nullptr || std::strcmp(text, "adapt") == 0) return {CrossMajor::adapt, nullptr};
  if (std::strcmp(text, "reject") == 0) return {CrossMajor::reject, nullptr};
  return {CrossMajor::reject, text};
}

}  // namespace anycuda
