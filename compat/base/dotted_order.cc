#include "compat/base/dotted_order.h"

#include <cstdlib>
#include <cstring>

namespace anycuda {

int compare_dotted(const char* a, const char* b) {
  while (*a != '\0' || *b != '\0') {
    char* after_a;
    char* after_b;
    const long x = std::strtol(a, &after_a, 10);
    const long y = std::strtol(b, &after_b, 10);
    if (x != y) return x < y ? -1 : 1;
    if (after_a == a && after_b == b) return std::strcmp(a, b);
    a = *after_a == '.' ? after_a + 1 : after_a;
    b = *after_b == '.' ? after_b + 1 : after_b;
  }
  return 0;
}

}  // namespace anycuda
