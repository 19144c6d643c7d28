// SPDX-License-Identifier: Apache-2.0
#include "loader/process/shortage_text.h"

#include <sys/resource.h>

#include <cerrno>

namespace anycuda {
namespace {

bool is_limited(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// Each of the two limits can fail mmap(), and the kernel does not say which one did.
const char* memory_remedy() {
  const bool data = is_limited(RLIMIT_DATA);
  if (is_limited(RLIMIT_AS)) {
    return data ? "raise ulimit -v or ulimit -d, or free memory" : "raise ulimit -v or free memory";
  }
  return data ? "raise ulimit -d or free memory" : "free memory";
}

}  // namespace

ShortageText describe_shortage(int error) {
  switch (error) {
    case EMFILE:
      return {"file descriptors have run out (EMFILE)", "raise ulimit -n or close files"};
    case ENFILE:
      return {"the system's file descriptors have run out (ENFILE)",
              "raise fs.file-max or end programs"};
    case ENOMEM:
      return {"memory has run out (ENOMEM)", memory_remedy()};
    case EAGAIN:
      return {"the system was short of a resource (EAGAIN)", "call again"};
    default:
      return {"a signal interrupted the search (EINTR)", "call again"};
  }
}

}  // namespace anycuda
